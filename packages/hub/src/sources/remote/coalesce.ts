/**
 * Runs `task` at most once at a time and at most once per `pauseMs`; what is asked for meanwhile is one more run
 * afterwards, for the last asker. Who asks first waits for its own run alone.
 */
export function coalesce<T>(
  task: (subject: T) => Promise<void>,
  pauseMs: number,
): (subject: T) => Promise<void> {
  let running: Promise<void> | undefined;
  let next: { readonly subject: T } | undefined;

  function run(subject: T): Promise<void> {
    running = task(subject);
    const rest = (): void => void setTimeout(goOn, pauseMs).unref();
    running.then(rest, rest);
    return running;
  }

  function goOn(): void {
    running = undefined;
    const following = next;
    next = undefined;
    if (following !== undefined) void run(following.subject);
  }

  return (subject) => {
    if (running === undefined) return run(subject);
    next = { subject };
    return running;
  };
}
