/** A call as the deciding person sees it: all of it, because a hidden part would run unnoticed. */
import { spellString } from './spell-string.ts';
import { parseBytes, type ByteText } from '../wire/byte-text.ts';
import { skipString } from '../wire/members.ts';

const SPACE = /[ \t\r\n]+/g;
/** The longest spelling of one character: a JSON escape. */
const LONGEST_ESCAPE = 6;

/**
 * Returns the same JSON without space between its values: all members in their order, duplicate keys included, with
 * every digit, at any depth. Strings are spelled out. Returns undefined if it takes more than `maxBytes`.
 */
export function fullText(raw: ByteText, maxBytes: number): string | undefined {
  const pieces: string[] = [];
  let room = maxBytes;
  let at = 0;
  while (at < raw.length && room >= 0) {
    const quote = raw.indexOf('"', at);
    const end = quote === -1 ? raw.length : quote;
    room -= put(pieces, raw.slice(at, end).replaceAll(SPACE, ''));
    at = quote === -1 ? end : skipString(raw, quote);
    if (at - end > LONGEST_ESCAPE * (room + 2)) return undefined;
    if (at > end) room -= put(pieces, spellString(parseBytes(raw.slice(end, at)) as string));
  }
  return room < 0 ? undefined : pieces.join('');
}

function put(pieces: string[], piece: string): number {
  pieces.push(piece);
  return Buffer.byteLength(piece);
}
