/** One speaks at a time. Whoever interrupts ends what is spoken, and what waits to be. */
import { CommandFailure } from '../registry/failure.ts';

export interface Turns {
  /** `work` is aborted when the caller no longer wants it, when another one interrupts, or at the end. */
  take<T>(wish: Wish, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Wish {
  readonly interrupt: boolean;
  readonly signal: AbortSignal;
}

/** Texts that may wait, so that nobody fills an hour with them. */
const MAX_WAITING = 16;

export function createTurns(): Turns {
  const speakers = new Set<AbortController>();
  let last: Promise<unknown> = Promise.resolve();

  function stopAll(): void {
    for (const speaker of speakers) speaker.abort();
  }

  return {
    async take({ interrupt, signal }, work) {
      if (interrupt) stopAll();
      if (speakers.size >= MAX_WAITING)
        throw new CommandFailure('Speak failed', {
          hint: `${MAX_WAITING} texts wait to be spoken already: try again later, or with interrupt.`,
          notExecuted: true,
        });
      const speaker = new AbortController();
      const stop = (): void => speaker.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      speakers.add(speaker);
      const mine = last.then(() => {
        if (speaker.signal.aborted) throw new CommandFailure('Speak canceled', { notExecuted: true });
        return work(speaker.signal);
      });
      last = mine.catch(() => undefined);
      try {
        return await mine;
      } finally {
        speakers.delete(speaker);
        signal.removeEventListener('abort', stop);
      }
    },
    async close() {
      stopAll();
      await last;
    },
  };
}
