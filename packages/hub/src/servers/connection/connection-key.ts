import type { ServerConfig } from '../../config/schema.ts';
import { NO_ABILITIES, readAbilities, type Abilities } from '../../core/client.ts';
import { isRecord } from '../../lib/record.ts';
import type { Era } from '../../core/protocol.ts';
import type { SourceRequest } from '../../core/request.ts';
import { jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';

const LEGACY_SHARED = 'legacy/shared';
const MODERN_SHARED = 'modern/shared';

type Sharing = Pick<ServerConfig, 'isolation' | 'roots' | 'auth'>;

/** Requests with the same key share one connection. The server itself is the pool's owner. */
export function connectionKey(request: SourceRequest, era: Era, sharing: Sharing): string {
  const { caller, client } = request;
  if (era === 'legacy' && client.abilities !== NO_ABILITIES) {
    const declared = declaredAbilities(client.abilities, sharing.roots);
    if (declared !== NO_ABILITIES)
      return client.session === undefined || request.era === 'modern'
        ? `legacy/able/${caller.id}/${declared.raw}`
        : `legacy/own/${caller.id}/${client.session}`;
  }
  switch (sharing.isolation) {
    case 'shared':
      return isPerCaller(sharing) ? `${era}/caller/${caller.id}` : sharedKey(era);
    case 'caller':
      return `${era}/caller/${caller.id}`;
    case 'session':
      return `${era}/session/${caller.id}/${client.session ?? ''}`;
  }
}

/** Everyone signs in for themselves: nobody's request goes over what another has opened. */
export const isPerCaller = ({ auth }: Pick<ServerConfig, 'auth'>): boolean => auth?.identity === 'per-caller';

/** Constants: a key made anew for each call would have to be hashed for each call. */
export const sharedKey = (era: Era): string => (era === 'legacy' ? LEGACY_SHARED : MODERN_SHARED);

export const isSharedKey = (key: string): boolean => key === LEGACY_SHARED || key === MODERN_SHARED;

export const eraOfKey = (key: string): Era => (key.startsWith('modern/') ? 'modern' : 'legacy');

/** A connection of one session, and of nobody else: those of a caller who have none share one. */
export const isOwnKey = (key: string): boolean => /^legacy\/(?:own|session)\/.*[^/]$/s.test(key);

/** A connection for clients without a session that can be asked something, one call of them at a time. */
export const isForOneCall = (key: string): boolean => key.startsWith('legacy/able/');

/** What the legacy era knows of each: other words would make every client's own set another connection. */
const KNOWN_WORDS = {
  sampling: ['context', 'tools'],
  elicitation: ['form', 'url'],
  roots: ['listChanged'],
} as const;

/**
 * What a legacy server is told that the client can do. Roots alone make no connection a client's own unless the
 * configuration says so: a file server would replace its folders by them.
 */
export function declaredAbilities(abilities: Abilities, roots: ServerConfig['roots']): Abilities {
  const { sampling, elicitation, raw } = abilities;
  const passesRoots =
    abilities.roots && (roots === 'pass' || (roots === 'auto' && (sampling || elicitation)));
  if (!sampling && !elicitation && !passesRoots) return NO_ABILITIES;
  const said = parseBytes(raw) as Readonly<Record<string, unknown>>;
  const declared = (['sampling', 'elicitation', 'roots'] as const)
    .filter((ability) => (ability === 'roots' ? passesRoots : abilities[ability]))
    .map((ability) => [ability, knownWords(ability, said[ability])]);
  return readAbilities(jsonBytes(Object.fromEntries(declared)));
}

const knownWords = (ability: keyof typeof KNOWN_WORDS, said: unknown): object =>
  Object.fromEntries(
    KNOWN_WORDS[ability].flatMap((word) => {
      const value = isRecord(said) ? said[word] : undefined;
      return value === true ? [[word, true]] : isRecord(value) ? [[word, {}]] : [];
    }),
  );

/** Which era a server speaks, as far as that is known, and which connection a request needs for that reason. */
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
