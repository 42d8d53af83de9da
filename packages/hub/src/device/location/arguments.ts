/** What `location.get` takes, in the words of both dialects. */
import { z } from 'zod';
import { optionalText, text } from '../registry/arguments.ts';

const TIMEOUT_MS = { min: 1_000, max: 60_000, usual: 10_000 } as const;
const TIMEOUT = { minimum: TIMEOUT_MS.min, maximum: TIMEOUT_MS.max };
const AGE = { minimum: 0 };

// No defaults: they would be given beside the other name, and count before it.
const number = (bounds: Readonly<Record<string, number>>, about: string) =>
  z.number().optional().catch(undefined).meta(bounds).describe(about);

export const LOCATION_INPUT = z.object({
  accuracy: text('default', 'default, or high (also: precise).', ['default', 'high', 'precise']),
  desiredAccuracy: optionalText(
    'coarse, balanced or precise; balanced if absent. It counts before accuracy.',
    ['coarse', 'balanced', 'precise'],
  ),
  maxAge: number(AGE, 'Milliseconds that a position may be old; 30000 if absent, 0: it is looked for anew.'),
  maxAgeMs: number(AGE, 'Another name of maxAge.'),
  locationTimeout: number(TIMEOUT, 'Milliseconds to wait; 10000 if absent.'),
  timeoutMs: number(TIMEOUT, 'Another name of locationTimeout.'),
});

export type Accuracy = 'coarse' | 'balanced' | 'precise';

export interface LocationOrder {
  readonly accuracy: Accuracy;
  readonly maxAgeMs: number;
  readonly timeoutMs: number;
}

const DEFAULT_MAX_AGE_MS = 30_000;

export function orderOf(given: z.output<typeof LOCATION_INPUT>): LocationOrder {
  const timeout = given.locationTimeout ?? given.timeoutMs ?? TIMEOUT_MS.usual;
  return {
    accuracy: accuracyOf(given.desiredAccuracy ?? given.accuracy),
    maxAgeMs: Math.max(0, given.maxAge ?? given.maxAgeMs ?? DEFAULT_MAX_AGE_MS),
    timeoutMs: Math.min(TIMEOUT_MS.max, Math.max(TIMEOUT_MS.min, Math.floor(timeout))),
  };
}

function accuracyOf(word: string | undefined): Accuracy {
  const asked = word?.trim().toLowerCase();
  if (asked === 'coarse') return 'coarse';
  return asked === 'precise' || asked === 'high' ? 'precise' : 'balanced';
}
