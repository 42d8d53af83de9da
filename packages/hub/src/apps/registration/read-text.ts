/** The body of a registration as JSON text, whatever it came as. */
import { asBytes, jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { DuplicateKeyError, isObject, readMembers, type Member, isModest } from '../../core/wire/members.ts';
import { inside, refuse, tooLarge } from './refuse.ts';

const BODY = 'body';

/** Text is taken as the bytes that came; anything else as a value that JSON can write. */
export function registrationText(body: unknown, maxBytes: number): ByteText {
  const text = typeof body === 'string' ? body : written(body);
  if (text.length > maxBytes) throw tooLarge(BODY, 'bytes', maxBytes);
  if (!isModest(text)) throw refuse(BODY, 'has too many values', 'Register fewer tools at once.');
  if (!isJson(text)) throw refuse(BODY, 'is not JSON in UTF-8', 'Send one JSON object.');
  return text;
}

/** Not everything can be written: circles, very large integers, getters that throw. */
function written(value: unknown): ByteText {
  try {
    return jsonBytes(value ?? null);
  } catch {
    throw refuse(BODY, 'cannot be written as JSON', 'Send one JSON object.');
  }
}

function isJson(text: ByteText): boolean {
  try {
    parseBytes(asBytes(text));
    return true;
  } catch {
    return false;
  }
}

/** The members of an object at this place; one that stands there twice would be one thing to us and another to others. */
export function membersOf(raw: ByteText, place: string): Member[] {
  if (!isObject(raw))
    throw refuse(place, 'must be a JSON object', 'Send names and values in braces: {"name":…}.');
  try {
    return readMembers(raw);
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error;
    throw refuse(inside(place === BODY ? '' : place, error.key), 'stands there twice', 'Say it once.');
  }
}
