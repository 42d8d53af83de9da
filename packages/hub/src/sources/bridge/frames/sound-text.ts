/** Whether a text can be read as a frame at all: in time that grows with its length and no faster. */
import { toByteText, type ByteText } from '../../../core/wire/byte-text.ts';
import { isEscaped, isObject } from '../../../core/wire/members.ts';
import { FrameFaultError } from './fault.ts';

export interface TextLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** The bytes of a JSON object. Throws a fault. */
export function soundObject(text: string, limits: TextLimits): ByteText {
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
