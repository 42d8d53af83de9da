/** Ctrl+C during a command: the first aborts the work, the second ends the process at once. */
import { EXIT } from '../exit-codes.ts';

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/** Disposing restores the previous handlers. */
export function catchInterrupt(): Interrupt {
  const controller = new AbortController();
  const before = process.listeners('SIGINT');
  const onInterrupt = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.removeAllListeners('SIGINT').on('SIGINT', onInterrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt);
      for (const listener of before) process.on('SIGINT', listener);
    },
  };
}
