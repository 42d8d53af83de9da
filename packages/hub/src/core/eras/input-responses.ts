import type { ByteText } from '../wire/byte-text.ts';
import { DuplicateKeyError, isObject, readMembers, type Member } from '../wire/members.ts';

/** `inputResponses` of a request; undefined: which of two answers to one question is meant, nobody can tell. */
export function readResponses(raw: ByteText | undefined): readonly Member[] | undefined {
  if (raw === undefined || !isObject(raw)) return [];
  try {
    return readMembers(raw);
  } catch (error) {
    if (error instanceof DuplicateKeyError) return undefined;
    throw error;
  }
}
