/**
 * A string whose char codes are bytes (latin1): JSON travels through Pincer in this form, so that what is not
 * edited leaves as the bytes that came, at the price of one copy in and one copy out (ADR 0004).
 */
export type ByteText = string;

/** Each other byte would be two in UTF-8. Node counts them faster than it looks for one. */
const isAscii = (bytes: ByteText): boolean => Buffer.byteLength(bytes) === bytes.length;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const toByteText = (text: string): ByteText => Buffer.from(text, 'utf8').toString('latin1');

/** The characters that these bytes spell; throws where they are not UTF-8. */
export const fromByteText = (bytes: ByteText): string =>
  isAscii(bytes) ? bytes : strictUtf8.decode(Buffer.from(bytes, 'latin1'));

const PLAIN_STRING = /^[\u0020\u0021\u0023-\u005b\u005d-\u007e]*$/;

/** A JSON string; short cut for text that needs no escape. */
export const quoted = (text: string): ByteText =>
  PLAIN_STRING.test(text) ? `"${text}"` : toByteText(JSON.stringify(text));

const LINE_BREAKS = /[\r\n]+/g;

/** A raw line break in JSON can only be space between tokens. */
export const oneLine = (json: ByteText): ByteText =>
  json.includes('\n') || json.includes('\r') ? json.replaceAll(LINE_BREAKS, ' ') : json;

const NO_BYTE = /[\u0100-\uffff]/;

/**
 * The last check before text leaves as bytes. A character beyond 0xff would be cut down to another one, to a line
 * break or a quote if somebody chose it well; whoever forgot to convert it must not get that far.
 */
export function asBytes(text: ByteText): ByteText {
  if (NO_BYTE.test(text)) throw new TypeError('Text was to leave as bytes without having been converted.');
  return text;
}

/** A copy of its own: a slice would keep the whole message that it was cut from. */
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
