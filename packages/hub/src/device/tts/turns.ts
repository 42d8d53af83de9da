/** One speaks at a time. Whoever interrupts ends what is spoken, and what waits to be. */
import { oneAtATime } from '../../lib/one-at-a-time.ts';
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

export function createTurns(maxSpeeches: number): Turns {
  const speakers = new Set<AbortController>();
  const inTurn = oneAtATime();

  function stopAll(): void {
    for (const speaker of speakers) speaker.abort();
    // They wait no longer, though one may need a moment to fall silent.
    speakers.clear();
  }

  return {
    async take({ interrupt, signal }, work) {
      if (interrupt) stopAll();
      if (speakers.size >= maxSpeeches)
        throw new CommandFailure('Speak failed', {
          hint: `${maxSpeeches} texts wait to be spoken already: try again later, or with interrupt.`,
          notExecuted: true,
        });
      const speaker = new AbortController();
      const stop = (): void => speaker.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      speakers.add(speaker);
      try {
        return await inTurn(() => work(speaker.signal), { signal: speaker.signal, unwanted });
      } finally {
        speakers.delete(speaker);
        signal.removeEventListener('abort', stop);
      }
    },
    async close() {
      stopAll();
      await inTurn(() => Promise.resolve());
    },
  };
}

const unwanted = (): CommandFailure => new CommandFailure('Speak canceled', { notExecuted: true });
