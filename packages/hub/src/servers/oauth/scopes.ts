/** Scopes: how they are written, which ones a sign-in asks for, and when asking for more is useless. */
import { PincerError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';

/** Reads a `scope` parameter (RFC 6749 §3.3): without duplicates and invalid scopes. */
export const scopesIn = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(' ').filter(isScope)),
];

/** Undefined if there is none: then `scope` is left out, and the authorization server chooses. */
export const scopeText = (scopes: readonly string[]): string | undefined => scopes.join(' ') || undefined;

export const isScope = (word: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word);

export interface ScopeParts {
  /** From the configuration: exactly these are asked for. */
  readonly configured?: readonly string[] | undefined;
  /** From the server's challenge. */
  readonly challenged?: readonly string[] | undefined;
  /** From the server's metadata. */
  readonly resourceSupports?: readonly string[] | undefined;
  /** From the metadata of the authorization server. */
  readonly issuerSupports?: readonly string[] | undefined;
  /** Granted already, if the server needs more now (step-up). */
  readonly granted?: readonly string[] | undefined;
}

/** Returns an empty list to let the authorization server choose. */
export function chooseScopes(parts: ScopeParts): readonly string[] {
  const { configured, challenged, resourceSupports, issuerSupports, granted = [] } = parts;
  if (configured !== undefined)
    return union(configured, granted.length > 0 ? [...granted, ...(challenged ?? [])] : []);
  const chosen = union(granted, challenged ?? (granted.length > 0 ? [] : (resourceSupports ?? [])));
  // Some servers give a refresh token only for this scope; servers that do not list it may refuse it.
  return issuerSupports?.includes(OFFLINE) === true && chosen.length > 0 ? union(chosen, [OFFLINE]) : chosen;
}

const OFFLINE = 'offline_access';

export const union = (a: readonly string[], b: readonly string[]): readonly string[] => [
  ...new Set([...a, ...b]),
];

export interface StepUps {
  /** Throws if the same scopes were requested twice, and the server still requires them. */
  assertWorth(server: string, key: string, scopes: readonly string[]): void;
}

const MAX_TRIES = 2;

/** @param memoryMs after this time, the same scopes may be asked for again. */
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
          `Server "${server}" was granted the rights that it requires (${scopes}), and still requires them.`,
          { hint: 'Your account may lack them. Ask the operator of the server, or try again later.' },
        );
      tries.set(key, { scopes, count: count + 1, at: clock.elapsed() });
    },
  };
}
