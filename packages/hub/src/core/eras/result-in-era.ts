/** What a result of one era has to say in the other. */
import type { ToolDefinition } from '../catalog/tool-definition.ts';
import type { Era } from '../protocol.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { findMember, isObject, readMembers, writeMembers } from '../wire/members.ts';

export interface ResultSubject {
  readonly method: string;
  readonly tool: ToolDefinition | undefined;
}

export const resultInEra = (result: ByteText, to: Era, subject: ResultSubject): ByteText =>
  to === 'modern' ? toModern(result, subject) : toLegacy(result, subject);

/** Every result says of what type it is, and what is read says how long it may be kept: not at all, for who knows. */
function toModern(result: ByteText, { method }: ResultSubject): ByteText {
  const members = readMembers(result);
  const added: Record<string, ByteText> = {};
  if (findMember(members, 'resultType') === undefined) added['resultType'] = '"complete"';
  if (method === 'resources/read') {
    if (findMember(members, 'ttlMs') === undefined) added['ttlMs'] = '0';
    if (findMember(members, 'cacheScope') === undefined) added['cacheScope'] = '"private"';
  }
  return writeMembers(members, added);
}

/** The legacy era knows objects only as structured output. */
function toLegacy(result: ByteText, { tool }: ResultSubject): ByteText {
  const members = readMembers(result);
  const structured = findMember(members, 'structuredContent');
  const isWrapped = structured !== undefined && (tool?.wrapsOutput === true || !isObject(structured));
  return writeMembers(members, {
    resultType: undefined,
    ttlMs: undefined,
    cacheScope: undefined,
    ...(isWrapped && { structuredContent: `{"result":${structured}}` }),
  });
}
