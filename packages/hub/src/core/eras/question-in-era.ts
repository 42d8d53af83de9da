/** What a question of one era has to say in the other. */
import { quoted, type ByteText } from '../wire/byte-text.ts';
import { findMember, isObject, readMembers, writeMembers } from '../wire/members.ts';

const isByUrl = (params: ByteText): boolean => findMember(readMembers(params), 'mode') === '"url"';

/**
 * The modern era knows no id of an elicitation (the request that it belongs to is repeated when it is done) and no
 * progress of an answer.
 */
export function questionToModern(method: string, params: ByteText): ByteText {
  const members = readMembers(params);
  const meta = findMember(members, '_meta');
  const rest = meta !== undefined && isObject(meta) ? withoutToken(meta) : meta;
  const replace: Record<string, ByteText | undefined> = { _meta: rest };
  if (method === 'elicitation/create' && isByUrl(params)) replace['elicitationId'] = undefined;
  return writeMembers(members, replace);
}

function withoutToken(meta: ByteText): ByteText | undefined {
  const rest = writeMembers(readMembers(meta), { progressToken: undefined });
  return rest === '{}' ? undefined : rest;
}

/** The legacy era wants an id of each elicitation that happens elsewhere. */
export const questionToLegacy = (method: string, params: ByteText): ByteText =>
  method === 'elicitation/create' && isByUrl(params)
    ? writeMembers(readMembers(params), { elicitationId: quoted(crypto.randomUUID()) })
    : params;
