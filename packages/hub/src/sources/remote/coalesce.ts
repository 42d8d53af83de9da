/** Runs `task` at most once at a time; what is asked for meanwhile is one more run afterwards, for the last asker. */
export function coalesce<T>(task: (subject: T) => Promise<void>): (subject: T) => Promise<void> {
  let running: Promise<void> | undefined;
  let next: { readonly subject: T } | undefined;
  const run = async (subject: T): Promise<void> => {
    await task(subject);
    while (next !== undefined) {
      const { subject: following } = next;
      next = undefined;
      await task(following);
    }
  };
  return (subject) => {
    if (running === undefined) running = run(subject).finally(() => (running = undefined));
    else next = { subject };
    return running;
  };
}
