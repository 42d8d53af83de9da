/**
 * A string whose char codes are bytes (latin1). JSON travels through Pincer in this form: unedited parts leave exactly
 * as they came, for one copy in and one copy out (ADR 0004).
 */
export type ByteText = string;

/** A non-ASCII char takes two bytes in UTF-8. Counting bytes is faster in Node than searching for such a char. */
const isAscii = (bytes: ByteText): boolean => Buffer.byteLength(bytes) === bytes.length;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const toByteText = (text: string): ByteText => Buffer.from(text, 'utf8').toString('latin1');

/** Decodes UTF-8; throws if the bytes are not valid UTF-8. */
export const fromByteText = (bytes: ByteText): string =>
  isAscii(bytes) ? bytes : strictUtf8.decode(Buffer.from(bytes, 'latin1'));

const PLAIN_STRING = /^[\u0020\u0021\u0023-\u005b\u005d-\u007e]*$/;

/** Writes a JSON string, with a shortcut for text that needs no escape. */
export const quoted = (text: string): ByteText =>
  PLAIN_STRING.test(text) ? `"${text}"` : toByteText(JSON.stringify(text));

const LINE_BREAKS = /[\r\n]+/g;

/** Replaces raw line breaks; in valid JSON they can only be space between tokens. */
export const oneLine = (json: ByteText): ByteText =>
  json.includes('\n') || json.includes('\r') ? json.replaceAll(LINE_BREAKS, ' ') : json;

const NO_BYTE = /[\u0100-\uffff]/;

/**
 * The last check before text leaves as bytes. Node would truncate a character beyond 0xff to one byte, so an attacker
 * could choose a character that becomes a line break or a quote. Throws if a conversion was forgotten.
 */
export function asBytes(text: ByteText): ByteText {
  if (NO_BYTE.test(text)) throw new TypeError('Text was not converted to bytes before it was sent.');
  return text;
}

/** Copies the text: a slice would keep the whole message in memory. */
export const detached = (raw: ByteText): ByteText => Buffer.from(raw, 'latin1').toString('latin1');

export const jsonBytes = (value: unknown): ByteText => toByteText(JSON.stringify(value));

export const parseBytes = (bytes: ByteText): unknown => JSON.parse(fromByteText(bytes));

export const isValidUtf8 = (bytes: ByteText): boolean => {
  if (isAscii(bytes)) return true;
  try {
    strictUtf8.decode(Buffer.from(bytes, 'latin1'));
    return true;
  } catch {
    return false;
  }
};
