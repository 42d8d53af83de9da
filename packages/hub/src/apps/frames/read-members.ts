/** Members of a frame, each of the type that it has to be. What is wrong is thrown as a fault that names it. */
import type { ByteText } from '../../core/wire/byte-text.ts';
import {
  DuplicateKeyError,
  findMember,
  isObject,
  readElements,
  readMembers,
  type Member,
} from '../../core/wire/members.ts';
import { plainString } from '../../core/wire/message.ts';
import { FrameFaultError, shown } from './fault.ts';

/** What belongs to the form of a frame, and is no setting. */
export const FRAME_FORM = {
  /** Chunks of one frame, and frames in chunks that one app has begun. */
  maxChunks: 4_096,
  maxOpenChunked: 8,
  /** How deep values may be nested in a frame: readers in other languages stop at 1,000 and less. */
  maxDepth: 256,
  /** Members and elements of one frame, at whatever depth: a million of them take a second to read. */
  maxValues: 200_000,
  /** Characters of an id: of a session, a request, a series of chunks. */
  maxIdChars: 128,
  /** Features that a hello names, and characters of each. */
  maxFeatures: 64,
  maxFeatureChars: 64,
  /** Characters of the message that comes with progress. */
  maxProgressChars: 4_096,
} as const;

export type Members = readonly Member[];

/** No name twice, and none that changes an object in JavaScript when it is written into one. */
export function soundMembers(object: ByteText): Members {
  let members: Members;
  try {
    members = readMembers(object);
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error;
    throw new FrameFaultError('frame_duplicate_key', `The key ${shown(error.key)} occurs twice.`);
  }
  if (findMember(members, '__proto__') !== undefined)
    throw new FrameFaultError('frame_forbidden_key', 'A member of a frame is not called "__proto__".');
  return members;
}

/** Many languages write null for what is not there. */
const given = (members: Members, key: string): ByteText | undefined => {
  const raw = findMember(members, key);
  return raw === 'null' ? undefined : raw;
};

const missing = (key: string): FrameFaultError =>
  new FrameFaultError('frame_member_missing', `The frame needs the member "${key}".`);

const invalid = (key: string, what: string): FrameFaultError =>
  new FrameFaultError('frame_member_invalid', `"${key}" is ${what}.`);

export function optionalString(members: Members, key: string, maxChars: number): string | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  if (!raw.startsWith('"')) throw invalid(key, 'a string');
  const value = plainString(raw);
  if (value.length > maxChars) throw invalid(key, `a string of at most ${maxChars} characters`);
  return value;
}

export function requiredString(members: Members, key: string, maxChars: number): string {
  const value = optionalString(members, key, maxChars);
  if (value === undefined) throw missing(key);
  return value;
}

export function optionalId(members: Members, key: string): string | undefined {
  const id = optionalString(members, key, FRAME_FORM.maxIdChars);
  if (id === '') throw invalid(key, 'not empty');
  return id;
}

export function requiredId(members: Members, key: string): string {
  const id = optionalId(members, key);
  if (id === undefined) throw missing(key);
  return id;
}

export function requiredFlag(members: Members, key: string): boolean {
  const raw = given(members, key);
  if (raw === undefined) throw missing(key);
  if (raw !== 'true' && raw !== 'false') throw invalid(key, 'true or false');
  return raw === 'true';
}

const NUMBER = /^[-\d]/;

export function optionalNumber(members: Members, key: string): number | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  if (!NUMBER.test(raw)) throw invalid(key, 'a number');
  const value = Number(raw);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new FrameFaultError(
      'frame_number_out_of_range',
      `"${key}" is a number between -(2^53 - 1) and 2^53 - 1.`,
    );
  return value;
}

export function requiredNumber(members: Members, key: string): number {
  const value = optionalNumber(members, key);
  if (value === undefined) throw missing(key);
  return value;
}

export function requiredCount(members: Members, key: string, from: number): number {
  const value = requiredNumber(members, key);
  if (!Number.isInteger(value) || value < from) throw invalid(key, `a whole number from ${from} on`);
  return value;
}

export function requiredArray(members: Members, key: string): ByteText {
  const raw = given(members, key);
  if (raw === undefined) throw missing(key);
  if (!raw.startsWith('[')) throw invalid(key, 'an array');
  return raw;
}

export function requiredWords(members: Members, key: string, maxWords: number, maxChars: number): string[] {
  const words = readElements(requiredArray(members, key));
  if (words.length > maxWords) throw invalid(key, `an array of at most ${maxWords} strings`);
  return words.map((raw) => {
    const word = raw.startsWith('"') ? plainString(raw) : '';
    if (word === '' || word.length > maxChars)
      throw invalid(key, `an array of strings of 1 to ${maxChars} characters`);
    return word;
  });
}

/** A string, or an object that has one under `message`. */
export function optionalError(members: Members, key: string): string | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  const said = isObject(raw) ? given(soundMembers(raw), 'message') : raw;
  if (said?.startsWith('"') !== true) throw invalid(key, 'a string, or an object with a "message"');
  return plainString(said);
}
