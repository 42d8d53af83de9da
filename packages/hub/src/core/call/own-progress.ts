import type { ByteText } from '../wire/byte-text.ts';
import { findMember, readMembers, writeMembers, type Member } from '../wire/members.ts';

/** Progress of what another request began, under the token of this one; undefined: this one asks for none. */
export function underOwnToken(params: ByteText, meta: readonly Member[]): ByteText | undefined {
  const progressToken = findMember(meta, 'progressToken');
  return progressToken === undefined ? undefined : writeMembers(readMembers(params), { progressToken });
}
