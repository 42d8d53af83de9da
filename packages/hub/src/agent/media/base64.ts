/** Base64 by RFC 4648 §4: the standard alphabet, padded. */

/** A multiple of four characters, so that each piece can be decoded alone. */
const PIECE = 64 * 1024;
const URL_SAFE = /[-_]/;

/** The decoded size, computed from the length. Returns undefined if the padding is wrong. */
export function decodedSize(data: string): number | undefined {
  if (data.length % 4 !== 0) return undefined;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

/** The length of the encoded text. */
export const encodedLength = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** How many bytes fit into this many characters. */
export const roomIn = (characters: number): number => Math.floor(characters / 4) * 3;

/**
 * Node skips invalid characters, so the decoded size is compared. Node also accepts the URL alphabet, and misreads
 * characters beyond ASCII. Decodes piece by piece, without a buffer as large as the data.
 */
export function isBase64(data: string): boolean {
  if (Buffer.byteLength(data) !== data.length) return false;
  const scratch = Buffer.allocUnsafe((Math.min(PIECE, data.length) / 4) * 3);
  let size = 0;
  for (let at = 0; at < data.length; at += PIECE) size += scratch.write(data.slice(at, at + PIECE), 'base64');
  return size === decodedSize(data) && !data.includes('-') && !data.includes('_');
}

export const firstBytes = (data: string, count: number): Buffer =>
  Buffer.from(data.slice(0, Math.ceil(count / 3) * 4), 'base64').subarray(0, count);

/** Explains why the text is not base64. */
export function notBase64(data: string): { readonly why: string; readonly hint: string } {
  if (/^data:/i.test(data))
    return {
      why: 'is a data: URL',
      hint: 'Send only the part after the comma, and put the type into mimeType.',
    };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(data))
    return { why: 'is a URL', hint: 'URLs are not fetched. Send the bytes in base64.' };
  const at = data.search(/[^A-Za-z0-9+/]/);
  const wrong = at === -1 ? undefined : data[at]!;
  if (wrong === undefined || (wrong === '=' && /^=+$/.test(data.slice(at))))
    return {
      why: 'is base64 of the wrong length',
      hint: 'Send the complete text, padded with = to a multiple of four.',
    };
  if (/\s/.test(wrong))
    return {
      why: 'has white space in its base64',
      hint: 'Send it as one line, without spaces or line breaks.',
    };
  if (URL_SAFE.test(wrong))
    return {
      why: 'is in the base64 alphabet for URLs',
      hint: 'Use the standard alphabet, with + and / instead of - and _.',
    };
  return {
    why: `is not base64: character ${at + 1} is ${JSON.stringify(wrong)}`,
    hint: 'Send the bytes in base64.',
  };
}
