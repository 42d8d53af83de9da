/**
 * Makes a server's text safe for a terminal. Hidden characters could move the cursor, forge or reorder a line, or carry
 * text that people do not see.
 */
import {
  HIDDEN_IN_BLOCK,
  HIDDEN_IN_LINE,
  HIDDEN_OR_ALIKE,
  replaceHidden,
} from './trust/hidden-characters.ts';

/** For one line of output. */
export const visible = (text: string): string => replaceHidden(text, HIDDEN_IN_LINE, escaped);

/** For text of several lines. */
export const visibleBlock = (text: string): string =>
  replaceHidden(text.replaceAll('\r\n', '\n'), HIDDEN_IN_BLOCK, escaped);

/** For a person who looks for hidden text: also escapes joiners a script needs, and spaces at the end of a line. */
export const spelledOut = (text: string): string =>
  withoutDisguise(text.replaceAll('\\', '\\\\')).replaceAll(TRAILING_SPACES, (spaces) =>
    escaped(' ').repeat(spaces.length),
  );

/** The same for JSON, whose backslashes are already doubled. */
export const withoutDisguise = (text: string): string => text.replaceAll(HIDDEN_OR_ALIKE, escaped);

/** Matches each run once: a text of only spaces would otherwise take quadratic time. */
const TRAILING_SPACES = /(?<! ) +$/gm;

function escaped(char: string): string {
  const code = char.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
