/** Binds a `proxy-stdio` process to one session. A message that names another session is refused. */
import { PincerError } from '../../core/errors.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { findMember, readMembers, writeMembers, type Member } from '../../core/wire/members.ts';
import { isSessionId } from './settings.ts';

export interface SessionBinding {
  /** Undefined until a message names it. */
  readonly id: string | undefined;
  /** Returns the message without its session id. Throws if the id is invalid or differs from the bound one. */
  take(message: Message, text: ByteText): ByteText;
}

const MEMBER = 'mcpSessionId';
const META_MEMBERS: readonly string[] = [MEMBER, `pincer/${MEMBER}`];

export function bindSession(given: string | undefined): SessionBinding {
  let id = given;
  return {
    get id() {
      return id;
    },
    take(message, text) {
      const { named, rest } = takeNamed(message, text);
      for (const each of named) {
        id ??= each;
        if (each !== id) throw otherSession();
      }
      return rest;
    },
  };
}

/** Removes session ids from `params` of `initialize` and from `_meta` of any message. */
function takeNamed({ method, params, meta }: Message, text: ByteText): { named: string[]; rest: ByteText } {
  const inParams = method === 'initialize' ? [MEMBER] : [];
  const named = [...valuesOf(params, inParams), ...valuesOf(meta, META_MEMBERS)].map(idOf);
  if (named.length === 0) return { named, rest: text };
  const left = writeMembers(params, {
    ...without(inParams),
    ...(findMember(params, '_meta') !== undefined && { _meta: writeMembers(meta, without(META_MEMBERS)) }),
  });
  return { named, rest: writeMembers(readMembers(text), { params: left }) };
}

const valuesOf = (members: readonly Member[], keys: readonly string[]): ByteText[] =>
  members.flatMap(({ key, raw }) => (keys.includes(key) ? raw : []));

const without = (keys: readonly string[]): Record<string, undefined> =>
  Object.fromEntries(keys.map((key) => [key, undefined]));

function idOf(raw: ByteText): string {
  const id = raw.startsWith('"') ? plainString(raw) : '';
  if (isSessionId(id)) return id;
  throw new PincerError('ARGUMENT_INVALID', '"mcpSessionId" is not the id of a session.', {
    hint: 'Use the `mcpSessionId` that the proxy returned when the app registered.',
  });
}

const otherSession = (): PincerError =>
  new PincerError('ARGUMENT_INVALID', 'This process already serves another session.', {
    hint: 'Start `pincer proxy-stdio` once for each session.',
  });

export const noSession = (): PincerError =>
  new PincerError('ARGUMENT_INVALID', 'No session is named.', {
    hint:
      'Add "mcpSessionId" to params of "initialize" or to _meta of the request, ' +
      'or start with `pincer proxy-stdio --session ID`.',
  });
