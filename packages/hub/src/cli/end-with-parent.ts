/** How often it is looked whether the program that started us is still there, once it has nothing more to say. */
const PARENT_CHECK_MS = 1_000;

/** A client that has died says nothing, and nobody reads what is answered then. */
export function endWithParent(stream: { destroy(): void }): void {
  const parent = process.ppid;
  process.stdin.once('end', () => {
    setInterval(() => {
      if (process.ppid !== parent) stream.destroy();
    }, PARENT_CHECK_MS).unref();
  });
}
