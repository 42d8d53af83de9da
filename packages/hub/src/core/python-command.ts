/** How a command line starts Python. With `-m`, `-c` or a script on stdin, Python searches the current folder for modules first. Pure. */
import { programName, unwrapped } from './launchers.ts';

const NAMES = /^(?:py|pyw|pythonw?[\d.]*|pypy[\d.]*)$/;
/** Flags without a value may precede it in the same word. */
const MODULE = /^-[bBdEhiIOPqsSuvVx]*m(.*)$/s;
const CODE = /^-[bBdEhiIOPqsSuvVx]*c/;
const VALUE_OPTIONS: ReadonlySet<string> = new Set(['-W', '-X', '--check-hash-based-pycs']);

type Start = { readonly kind: 'script' } | { readonly kind: 'folder'; readonly module: string | undefined };

/** Returns undefined if it is not Python. */
function startOf(words: readonly string[]): Start | undefined {
  const [command = '', ...args] = unwrapped(words);
  if (!NAMES.test(programName(command))) return undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const [, glued] = MODULE.exec(word) ?? [];
    if (glued !== undefined) return { kind: 'folder', module: glued || args[at + 1] };
    if (CODE.test(word)) return { kind: 'folder', module: undefined };
    if (VALUE_OPTIONS.has(word)) at += 1;
    else if (!word.startsWith('-')) return { kind: 'script' };
  }
  return { kind: 'folder', module: undefined };
}

export const looksInFolder = (words: readonly string[]): boolean => startOf(words)?.kind === 'folder';

/** The module of `-m`. */
export function moduleOf(words: readonly string[]): string | undefined {
  const start = startOf(words);
  return start?.kind === 'folder' ? start.module : undefined;
}
