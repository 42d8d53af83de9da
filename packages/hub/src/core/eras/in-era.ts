/** Results and questions of one era in the other. */
import type { ToolDefinition } from '../catalog/tool-definition.ts';
import { type Era, RPC } from '../protocol.ts';
import { type ByteText, quoted } from '../wire/byte-text.ts';
import { findMember, isObject, readMembers, writeMembers, readElements } from '../wire/members.ts';
import { messageOf, PincerError } from '../errors.ts';
import { outcomeUnknown, type Outcome } from '../outcome.ts';
import type { InputRequest } from './input-required.ts';

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

/** The end of a call whose result has to be read and cannot be: two values under one key are two answers. */
export const unreadable = (error: unknown): Outcome =>
  outcomeUnknown(
    new PincerError('SERVER_PROTOCOL', `The server's result cannot be read: ${messageOf(error)}`, {
      hint: 'Check whether the call took effect before you repeat it.',
      cause: error,
    }),
  );

const URL_REQUIRED = String(RPC.urlElicitationRequired);

/**
 * The legacy era's other way of asking: an error that sends the person to a web page (-32042, 2025-11-25 "URL mode").
 * The questions of such an error as the modern era has them; undefined: it is another error.
 */
export function readUrlRequired(error: ByteText): InputRequest[] | undefined {
  if (!isObject(error)) return undefined;
  const members = readMembers(error);
  const data = findMember(members, 'data');
  if (findMember(members, 'code') !== URL_REQUIRED || data === undefined || !isObject(data)) return undefined;
  const elicitations = findMember(readMembers(data), 'elicitations');
  if (!elicitations?.startsWith('[')) return undefined;
  const requests = readElements(elicitations)
    .filter(isObject)
    .map((each, index) => ({
      key: `elicitation_url_${index + 1}`,
      method: 'elicitation/create',
      params: writeMembers(readMembers(each), { mode: '"url"', elicitationId: undefined }),
    }));
  return requests.length > 0 ? requests : undefined;
}
