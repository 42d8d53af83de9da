import type { ByteText } from './byte-text.ts';
import { findMember, isObject, readMembers } from './members.ts';

/** The value at the end of a chain of keys, as the bytes that came. Throws where an object on the way has a key twice. */
export function memberAt(root: ByteText, path: readonly string[]): ByteText | undefined {
  let raw: ByteText | undefined = root;
  for (const key of path) {
    if (raw === undefined || !isObject(raw)) return undefined;
    raw = findMember(readMembers(raw), key);
  }
  return raw;
}
