/** Base64 and UTF-8 lengths without Buffer, which browsers do not have. */

/** How many arguments String.fromCharCode gets at a time; more could overflow the stack. */
const SLICE = 0x2000;

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += SLICE)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + SLICE)));
  return btoa(parts.join(''));
}

/** Base64url of the text in UTF-8, valid in the name of a WebSocket subprotocol. */
export const toBase64Url = (text: string): string =>
  toBase64(new TextEncoder().encode(text)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** The most bytes of one UTF-16 unit; a surrogate pair takes four. */
const MAX_UNIT_BYTES = 3;

/** Whether the text has more than this many bytes in UTF-8. Encodes it only if its length does not decide. */
export const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes ||
  (text.length * MAX_UNIT_BYTES > bytes && new TextEncoder().encode(text).length > bytes);
