/**
 * Runs `task` at most once at a time and at most once per `pauseMs`. What is asked for meanwhile is one more run
 * afterwards, for the last asker; everybody waits for the run that began after they asked.
 */
export function coalesce<T>(
  task: (subject: T) => Promise<void>,
  pauseMs: number,
): (subject: T) => Promise<void> {
  let isBusy = false;
  let next: { subject: T; readonly ran: PromiseWithResolvers<void> } | undefined;

  async function run(subject: T): Promise<void> {
    isBusy = true;
    try {
      await task(subject);
    } finally {
      setTimeout(goOn, pauseMs).unref();
    }
  }

  function goOn(): void {
    isBusy = false;
    if (next === undefined) return;
    const { subject, ran } = next;
    next = undefined;
    run(subject).then(ran.resolve, ran.reject);
  }

  return (subject) => {
    if (!isBusy) return run(subject);
    next = { subject, ran: next?.ran ?? Promise.withResolvers<void>() };
    return next.ran.promise;
  };
}
