/** Work that goes on by itself; whoever waits for it may stop waiting. */
import { BrowserError } from './browser-error.ts';

export const unwanted = (): BrowserError => new BrowserError('aborted', 'Nobody waits for it any more.');

export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(unwanted());
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
