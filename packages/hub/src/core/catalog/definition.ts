/** What a server lists: kept as the bytes that came, and only renamed. */
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';
import { isObject, readMembers, writeMembers } from '../wire/members.ts';

export interface Definition {
  readonly name: string;
  /** The whole definition as the bytes that came. */
  readonly raw: ByteText;
}

/** The values of a definition; undefined where it is none. */
export const readDefinition = (raw: ByteText): Readonly<Record<string, unknown>> | undefined =>
  isObject(raw) && !hasTwins(raw) ? (parseBytes(raw) as Readonly<Record<string, unknown>>) : undefined;

/** A definition with two names would be one thing to Pincer and another to the client. */
function hasTwins(raw: ByteText): boolean {
  try {
    readMembers(raw);
    return false;
  } catch {
    return true;
  }
}

/** The definition under another name; every other byte as it came. */
export const renameDefinition = (definition: Definition, name: string): ByteText =>
  name === definition.name
    ? definition.raw
    : writeMembers(readMembers(definition.raw), { name: jsonBytes(name) });
