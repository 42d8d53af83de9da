/** Base64 and lengths in UTF-8, without Buffer: browsers have none. */

/** Arguments of one call of String.fromCharCode: more would not fit on some stacks. */
const SLICE = 0x2000;

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += SLICE)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + SLICE)));
  return btoa(parts.join(''));
}

/** Of a text in UTF-8, with the letters that may stand in the name of a WebSocket's subprotocol. */
export const toBase64Url = (text: string): string =>
  toBase64(new TextEncoder().encode(text)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Of one unit of a text; a character that has two of them takes four. */
const MAX_UNIT_BYTES = 3;

/** Of most texts their length says enough. */
export const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes ||
  (text.length * MAX_UNIT_BYTES > bytes && new TextEncoder().encode(text).length > bytes);
