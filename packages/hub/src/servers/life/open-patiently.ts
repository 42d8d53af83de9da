/** A call does not fail because its server is just coming back: it waits for the third try. */
import { PincerError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { orTooLate, within } from '../../lib/bounded-wait.ts';
import { cureOf } from './cure.ts';
import type { Life } from './life.ts';

export interface PatienceParts {
  readonly life: Life;
  readonly clock: Clock;
  /** How long a call waits at most. */
  readonly maxWaitMs: number;
}

const TRIES = 3;

/** Resolves with what `open` gives, as soon as it does; rejects when there is no point in waiting any longer. */
export async function openPatiently<T>(open: () => Promise<T>, parts: PatienceParts): Promise<T> {
  const { life, clock, maxWaitMs } = parts;
  const giveUpAt = clock.elapsed() + maxWaitMs;
  for (;;) {
    if (!life.hasJustFailed || life.state === 'ready') {
      try {
        // Other calls may still need a connection that comes too late for this one.
        return await orTooLate(open(), Math.max(1, giveUpAt - clock.elapsed()), () => STILL_STARTING);
      } catch (error) {
        const reason = PincerError.from(error);
        // Where it was not the server's connection that failed, the next look has nothing new to say.
        if (!life.hasJustFailed || cureOf(reason) !== 'time') throw error;
      }
    }
    const { problem, failures } = life;
    const leftMs = giveUpAt - clock.elapsed();
    const isComing = life.state === 'backoff' || life.state === 'connecting';
    if (!isComing || failures >= TRIES || leftMs <= 0)
      throw problem ?? new PincerError('SERVER_UNREACHABLE', 'It was stopped.');
    // One that keeps dying is tried by whoever needs it, after a breath; one that cannot be had is tried by the clock.
    await within(life.whenTried(), failures === 0 ? Math.min(leftMs, life.restMs) : leftMs);
  }
}

const STILL_STARTING = new PincerError('SERVER_UNREACHABLE', 'The server is still starting.', {
  hint: 'Try again in a moment.',
});
