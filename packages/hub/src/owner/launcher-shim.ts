/** Reads the batch files that npm, pnpm and yarn put in front of a script on Windows. Pure. */
import { win32 } from 'node:path';

/** What such a file would start. */
export interface Shim {
  /** `node`, wherever that is, or the path of a program. */
  readonly program: string;
  /** What comes before the caller's own arguments. */
  readonly args: readonly string[];
}

/** Variables that it may set and that make no difference here: where the shell finds programs, not which one it is. */
const HARMLESS = new Set(['DP0', '_PROG', 'PATHEXT', 'PATH', 'NODE_PATH']);

/** Undefined: the file does anything else, and only a shell could tell what. */
export function readShim(text: string, folder: string): Shim | undefined {
  const settings = [...text.matchAll(/^\W*SET\s+"?([^=\s"]+)=([^"\r\n]*)/gim)];
  if (settings.some(([, name = '']) => !HARMLESS.has(name.toUpperCase()))) return undefined;
  const own = settings.filter(([, name]) => name === '_prog').at(-1)?.[2];
  const line = text.split(/\r?\n/).findLast((each) => /%\*\s*$/.test(each));
  const words = wordsOf(line ?? '');
  const [program, ...args] = words
    .slice(words.lastIndexOf('&') + 1, -1)
    .map((word) => expand(word, folder, own ?? ''));
  if (program === undefined || [program, ...args].some((word) => /[%!^&|<>]/.test(word))) return undefined;
  if (/(?:^|[\\/])node(?:\.exe)?$/i.test(program) && !win32.isAbsolute(program))
    return { program: 'node', args };
  return /\.exe$/i.test(program) && win32.isAbsolute(program) ? { program, args } : undefined;
}

/** Quoted or not; `&` between two commands is a word of its own. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/^\s*@/, '').matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, quoted, bare]) => quoted ?? bare!);

const expand = (word: string, folder: string, program: string): string => {
  const full = word.replace(/^%_prog%$/, program).replace(/^(?:%~dp0|%dp0%)\\?/i, `${folder}\\`);
  return full === word ? word : /[\\/]/.test(full) ? win32.normalize(full) : full;
};
