/** Parses the text after `/mcp`: splits it into words, and reads arguments and flags. */
import { closest, PincerError } from 'pincer/client';

/** A `switch` stands alone; a `value` takes the next word. */
type Flags = Readonly<Record<string, 'switch' | 'value'>>;

export interface Arguments {
  readonly named: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
}

export interface Syntax {
  readonly name: string;
  /** The text after the name: `<url> [--name <name>]`. */
  readonly usage: string;
  readonly flags: Flags;
  readonly least: number;
  readonly most: number;
}

export function readArguments(words: readonly string[], syntax: Syntax): Arguments {
  const named: string[] = [];
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('--') || word === '--') {
      named.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const flag = word.slice(2, equals === -1 ? undefined : equals);
    const kind = Object.hasOwn(syntax.flags, flag) ? syntax.flags[flag] : undefined;
    if (kind === undefined) throw unknownFlag(flag, syntax);
    if (kind === 'switch') {
      switches.add(flag);
      continue;
    }
    const value = equals === -1 ? words[++at] : word.slice(equals + 1);
    if (value === undefined || value === '') throw misused(`--${flag} needs a value.`, syntax);
    values.set(flag, value);
  }
  if (named.length < syntax.least) throw misused(`An argument is missing after ${syntax.name}.`, syntax);
  if (named.length > syntax.most) throw misused(`Unexpected word: "${named[syntax.most]}".`, syntax);
  return { named, values, switches };
}

export const usageLine = ({ name, usage }: Pick<Syntax, 'name' | 'usage'>): string =>
  `/mcp ${name} ${usage}`.trimEnd();

function unknownFlag(flag: string, syntax: Syntax): PincerError {
  const near = closest(flag, Object.keys(syntax.flags));
  const hint = near === undefined ? undefined : `Did you mean --${near}?`;
  return misused(`${syntax.name} has no option --${flag}.`, syntax, hint);
}

const misused = (message: string, syntax: Syntax, hint = `Type: ${usageLine(syntax)}`): PincerError =>
  new PincerError('USAGE', message, { hint });

/** Phones replace straight quotes with curly ones. */
const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '”': '”',
  '„': '“',
  '‘': '’',
  '’': '’',
};

/** Splits a text into words. Quotes keep words together. */
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

/** A quote opens only at the beginning of a word or a value; elsewhere it is an apostrophe. */
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
      throw new PincerError('USAGE', `The quote ${text[at]} is not closed.`, {
        hint: 'Close it, or remove it.',
      });
    word += text.slice(at + 1, end);
    at = end + 1;
  }
  return { word: withPlainDashes(word), end: at };
}

const isBlank = (char: string): boolean => /\s/.test(char);

/** Phones turn `--name` into `—name`. */
const withPlainDashes = (word: string): string => word.replace(/^[–—](?=\p{L})/u, '--');
