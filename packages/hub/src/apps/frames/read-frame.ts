/** Reads one text message of an app as a frame, or returns its fault. */
import {
  DuplicateKeyError,
  findMember,
  isEscaped,
  isObject,
  readElements,
  readMembers,
  type Member,
} from '../../core/wire/members.ts';
import {
  FRAME_FORM,
  FrameFaultError,
  shown,
  type AppFrame,
  type FrameFault,
  type FrameLimits,
} from './frame.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { plainString } from '../../core/wire/message.ts';

export interface ReadOptions {
  /** Whether the text was joined from chunks, so that the larger limit applies. */
  readonly isJoined?: boolean;
  readonly limits?: FrameLimits;
}

/** Never throws. Ignores unknown members, because later apps may send more. */
export function readFrame(
  text: string,
  { isJoined = false, limits = DEFAULT_LIMITS }: ReadOptions = {},
): AppFrame | FrameFault {
  let members: Members = [];
  try {
    const maxBytes = isJoined ? limits.maxJoinedBytes : limits.maxFrameBytes;
    members = checkedMembers(checkedObject(text, { ...FRAME_FORM, maxBytes }));
    const type = requiredString(members, 'type', Number.POSITIVE_INFINITY);
    const read = READERS.get(type);
    if (read === undefined)
      throw new FrameFaultError('frame_type_unknown', `Unknown frame type: ${shown(type)}.`);
    if (isJoined && type === 'chunk')
      throw new FrameFaultError('chunk_in_chunk', 'A joined frame must not be a chunk itself.');
    return read(members);
  } catch (error) {
    if (!(error instanceof FrameFaultError)) throw error;
    const requestId = legibleRequestId(members);
    return {
      code: error.code,
      message: error.message,
      ...(requestId !== undefined && { requestId, isAnswer: isAnswer(members) }),
    };
  }
}

const session = (members: Members): string | undefined => optionalId(members, 'mcpSessionId');

/** A map, because an object would have `constructor` as a type. */
const READERS: ReadonlyMap<string, (members: Members) => AppFrame> = new Map([
  [
    'invoke_result',
    (members: Members): AppFrame => ({
      type: 'invoke_result',
      mcpSessionId: requiredId(members, 'mcpSessionId'),
      requestId: requiredId(members, 'request_id'),
      ok: requiredFlag(members, 'ok'),
      content: findMember(members, 'content'),
      error: optionalError(members, 'error'),
    }),
  ],
  ['pong', (members: Members): AppFrame => ({ type: 'pong', mcpSessionId: session(members) })],
  [
    'hello',
    (members: Members): AppFrame => ({
      type: 'hello',
      mcpSessionId: session(members),
      version: requiredCount(members, 'version', 1),
      features: requiredWords(members, 'features', FRAME_FORM.maxFeatures, FRAME_FORM.maxFeatureChars),
    }),
  ],
  [
    'progress',
    (members: Members): AppFrame => ({
      type: 'progress',
      mcpSessionId: session(members),
      requestId: requiredId(members, 'request_id'),
      progress: requiredNumber(members, 'progress'),
      total: optionalNumber(members, 'total'),
      message: optionalString(members, 'message', FRAME_FORM.maxProgressChars),
    }),
  ],
  [
    'tools_changed',
    (members: Members): AppFrame => ({
      type: 'tools_changed',
      mcpSessionId: session(members),
      tools: requiredArray(members, 'tools'),
    }),
  ],
  [
    'chunk',
    (members: Members): AppFrame => ({
      type: 'chunk',
      mcpSessionId: session(members),
      id: requiredId(members, 'id'),
      index: requiredCount(members, 'index', 0),
      isLast: requiredFlag(members, 'isLast'),
      data: requiredString(members, 'data', Number.POSITIVE_INFINITY),
    }),
  ],
]);

/** Only a fault in an answer ends the call. */
const isAnswer = (members: Members): boolean => findMember(members, 'type') === '"invoke_result"';

/** Lets a call whose answer cannot be read end before its deadline. */
function legibleRequestId(members: Members): string | undefined {
  try {
    return optionalId(members, 'request_id');
  } catch {
    return undefined;
  }
}

interface TextLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxValues: number;
}

/**
 * Checks that a text is a JSON object within the limits, in linear time. Returns its bytes. Throws a fault.
 */
function checkedObject(text: string, limits: TextLimits): ByteText {
  const size = text.length > limits.maxBytes ? text.length : Buffer.byteLength(text);
  if (size > limits.maxBytes)
    throw new FrameFaultError('frame_too_large', `A frame may have at most ${limits.maxBytes} bytes.`);
  if (!text.isWellFormed()) throw halfCharacter();
  const bytes = size === text.length ? text : toByteText(text);
  refuseComplex(bytes, limits);
  try {
    JSON.parse(bytes);
  } catch {
    throw new FrameFaultError('frame_not_json', 'The frame is not JSON.');
  }
  if (hasHalfEscaped(bytes)) throw halfCharacter();
  if (!isObject(bytes)) throw new FrameFaultError('frame_not_object', 'A frame must be a JSON object.');
  return bytes;
}

const halfCharacter = (): FrameFaultError =>
  new FrameFaultError(
    'frame_not_unicode',
    'The frame contains half of a surrogate pair. Cut text only between characters.',
  );

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Counts without parsing, so the text need not be JSON. */
function refuseComplex(text: ByteText, { maxDepth, maxValues }: TextLimits): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // In ASCII, `[` and `{` differ in one bit, and so do their closing halves.
    else if ((code | 0x20) === 0x7b) {
      depth++;
      values++;
    } else if ((code | 0x20) === 0x7d) depth--;
    else if (code === COMMA) values++;
    else continue;
    if (depth > maxDepth)
      throw new FrameFaultError('frame_too_complex', `Values may be nested at most ${maxDepth} levels deep.`);
    if (values > maxValues)
      throw new FrameFaultError('frame_too_complex', `A frame may have at most ${maxValues} values.`);
  }
}

/** Returns the index of the closing quote, or the end of the text if there is none. */
function endOfString(text: ByteText, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** JSON allows escaped halves of surrogate pairs, but many parsers reject them. */
function hasHalfEscaped(json: ByteText): boolean {
  for (let at = json.indexOf('\\u'); at !== -1; at = json.indexOf('\\u', at + 2)) {
    if (isEscaped(json, at)) continue;
    const unit = unitAt(json, at);
    if (isLow(unit)) return true;
    if (!isHigh(unit)) continue;
    at += 6;
    if (!isLow(unitAt(json, at))) return true;
  }
  return false;
}

/** Returns the code unit of the escape at this index, or -1 if there is no escape. */
const unitAt = (json: ByteText, at: number): number =>
  json.charCodeAt(at) === BACKSLASH && json[at + 1] === 'u'
    ? Number.parseInt(json.slice(at + 2, at + 6), 16)
    : -1;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

type Members = readonly Member[];

/** Rejects duplicate names and `__proto__`, which would change a JavaScript object. */
function checkedMembers(object: ByteText): Members {
  let members: Members;
  try {
    members = readMembers(object);
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error;
    throw new FrameFaultError('frame_duplicate_key', `The key ${shown(error.key)} occurs twice.`);
  }
  if (findMember(members, '__proto__') !== undefined)
    throw new FrameFaultError('frame_forbidden_key', 'A frame must not have a member "__proto__".');
  return members;
}

/** Treats null as missing, because many languages write null for missing values. */
const given = (members: Members, key: string): ByteText | undefined => {
  const raw = findMember(members, key);
  return raw === 'null' ? undefined : raw;
};

const missing = (key: string): FrameFaultError =>
  new FrameFaultError('frame_member_missing', `The frame lacks the member "${key}".`);

const invalid = (key: string, what: string): FrameFaultError =>
  new FrameFaultError('frame_member_invalid', `"${key}" must be ${what}.`);

function optionalString(members: Members, key: string, maxChars: number): string | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  if (!raw.startsWith('"')) throw invalid(key, 'a string');
  const value = plainString(raw);
  if (value.length > maxChars) throw invalid(key, `a string of at most ${maxChars} characters`);
  return value;
}

function requiredString(members: Members, key: string, maxChars: number): string {
  const value = optionalString(members, key, maxChars);
  if (value === undefined) throw missing(key);
  return value;
}

function optionalId(members: Members, key: string): string | undefined {
  const id = optionalString(members, key, FRAME_FORM.maxIdChars);
  if (id === '') throw invalid(key, 'a non-empty string');
  return id;
}

function requiredId(members: Members, key: string): string {
  const id = optionalId(members, key);
  if (id === undefined) throw missing(key);
  return id;
}

function requiredFlag(members: Members, key: string): boolean {
  const raw = given(members, key);
  if (raw === undefined) throw missing(key);
  if (raw !== 'true' && raw !== 'false') throw invalid(key, 'true or false');
  return raw === 'true';
}

const NUMBER = /^[-\d]/;

function optionalNumber(members: Members, key: string): number | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  if (!NUMBER.test(raw)) throw invalid(key, 'a number');
  const value = Number(raw);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new FrameFaultError(
      'frame_number_out_of_range',
      `"${key}" must be a number between -(2^53 - 1) and 2^53 - 1.`,
    );
  return value;
}

function requiredNumber(members: Members, key: string): number {
  const value = optionalNumber(members, key);
  if (value === undefined) throw missing(key);
  return value;
}

function requiredCount(members: Members, key: string, from: number): number {
  const value = requiredNumber(members, key);
  if (!Number.isInteger(value) || value < from) throw invalid(key, `a whole number, at least ${from}`);
  return value;
}

function requiredArray(members: Members, key: string): ByteText {
  const raw = given(members, key);
  if (raw === undefined) throw missing(key);
  if (!raw.startsWith('[')) throw invalid(key, 'an array');
  return raw;
}

function requiredWords(members: Members, key: string, maxWords: number, maxChars: number): string[] {
  const words = readElements(requiredArray(members, key));
  if (words.length > maxWords) throw invalid(key, `an array of at most ${maxWords} strings`);
  return words.map((raw) => {
    const word = raw.startsWith('"') ? plainString(raw) : '';
    if (word === '' || word.length > maxChars)
      throw invalid(key, `an array of strings of 1 to ${maxChars} characters`);
    return word;
  });
}

/** A string, or an object with a string `message`. */
function optionalError(members: Members, key: string): string | undefined {
  const raw = given(members, key);
  if (raw === undefined) return undefined;
  const message = isObject(raw) ? given(checkedMembers(raw), 'message') : raw;
  if (message?.startsWith('"') !== true) throw invalid(key, 'a string, or an object with a "message"');
  return plainString(message);
}
