import { detached, parseBytes, type ByteText } from '../wire/byte-text.ts';
import { findMember, isObject, readElements, readMembers } from '../wire/members.ts';

export interface ListPage<T> {
  readonly entries: readonly T[];
  readonly nextCursor: string | undefined;
}

/** One page of a server's list. One entry that clients would choke on is left out, not the list. */
export function parseListPage<T>(
  result: ByteText,
  member: string,
  parse: (raw: ByteText) => T | undefined,
): ListPage<T> {
  const members = isObject(result) ? readMembers(result) : [];
  const list = findMember(members, member);
  const cursor = findMember(members, 'nextCursor');
  const elements = list?.startsWith('[') ? readElements(list) : [];
  return {
    entries: elements.flatMap((raw) => parse(detached(raw)) ?? []),
    nextCursor: cursor?.startsWith('"') ? (parseBytes(cursor) as string) : undefined,
  };
}
