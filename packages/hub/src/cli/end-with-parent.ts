const PARENT_CHECK_MS = 1_000;

/**
 * Destroys the stream if stdin has ended and the parent process no longer exists. A client may close stdin and still
 * wait for answers, so the end of stdin alone is not enough.
 */
export function endWithParent(stream: { destroy(): void }): void {
  const parent = process.ppid;
  process.stdin.once('end', () => {
    setInterval(() => {
      if (process.ppid !== parent) stream.destroy();
    }, PARENT_CHECK_MS).unref();
  });
}
