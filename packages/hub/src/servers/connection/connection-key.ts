import type { ServerConfig } from '../../config/schema.ts';
import { NO_ABILITIES, readAbilities, type Abilities } from '../../core/client.ts';
import { isRecord } from '../../lib/record.ts';
import type { Era } from '../../core/protocol.ts';
import type { SourceRequest } from '../../core/request.ts';
import { jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';

const LEGACY_SHARED = 'legacy/shared';
const MODERN_SHARED = 'modern/shared';

type Sharing = Pick<ServerConfig, 'isolation' | 'roots' | 'auth'>;

/** Requests with the same key share one connection of the server. */
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

/** Each caller signs in separately, so callers never share a connection. */
export const isPerCaller = ({ auth }: Pick<ServerConfig, 'auth'>): boolean => auth?.identity === 'per-caller';

/** Constants, because a key built per call would have to be hashed per call. */
export const sharedKey = (era: Era): string => (era === 'legacy' ? LEGACY_SHARED : MODERN_SHARED);

export const isSharedKey = (key: string): boolean => key === LEGACY_SHARED || key === MODERN_SHARED;

export const eraOfKey = (key: string): Era => (key.startsWith('modern/') ? 'modern' : 'legacy');

/** A connection of exactly one session. Clients of a caller without a session share one. */
export const isOwnKey = (key: string): boolean => /^legacy\/(?:own|session)\/.*[^/]$/s.test(key);

/** A connection for clients without a session that can answer questions; it carries one call at a time. */
export const isForOneCall = (key: string): boolean => key.startsWith('legacy/able/');

/**
 * Sub-capabilities that the legacy era defines. Others are dropped, or almost every client would need its own
 * connection.
 */
const KNOWN_WORDS = {
  sampling: ['context', 'tools'],
  elicitation: ['form', 'url'],
  roots: ['listChanged'],
} as const;

/**
 * The capabilities that a legacy server is told. Roots alone do not lead to an own connection unless configured: a file
 * server would replace its folders with them.
 */
export function declaredAbilities(abilities: Abilities, roots: ServerConfig['roots']): Abilities {
  const { sampling, elicitation, raw } = abilities;
  const passesRoots =
    abilities.roots && (roots === 'pass' || (roots === 'auto' && (sampling || elicitation)));
  if (!sampling && !elicitation && !passesRoots) return NO_ABILITIES;
  const given = parseBytes(raw) as Readonly<Record<string, unknown>>;
  const declared = (['sampling', 'elicitation', 'roots'] as const)
    .filter((ability) => (ability === 'roots' ? passesRoots : abilities[ability]))
    .map((ability) => [ability, knownWords(ability, given[ability])]);
  return readAbilities(jsonBytes(Object.fromEntries(declared)));
}

const knownWords = (ability: keyof typeof KNOWN_WORDS, given: unknown): object =>
  Object.fromEntries(
    KNOWN_WORDS[ability].flatMap((word) => {
      const value = isRecord(given) ? given[word] : undefined;
      return value === true ? [[word, true]] : isRecord(value) ? [[word, {}]] : [];
    }),
  );

/** The eras that a server speaks, as far as known, and the connection that a request needs. */
export interface Eras {
  /** False until the main connection has been open once. */
  readonly isKnown: boolean;
  /** The era that the server speaks if asked for `wanted`. */
  spoken(wanted: Era): Era | undefined;
  learn(wanted: Era, found: Era): void;
  /** Called on a lost main connection: the server may return with another version. */
  forgetOther(): void;
  keyFor(request: SourceRequest): string;
  /** The timeout of a handshake in this era. */
  timeoutFor(era: Era, connectMs: number): number;
  /** Some legacy programs exit on a modern handshake. */
  mayCrashOn(wanted: Era): boolean;
}

/** How long a server of a known era may take to answer a handshake of the other. */
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
      // Overwrites what an earlier connection learned.
      found.set(wanted, era).set(era, era);
    },
    forgetOther() {
      found.delete(mainEra === 'legacy' ? 'modern' : 'legacy');
    },
    keyFor(request) {
      // If the server does not speak the wanted era, use the era that it speaks.
      const key = connectionKey(request, found.get(request.era) ?? request.era, config);
      return isSharedKey(key) && eraOfKey(key) === found.get(mainEra) ? mainKey : key;
    },
    timeoutFor: (era, connectMs) =>
      found.size > 0 && ![...found.values()].includes(era) ? OTHER_ERA_PROBE_MS : connectMs,
    mayCrashOn: (wanted) => wanted === 'modern' && found.get('legacy') === 'legacy' && !found.has('modern'),
  };
}
