/** Whether entries of an allowlist let a command through. */
import { win32 } from 'node:path';
import type { Chain, Link } from '../wrappers/chain.ts';
import { isExact, matchesArguments } from './arg-pattern.ts';
import { matchesPath } from './glob.ts';
import type { AllowlistEntry } from './policy-file.ts';

export interface Asked {
  readonly chain: Chain;
  readonly cwd: string;
  /** What an entry may be held to (bound-files.ts). */
  readonly filesHash: string | undefined;
  /** Variables are set for it, which no entry says anything about. */
  readonly setsVariables: boolean;
  /** What `~` means. */
  readonly home: string | undefined;
  readonly platform: NodeJS.Platform;
  /** Why no entry is for it: it is allowed once at a time. */
  readonly onlyOnce: string | undefined;
  /** It names the state folder. */
  readonly namesState: boolean;
}

const MAX_PATTERN_CHARS = 4_096;

export function isAllowed(entries: readonly AllowlistEntry[], asked: Asked): boolean {
  const { chain, setsVariables, onlyOnce } = asked;
  const [first] = chain.links;
  if (first === undefined || setsVariables || onlyOnce !== undefined || chain.isOpaque) return false;
  if (entries.some((entry) => isExactEntry(entry) && fits(entry, first, asked))) return true;
  return chain.links.every((link) => entries.some((entry) => fits(entry, link, asked)));
}

const isExactEntry = ({ argPattern }: AllowlistEntry): boolean =>
  argPattern !== undefined && isExact(argPattern);

function fits(entry: AllowlistEntry, link: Link, { cwd, filesHash, home, platform }: Asked): boolean {
  const { argPattern } = entry;
  // A program that others can change is bound to what it was, or the entry is for whatever stands in its place.
  if (entry.filesHash !== filesHash) return false;
  // An entry is for certain arguments, or for nothing: most programs do harm with some.
  if (argPattern === undefined) return false;
  const pattern = wholePattern(entry.pattern, home);
  if (pattern === undefined) return false;
  const { found, path } = link.executable;
  if (![found, path].some((each) => isAt(pattern, each, platform))) return false;
  return matchesArguments(argPattern, link.argv, cwd);
}

/** A pattern is of a whole path: a bare name would be whatever is found under it. */
function wholePattern(pattern: string, home: string | undefined): string | undefined {
  const trimmed = pattern.trim();
  if (trimmed.length > MAX_PATTERN_CHARS || !/[/\\]/.test(trimmed)) return undefined;
  if (!/^~[/\\]/.test(trimmed)) return trimmed;
  return home === undefined ? undefined : home + trimmed.slice(1);
}

function isAt(pattern: string, path: string, platform: NodeJS.Platform): boolean {
  if (platform !== 'win32') return matchesPath(pattern, path);
  const plain = (each: string): string => each.replaceAll(win32.sep, '/').toLowerCase();
  return matchesPath(plain(pattern), plain(path));
}
