/** Which era a server speaks, as far as that is known, and what follows for whom to ask how. */
import type { ServerConfig } from '../config/schema.ts';
import type { Era } from '../core/protocol.ts';
import type { SourceRequest } from '../core/request.ts';
import { connectionKey, eraOfKey, isSharedKey } from './connection/connection-key.ts';

export interface Eras {
  /** Nothing is known before the main connection has been there. */
  readonly isKnown: boolean;
  /** The era that a wish for one turned out to be. */
  spoken(wanted: Era): Era | undefined;
  learn(wanted: Era, found: Era): void;
  /** What comes back may be another version of it. */
  forgetOther(): void;
  /** The connection that is right for a request. */
  keyFor(request: SourceRequest): string;
  /** How long a question in this era may take. */
  patience(era: Era, connectMs: number): number;
  /** A program that is known to speak the legacy era may end when it is asked in the other. */
  mayDieOf(wanted: Era): boolean;
}

/** How long a server that speaks one era may think about a question of the other. */
const OTHER_ERA_PROBE_MS = 3_000;

export function createEras(mainKey: string, config: ServerConfig): Eras {
  const found = new Map<Era, Era>();
  const mainEra = eraOfKey(mainKey);
  return {
    get isKnown() {
      return found.size > 0;
    },
    spoken: (wanted) => found.get(wanted),
    learn(wanted, era) {
      // What was learned of it in an earlier life may no longer be so.
      found.set(wanted, era).set(era, era);
    },
    forgetOther() {
      found.delete(mainEra === 'legacy' ? 'modern' : 'legacy');
    },
    keyFor(request) {
      // A wish that the server cannot fulfil is one for the era that it speaks.
      const key = connectionKey(request, found.get(request.era) ?? request.era, config);
      return isSharedKey(key) && eraOfKey(key) === found.get(mainEra) ? mainKey : key;
    },
    patience: (era, connectMs) =>
      found.size > 0 && ![...found.values()].includes(era) ? OTHER_ERA_PROBE_MS : connectMs,
    mayDieOf: (wanted) => wanted === 'modern' && found.get('legacy') === 'legacy' && !found.has('modern'),
  };
}
