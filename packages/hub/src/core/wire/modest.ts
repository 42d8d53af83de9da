/** Whether JSON is cheap enough to be read at all. */
import type { ByteText } from './byte-text.ts';
import { isEscaped } from './members.ts';

/** Below this size nothing can be expensive. */
const SMALL_BYTES = 1024 * 1024;
/** A megabyte of text costs a millisecond to read, a million values cost a second: these are what is limited. */
export const MAX_VALUES = 1_000_000;
export const MAX_DEPTH = 1_000;

/** False for a large text made of very many or very deep values. The text need not be JSON. */
export function isModest(text: ByteText): boolean {
  if (text.length <= SMALL_BYTES) return true;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH || ++values > MAX_VALUES) return false;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++values > MAX_VALUES) return false;
  }
  return true;
}

/** The closing quote, or the end of a text that has none. */
function endOfString(text: ByteText, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}
