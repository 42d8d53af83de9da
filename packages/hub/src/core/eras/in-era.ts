/** Translates results and questions between the eras. */
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

/** Adds the required `resultType`. A read resource also needs cache settings; without better knowledge, it is not cached. */
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

/** In the legacy era, structured output must be an object. */
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
 * The modern era has no elicitation ids (the request is repeated when the elicitation is done) and no progress for
 * answers.
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

/** The legacy era requires an id for each URL elicitation. */
export const questionToLegacy = (method: string, params: ByteText): ByteText =>
  method === 'elicitation/create' && isByUrl(params)
    ? writeMembers(readMembers(params), { elicitationId: quoted(crypto.randomUUID()) })
    : params;

/** The outcome of a call whose result has to be read but has duplicate keys: it could mean two things. */
export const unreadable = (error: unknown): Outcome =>
  outcomeUnknown(
    new PincerError('SERVER_PROTOCOL', `The server's result cannot be read: ${messageOf(error)}`, {
      hint: 'Check whether the call took effect before you repeat it.',
      cause: error,
    }),
  );

const URL_REQUIRED = String(RPC.urlElicitationRequired);

/**
 * The legacy era's other kind of question: an error that sends the person to a web page (-32042, 2025-11-25 "URL
 * mode"). Returns its questions for the modern era, or undefined for any other error.
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
