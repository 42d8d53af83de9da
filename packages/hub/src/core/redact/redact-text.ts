/** One JSON string for display: decoded, clipped, and without invisible characters. */
import { HIDDEN_OR_ALIKE } from '../trust/hidden-characters.ts';
import { fromByteText, type ByteText } from '../wire/byte-text.ts';

/** Characters read beyond the cut: a secret that begins before the cut is recognized by what follows. */
const LOOK_AHEAD = 1_024;

export interface Clipped {
  /** The decoded text or its beginning. */
  readonly text: string;
  /** A JSON string of at most `maxBytes`. */
  readonly shown: string;
}

/** `raw` has no quotes around it; `maxBytes` is at least 32. */
export function clip(raw: ByteText, maxBytes: number, hide: (text: string) => string): Clipped {
  const isLong = raw.length > maxBytes + LOOK_AHEAD;
  const text = decode(isLong ? wholeBeginning(raw.slice(0, maxBytes + LOOK_AHEAD)) : raw);
  const hidden = isLong ? withoutEnd(hide(text), text) : hide(text);
  const whole = quotedVisibly(hidden);
  if (!isLong && Buffer.byteLength(whole) <= maxBytes) return { text, shown: whole };
  const mark = `… ${raw.length} bytes in all`;
  let cut = hidden.slice(0, maxBytes);
  let shown = quotedVisibly(cut + mark);
  while (Buffer.byteLength(shown) > maxBytes && cut !== '') {
    cut = cut.slice(0, Math.floor(cut.length * 0.8));
    shown = quotedVisibly(cut + mark);
  }
  return { text, shown: cut === '' ? '"…"' : shown };
}

/**
 * Removes the part that was read only as look-ahead, unless it was hidden: half a secret would not be recognized.
 */
function withoutEnd(hidden: string, text: string): string {
  let same = 0;
  while (same < LOOK_AHEAD && same < hidden.length && hidden.at(-1 - same) === text.at(-1 - same)) same++;
  return hidden.slice(0, hidden.length - same);
}

const decode = (raw: ByteText): string =>
  raw.includes('\\') ? (JSON.parse(`"${fromByteText(raw)}"`) as string) : fromByteText(raw);

/** Up to the last complete character or escape. */
function wholeBeginning(raw: ByteText): ByteText {
  const whole = raw.replace(/[\u00c0-\u00ff]?[\u0080-\u00bf]{0,3}$/, '');
  const escape = /\\+(?:u[0-9A-Fa-f]{0,3})?$/.exec(whole);
  if (escape === null) return whole;
  const backslashes = escape[0].lastIndexOf('\\') + 1;
  return backslashes % 2 === 1 ? whole.slice(0, escape.index + backslashes - 1) : whole;
}

const PRINTABLE = /^[\u0020-\u007e]*$/;

/** A JSON string in which every character is visible. */
export const quotedVisibly = (text: string): string =>
  PRINTABLE.test(text)
    ? JSON.stringify(text)
    : JSON.stringify(text).replaceAll(HIDDEN_OR_ALIKE, (char) =>
        Array.from(
          { length: char.length },
          (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
        ).join(''),
      );
