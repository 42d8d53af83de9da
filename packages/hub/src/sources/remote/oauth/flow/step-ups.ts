/** What servers have asked for besides what somebody has agreed to, and when asking again is in vain. */
import { PincerError } from '../../../../core/errors.ts';
import type { Clock } from '../../../../core/ports.ts';
import type { Challenge } from '../discovery/challenge.ts';

export interface StepUps {
  remember(key: string, challenge: Challenge): void;
  challenge(key: string): Challenge | undefined;
  /** Somebody has signed in. */
  forget(key: string): void;
  /** Throws where the same was agreed to twice, and the server still wants it. */
  assertWorth(server: string, key: string, scopes: readonly string[]): void;
}

const MAX_TRIES = 2;

export function createStepUps(clock: Pick<Clock, 'elapsed'>, memoryMs: number): StepUps {
  const challenges = new Map<string, Challenge>();
  const tries = new Map<string, { readonly scopes: string; readonly count: number; readonly at: number }>();
  return {
    remember: (key, challenge) => void challenges.set(key, challenge),
    challenge: (key) => challenges.get(key),
    forget: (key) => void challenges.delete(key),
    assertWorth(server, key, wanted) {
      const scopes = wanted.toSorted().join(' ');
      const last = tries.get(key);
      const isSame = last?.scopes === scopes && clock.elapsed() - last.at < memoryMs;
      const count = isSame ? last.count : 0;
      if (count >= MAX_TRIES)
        throw new PincerError(
          'SIGN_IN_FAILED',
          `Server "${server}" was given the scopes that it asks for (${scopes}), and still asks for them.`,
          { hint: 'Your account may lack the right. Ask whoever runs the server, or try again later.' },
        );
      tries.set(key, { scopes, count: count + 1, at: clock.elapsed() });
    },
  };
}
