/** What somebody typed after `/mcp`, in words. Quotes keep words together. */
import { PincerError } from 'pincer/client';

/** Phones put curly quotes where straight ones are meant. */
const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '”': '”',
  '„': '“',
  '‘': '’',
  '’': '’',
};

export function splitWords(text: string): string[] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isBlank(text[at]!)) at++;
    if (at === text.length) return words;
    const { word, end } = readWord(text, at);
    words.push(word);
    at = end;
  }
}

/** A quote opens only where a word or a value begins: elsewhere it is an apostrophe. */
function readWord(text: string, start: number): { word: string; end: number } {
  let word = '';
  let at = start;
  while (at < text.length && !isBlank(text[at]!)) {
    const closing = at === start || text[at - 1] === '=' ? CLOSING[text[at]!] : undefined;
    if (closing === undefined) {
      word += text[at];
      at++;
      continue;
    }
    const end = text.indexOf(closing, at + 1);
    if (end === -1)
      throw new PincerError('USAGE', `The quote ${text[at]} is never closed.`, {
        hint: 'Close it, or leave it out.',
      });
    word += text.slice(at + 1, end);
    at = end + 1;
  }
  return { word: withPlainDashes(word), end: at };
}

const isBlank = (char: string): boolean => /\s/.test(char);

/** `—name` is what a phone makes of `--name`. */
const withPlainDashes = (word: string): string => word.replace(/^[–—](?=\p{L})/u, '--');
