import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, type Member } from '../../core/wire/members.ts';
import { refuse, tooLarge } from './refuse.ts';

/** A member that says something: many languages write `null` for what is left out. */
export function given(members: readonly Member[], key: string): ByteText | undefined {
  const raw = findMember(members, key);
  return raw === 'null' ? undefined : raw;
}

// oxlint-disable-next-line max-params -- members, which of them, where it stands, and how long it may be
export function readString(
  members: readonly Member[],
  key: string,
  place: string,
  maxChars: number,
): string | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  const value = parseBytes(raw);
  if (typeof value !== 'string') throw refuse(place, 'must be a string', 'Send a string, or leave it out.');
  if (value.length > maxChars) throw tooLarge(place, 'characters', maxChars);
  return value;
}
