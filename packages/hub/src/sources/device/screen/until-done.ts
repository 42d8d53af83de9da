/** Work that cannot be stopped: whoever waits for it can. */
import { CommandFailure } from '../registry/failure.ts';
import { CANCELLED } from './texts.ts';

export async function untilDone<T>(work: Promise<T>, signal: AbortSignal, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new CommandFailure(CANCELLED));
  const timer = setTimeout(() => reject(new Error(`nothing came within ${timeoutMs} ms`)), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
