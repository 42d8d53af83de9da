/** Whether the entries of an allowlist allow a command: path, arguments, and the files that an entry is bound to. */
import { win32 } from 'node:path';
import { runInThisContext } from 'node:vm';
import { sha256 } from '../../lib/sha256.ts';
import { type Chain, type Link, startsOthers } from './chain.ts';
import { matchesPath } from './glob.ts';
import { hasInlineCode, runsCode } from './inline-code.ts';
import { isAdminOnly, programName } from './machine.ts';
import type { Operand } from './operands.ts';
import type { ExecPlan } from './plan.ts';
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

/** Longer patterns match nothing. */
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

const EXACT = 'sha256:argv:';
const EXACT_IN_FOLDER = 'sha256:cwd-argv:v1:';

const MAX_SUBJECT_CHARS = 64 * 1024;
/** A pattern that takes longer matches nothing. */
const MAX_MATCH_MS = 250;

const counted = (text: string): string => `${Buffer.byteLength(text)}\0${text}\0`;
const countedArguments = (args: readonly string[]): string => `${args.length}\0${args.map(counted).join('')}`;

/** For exactly these arguments, anywhere. */
export const exactArguments = (argv: readonly string[]): string =>
  `${EXACT}${sha256(countedArguments(argv.slice(1)))}`;

/** For exactly these arguments, in exactly this folder. */
export const exactArgumentsIn = (argv: readonly string[], cwd: string): string =>
  `${EXACT_IN_FOLDER}${sha256(`${counted(cwd.replaceAll('\\', '/'))}${countedArguments(argv.slice(1))}`)}`;

const isExact = (argPattern: string): boolean =>
  argPattern.startsWith(EXACT) || argPattern.startsWith(EXACT_IN_FOLDER);

export function matchesArguments(argPattern: string, argv: readonly string[], cwd: string): boolean {
  if (isExact(argPattern))
    return argPattern === exactArguments(argv) || argPattern === exactArgumentsIn(argv, cwd);
  // Any other `sha256:` is of a form that is not known.
  if (argPattern.startsWith('sha256:')) return false;
  const subject = argumentLine(argv.slice(1), argPattern.includes('\0'));
  return subject !== undefined && matchesWithin(argPattern, subject);
}

/** Arguments end with a NUL each. A pattern without one is for a line of words, in which no word holds a blank. */
function argumentLine(args: readonly string[], hasNul: boolean): string | undefined {
  if (hasNul) return args.length === 0 ? '\0\0' : `${args.join('\0')}\0`;
  return args.some((word) => word === '' || /\s/.test(word)) ? undefined : args.join(' ');
}

function matchesWithin(pattern: string, subject: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS || subject.length > MAX_SUBJECT_CHARS) return false;
  try {
    // The only way to stop an expression that goes on for ages; both texts are data in the line that runs.
    const line = `new RegExp(${JSON.stringify(pattern)}, 'u').test(${JSON.stringify(subject)})`;
    return runInThisContext(line, { timeout: MAX_MATCH_MS }) === true;
  } catch {
    return false;
  }
}

type Bound = Pick<ExecPlan, 'argv' | 'path' | 'operands'>;

export function boundOperands({ argv, path, operands }: Bound): readonly Operand[] {
  // A program of one's own may run what it is given, whatever it is called.
  const runsFiles =
    !isAdminOnly(path) ||
    [path, ...argv].some((word, at) => mayRunFiles(programName(word), argv.slice(Math.max(1, at))));
  return operands.filter((each) => !isAdminOnly(each.path) && (runsFiles || each.path === path));
}

/** Undefined: there are none. */
export function boundFiles(plan: Bound): string | undefined {
  const bound = boundOperands(plan);
  if (bound.length === 0) return undefined;
  return `sha256:${sha256(JSON.stringify(bound.map((each) => Object.values(each))))}`;
}

/** Whether a program may run files that stand behind it on its line. */
const mayRunFiles = (name: string, args: readonly string[]): boolean =>
  runsCode(name) || startsOthers(name) || hasInlineCode(name, args);
