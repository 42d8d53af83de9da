/** The modern era's questions: a result that lists the missing input (2026-07-28, "Multi Round-Trip Requests"). */
import { jsonBytes, quoted, type ByteText } from '../wire/byte-text.ts';
import {
  findMember,
  isObject,
  readMembers,
  writeMembers,
  type Member,
  DuplicateKeyError,
} from '../wire/members.ts';
import { plainString } from '../wire/message.ts';

export interface InputRequest {
  readonly key: string;
  readonly method: string;
  /** A whole JSON object. */
  readonly params: ByteText;
}

export interface InputRequired {
  readonly requests: readonly InputRequest[];
  /** The raw JSON string. */
  readonly state: ByteText | undefined;
  /** The whole result. */
  readonly members: readonly Member[];
}

const MARK = '"input_required"';

/** Returns undefined for any other result. */
export function readInputRequired(result: ByteText): InputRequired | undefined {
  // Fast path: most results do not contain the mark.
  if (!result.includes(MARK)) return undefined;
  const members = readMembers(result);
  if (findMember(members, 'resultType') !== MARK) return undefined;
  const requests = findMember(members, 'inputRequests');
  return {
    requests: requests !== undefined && isObject(requests) ? readMembers(requests).flatMap(readRequest) : [],
    state: findMember(members, 'requestState'),
    members,
  };
}

function readRequest({ key, raw }: Member): InputRequest[] {
  if (!isObject(raw)) return [];
  const members = readMembers(raw);
  const method = findMember(members, 'method');
  const params = findMember(members, 'params') ?? '{}';
  if (!method?.startsWith('"') || !isObject(params)) return [];
  // Throws on duplicate keys: the client could read another question than Pincer.
  readMembers(params);
  return [{ key, method: plainString(method), params }];
}

export const writeInputRequired = (requests: readonly InputRequest[], state: string): ByteText =>
  writeMembers([], {
    resultType: MARK,
    inputRequests: writeMembers(
      requests.map(({ key, method, params }) => ({
        key,
        raw: `{"method":${quoted(method)},"params":${params}}`,
      })),
    ),
    requestState: jsonBytes(state),
  });

/** Reads `inputResponses` of a request. Returns undefined if a question was answered twice. */
export function readResponses(raw: ByteText | undefined): readonly Member[] | undefined {
  if (raw === undefined || !isObject(raw)) return [];
  try {
    return readMembers(raw);
  } catch (error) {
    if (error instanceof DuplicateKeyError) return undefined;
    throw error;
  }
}
