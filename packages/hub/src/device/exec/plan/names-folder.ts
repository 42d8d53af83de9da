/**
 * Whether a command names a folder that is nobody's to work in: the state folder, where the admin token and the policy
 * itself are. By its path, through links, with `..`, as a shell would expand it, or in code on the command line.
 */
import { isAbsolute, join, sep } from 'node:path';
import { matchesGlob } from '../policy/glob.ts';
import { isNetworkPath } from './find-executable.ts';
import type { Machine } from './machine.ts';
import { fileNamesIn } from './named-files.ts';

export interface Named {
  readonly words: readonly string[];
  /** Values of variables. */
  readonly values: readonly string[];
  readonly cwd: string;
  /** Where programs of the command were found. */
  readonly programs: readonly string[];
  /** What `~` and `$HOME` mean. */
  readonly home: string | undefined;
}

/** Variables by which the folder is chosen. */
const VARIABLES = /\b(?:PINCER_HOME|OPENCLAW_STATE_DIR)\b/;
/** Most words are one name that nothing is made of. */
const PLAIN_NAME = /^[\w./][\w./-]*$/;
/** Names that are looked at in one command; more of them count as naming it. */
const MAX_NAMES = 8_192;
/** Folders that relative names are taken from, besides the working folder: `cd there; cat name`. */
const MAX_BASES = 16;

export function namesFolder(folder: string, named: Named, machine: Machine): boolean {
  const real = machine.realPath(folder) ?? folder;
  const isBlind = machine.platform === 'win32' || machine.platform === 'darwin';
  const plain = (path: string): string => (isBlind ? path.toLowerCase() : path);
  const [folderText, realText] = [plain(folder), plain(real)];
  const isInside = (path: string): boolean =>
    plain(path) === realText || plain(path).startsWith(realText + sep);
  const { words, values, cwd, programs, home } = named;
  if (isInside(cwd) || programs.some(isInside)) return true;
  const isWindows = machine.platform === 'win32';
  const texts = [...words, ...values].flatMap((text) => spellings(text, home, isWindows));
  if (
    texts.some(
      (text) => VARIABLES.test(text) || [folderText, realText].some((each) => plain(text).includes(each)),
    )
  )
    return true;
  const names = new Set(texts.flatMap((text) => (PLAIN_NAME.test(text) ? [text] : namesIn(text))));
  if (names.size > MAX_NAMES) return true;
  const isNamedBy = (path: string): boolean =>
    isInside(physical(path, machine)) || mayMatch(plain(path), realText);
  const others: string[] = [];
  const relative: string[] = [];
  for (const name of names) {
    if (isNetworkPath(name, machine.platform)) continue;
    const isWhole = isAbsolute(name);
    if (!isWhole) relative.push(name);
    const path = isWhole ? name : `${cwd}${sep}${name}`;
    const target = machine.realPath(path);
    // What is not there and has no folder in its name would be in the working folder.
    if (target === undefined ? (isWhole || /[/\\*?[{]/.test(name)) && isNamedBy(path) : isInside(target))
      return true;
    if (target !== undefined && others.length < MAX_BASES && machine.facts(target)?.kind === 'folder')
      others.push(target);
  }
  return others.some((base) => relative.some((name) => isNamedBy(`${base}${sep}${name}`)));
}

/** A text as it is, and as a shell or a URL would have it. */
function spellings(text: string, home: string | undefined, isWindows: boolean): string[] {
  if (PLAIN_NAME.test(text)) return [text];
  const bare = text.replaceAll(isWindows ? /["']/g : /["'\\]/g, '');
  const expanded =
    home === undefined
      ? bare
      : bare
          .replaceAll(/\$\{?HOME\}?/g, home)
          .replaceAll(/(^|[\s:=;|&<>(])~(?=\/|$)/g, (_, before: string) => before + home);
  return [...new Set([text, bare, expanded, decoded(expanded)])];
}

function decoded(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}

const namesIn = (text: string): string[] => [
  ...fileNamesIn(text),
  ...text.split(/[\s;&|<>()'"`$=,:@]+/).filter((piece) => piece !== '' && !piece.includes('\0')),
];

/** Where a path leads, as the system walks it: `link/..` is the folder above the link's target. */
function physical(path: string, machine: Machine): string {
  const rest: string[] = [];
  for (let head = path; head !== '';) {
    const real = machine.realPath(head);
    if (real !== undefined) return join(real, ...rest.toReversed());
    const cut = head.replace(/[/\\]+$/, '').search(/[/\\][^/\\]*$/);
    rest.push(head.slice(cut + 1));
    head = cut < 0 ? '' : head.slice(0, cut) || (head === sep ? '' : sep);
    if (rest.length > 256) break;
  }
  return path;
}

/** Whether a pattern, as shells have them, may stand for the folder or something in it. */
function mayMatch(path: string, folder: string): boolean {
  if (!/[*?[{]/.test(path)) return false;
  const pattern = path
    .replaceAll(/\[[^\]]*\]/g, '?')
    .replaceAll(/\{[^}]*\}?/g, '*')
    .split(/[/\\]+/);
  const parts = folder.split(/[/\\]+/);
  return pattern.length >= parts.length && parts.every((part, at) => matchesGlob(pattern[at]!, part));
}
