/** When to ask somebody for more rights is in vain. */
import { PincerError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';

export interface StepUps {
  /** Throws where the same was asked for twice, and the server still wants it. */
  assertWorth(server: string, key: string, scopes: readonly string[]): void;
}

const MAX_TRIES = 2;

/** `memoryMs`: after this time it may be tried again. */
export function createStepUps(clock: Pick<Clock, 'elapsed'>, memoryMs: number): StepUps {
  const tries = new Map<string, { readonly scopes: string; readonly count: number; readonly at: number }>();
  return {
    assertWorth(server, key, wanted) {
      const scopes = wanted.toSorted().join(' ');
      const last = tries.get(key);
      const isSame = last?.scopes === scopes && clock.elapsed() - last.at < memoryMs;
      const count = isSame ? last.count : 0;
      if (count >= MAX_TRIES)
        throw new PincerError(
          'SIGN_IN_FAILED',
          `Server "${server}" was given the rights that it asks for (${scopes}), and still asks for them.`,
          { hint: 'Your account may lack them. Ask whoever runs the server, or try again later.' },
        );
      tries.set(key, { scopes, count: count + 1, at: clock.elapsed() });
    },
  };
}
