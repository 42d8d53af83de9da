/**
 * A server's words for a terminal: with what is hidden in them they could move the cursor, forge a line or reorder it,
 * or say what nobody reads.
 */
import {
  HIDDEN_IN_BLOCK,
  HIDDEN_IN_LINE,
  HIDDEN_OR_ALIKE,
  replaceHidden,
} from './trust/hidden-characters.ts';

/** For one line of our own output. */
export const visible = (text: string): string => replaceHidden(text, HIDDEN_IN_LINE, escaped);

/** For a text of several lines. */
export const visibleBlock = (text: string): string =>
  replaceHidden(text.replaceAll('\r\n', '\n'), HIDDEN_IN_BLOCK, escaped);

/** For a text that is looked at for what it hides: what belongs there is shown too, and so are spaces at the end of a line. */
export const spelledOut = (text: string): string =>
  withoutDisguise(text.replaceAll('\\', '\\\\')).replaceAll(TRAILING_SPACES, (spaces) =>
    escaped(' ').repeat(spaces.length),
  );

/** The same for JSON, whose backslashes are doubled already. */
export const withoutDisguise = (text: string): string => text.replaceAll(HIDDEN_OR_ALIKE, escaped);

/** Each run is tried once: a text of nothing but spaces would otherwise cost its square. */
const TRAILING_SPACES = /(?<! ) +$/gm;

function escaped(char: string): string {
  const code = char.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
