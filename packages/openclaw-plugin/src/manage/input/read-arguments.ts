/** The words after a subcommand: what is named, and what is set by a flag. */
import { closest, PincerError } from 'pincer/client';

/** A flag stands alone, or the word after it is its value. */
export type Flags = Readonly<Record<string, 'switch' | 'value'>>;

export interface Arguments {
  readonly named: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
}

export interface Syntax {
  readonly name: string;
  /** As it stands behind the name: `<url> [--name <name>]`. */
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
  if (named.length < syntax.least) throw misused(`Something is missing after ${syntax.name}.`, syntax);
  if (named.length > syntax.most) throw misused(`"${named[syntax.most]}" is one word too many.`, syntax);
  return { named, values, switches };
}

export const usageLine = ({ name, usage }: Pick<Syntax, 'name' | 'usage'>): string =>
  `/mcp ${name} ${usage}`.trimEnd();

function unknownFlag(flag: string, syntax: Syntax): PincerError {
  const near = closest(flag, Object.keys(syntax.flags));
  const hint = near === undefined ? undefined : `Did you mean --${near}?`;
  return misused(`${syntax.name} has no --${flag}.`, syntax, hint);
}

const misused = (message: string, syntax: Syntax, hint = `Type: ${usageLine(syntax)}`): PincerError =>
  new PincerError('USAGE', message, { hint });
