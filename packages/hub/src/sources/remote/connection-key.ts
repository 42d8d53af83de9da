import type { ServerConfig } from '../../config/schema.ts';
import { NO_ABILITIES, readAbilities, type Abilities } from '../../core/client.ts';
import type { Era } from '../../core/protocol.ts';
import type { SourceRequest } from '../../core/request.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { DuplicateKeyError, readMembers, writeMembers } from '../../core/wire/members.ts';

const LEGACY_SHARED = 'legacy/shared';
const MODERN_SHARED = 'modern/shared';

type Sharing = Pick<ServerConfig, 'isolation' | 'roots'>;

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
      return sharedKey(era);
    case 'caller':
      return `${era}/caller/${caller.id}`;
    case 'session':
      return `${era}/session/${caller.id}/${client.session ?? ''}`;
  }
}

/** Constants: a key made anew for each call would have to be hashed for each call. */
export const sharedKey = (era: Era): string => (era === 'legacy' ? LEGACY_SHARED : MODERN_SHARED);

export const isSharedKey = (key: string): boolean => key === LEGACY_SHARED || key === MODERN_SHARED;

export const eraOfKey = (key: string): Era => (key.startsWith('modern/') ? 'modern' : 'legacy');

/** A connection for clients without a session that can be asked something, one call of them at a time on a pipe. */
export const isForOneCall = (key: string): boolean => key.startsWith('legacy/able/');

const PASSED_ON: ReadonlySet<string> = new Set(['sampling', 'elicitation', 'roots']);
const MAX_DECLARED_LENGTH = 4_096;

/**
 * What a legacy server is told that the client can do. Roots alone make no connection a client's own unless the
 * configuration says so: a file server would replace its folders by them.
 */
export function declaredAbilities(abilities: Abilities, roots: ServerConfig['roots']): Abilities {
  const { sampling, elicitation, raw } = abilities;
  const passesRoots =
    abilities.roots && (roots === 'pass' || (roots === 'auto' && (sampling || elicitation)));
  if (!sampling && !elicitation && !passesRoots) return NO_ABILITIES;
  return readAbilities(wordsOf(raw, passesRoots) ?? plain({ sampling, elicitation, passesRoots }));
}

/** In the client's own words; undefined: they are too long, or a word is there twice. */
function wordsOf(raw: ByteText, passesRoots: boolean): ByteText | undefined {
  try {
    const members = readMembers(raw).filter(
      ({ key }) => PASSED_ON.has(key) && (key !== 'roots' || passesRoots),
    );
    const text = writeMembers(members);
    return text.length <= MAX_DECLARED_LENGTH ? text : undefined;
  } catch (error) {
    if (error instanceof DuplicateKeyError) return undefined;
    throw error;
  }
}

const plain = (has: { sampling: boolean; elicitation: boolean; passesRoots: boolean }): string =>
  JSON.stringify({
    ...(has.sampling && { sampling: {} }),
    ...(has.elicitation && { elicitation: {} }),
    ...(has.passesRoots && { roots: {} }),
  });
