/** One text that an app has sent, read once: a frame, or what is wrong with it. */
import { findMember, isEscaped, isObject } from '../../core/wire/members.ts';
import { FrameFaultError, shown, type FrameFault } from './fault.ts';
import type { AppFrame } from './frame.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import {
  optionalError,
  optionalId,
  optionalNumber,
  optionalString,
  requiredArray,
  requiredCount,
  requiredFlag,
  requiredId,
  requiredNumber,
  requiredString,
  requiredWords,
  soundMembers,
  type Members,
  FRAME_FORM,
} from './read-members.ts';
import { toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import type { FrameLimits } from './chunks.ts';

export interface ReadOptions {
  /** The text came in chunks, and may be as large as that allows. */
  readonly isJoined?: boolean;
  readonly limits?: FrameLimits;
}

/** Never throws. Members that are not known here are passed over: a later app may have more to say. */
export function readFrame(
  text: string,
  { isJoined = false, limits = DEFAULT_LIMITS }: ReadOptions = {},
): AppFrame | FrameFault {
  let members: Members = [];
  try {
    const maxBytes = isJoined ? limits.maxJoinedBytes : limits.maxFrameBytes;
    members = soundMembers(soundObject(text, { ...FRAME_FORM, maxBytes }));
    const type = requiredString(members, 'type', Number.POSITIVE_INFINITY);
    const read = READERS.get(type);
    if (read === undefined)
      throw new FrameFaultError(
        'frame_type_unknown',
        `Frames of the type ${shown(type)} are not known here.`,
      );
    if (isJoined && type === 'chunk')
      throw new FrameFaultError('chunk_in_chunk', 'What comes in chunks is not a chunk itself.');
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

/** A map: of an object, `constructor` would be a type, too. */
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

/** Only then does the call end with it. */
const isAnswer = (members: Members): boolean => findMember(members, 'type') === '"invoke_result"';

/** So that a call whose answer cannot be read need not wait for its deadline. */
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
 * Whether a text can be read as a frame at all: in time that grows with its length and no faster. The bytes of a
 * JSON object. Throws a fault.
 */
function soundObject(text: string, limits: TextLimits): ByteText {
  const size = text.length > limits.maxBytes ? text.length : Buffer.byteLength(text);
  if (size > limits.maxBytes)
    throw new FrameFaultError('frame_too_large', `A frame has at most ${limits.maxBytes} bytes.`);
  if (!text.isWellFormed()) throw halfCharacter();
  const bytes = size === text.length ? text : toByteText(text);
  refuseComplex(bytes, limits);
  try {
    JSON.parse(bytes);
  } catch {
    throw new FrameFaultError('frame_not_json', 'The frame is not JSON.');
  }
  if (hasHalfEscaped(bytes)) throw halfCharacter();
  if (!isObject(bytes)) throw new FrameFaultError('frame_not_object', 'A frame is a JSON object.');
  return bytes;
}

const halfCharacter = (): FrameFaultError =>
  new FrameFaultError(
    'frame_not_unicode',
    'The frame has half of a surrogate pair in it. Text is cut between characters only.',
  );

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** The text need not be JSON. */
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
      throw new FrameFaultError('frame_too_complex', `Values are nested at most ${maxDepth} deep.`);
    if (values > maxValues)
      throw new FrameFaultError('frame_too_complex', `A frame has at most ${maxValues} values.`);
  }
}

/** The closing quote, or the end of a text that has none. */
function endOfString(text: ByteText, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** JSON lets halves of surrogate pairs be escaped; many readers do not take them, and no text has them. */
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

/** The code of the escape that begins here; -1 where none does. */
const unitAt = (json: ByteText, at: number): number =>
  json.charCodeAt(at) === BACKSLASH && json[at + 1] === 'u'
    ? Number.parseInt(json.slice(at + 2, at + 6), 16)
    : -1;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
