/**
 * One line into words, as a person reads it and without a shell: quotes are understood, nothing is expanded, and what a
 * shell would give a meaning is refused, so that nobody takes the line for something else than what runs.
 */
export type SplitCommand =
  | { readonly words: readonly string[] }
  /** What was refused: a character, or `quote` for one that never ends. */
  | { readonly refused: string };

const MEANS_SOMETHING = new Set('|&;<>$`()\n\r*?[]{}~#!');
const MEANS_SOMETHING_ON_WINDOWS = new Set('^%');
/** Inside of double quotes shells still expand these. */
const EXPANDED_IN_QUOTES = new Set('$`');

export function splitCommand(line: string, platform: NodeJS.Platform): SplitCommand {
  const isWindows = platform === 'win32';
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const take = (text: string): void => void (word = (word ?? '') + text);
  while (at < line.length) {
    const char = line[at]!;
    if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else if (char === '"' || (char === "'" && !isWindows)) {
      const quoted = readQuoted(line, at, char);
      if ('refused' in quoted) return quoted;
      take(quoted.text);
      at = quoted.end;
    } else if (char === '\\' && !isWindows) {
      const next = line[at + 1];
      if (next === undefined || next === '\n') return { refused: '\\' };
      take(next);
      at += 2;
    } else {
      const isMeta = MEANS_SOMETHING.has(char) || (isWindows && MEANS_SOMETHING_ON_WINDOWS.has(char));
      if (isMeta || char === '\0') return { refused: char };
      take(char);
      at += 1;
    }
  }
  if (word !== undefined) words.push(word);
  // A shell would set a variable; here it would be the name of a program.
  if (words[0] !== undefined && /^[A-Za-z_]\w*=/.test(words[0])) return { refused: '=' };
  return { words };
}

type Quoted = { readonly text: string; readonly end: number } | { readonly refused: string };

function readQuoted(line: string, start: number, quote: string): Quoted {
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line[at]!;
    if (char === quote) return { text, end: at + 1 };
    if (char === '\0') return { refused: char };
    if (quote === '"') {
      if (EXPANDED_IN_QUOTES.has(char)) return { refused: char };
      const next = line[at + 1];
      if (char === '\\' && (next === '"' || next === '\\')) {
        text += next;
        at += 1;
        continue;
      }
    }
    text += char;
  }
  return { refused: 'quote' };
}
