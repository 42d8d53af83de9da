/** Checks a command against the entries of an allowlist: path, arguments, and the files that an entry is bound to. */
import { win32 } from 'node:path';
import { runInThisContext } from 'node:vm';
import { sha256 } from '../../lib/digest.ts';
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
  /** Hash of the files that an entry is bound to (`boundFiles`). */
  readonly filesHash: string | undefined;
  /** Whether the caller sets variables. No entry covers those. */
  readonly setsVariables: boolean;
  /** What `~` means. */
  readonly home: string | undefined;
  readonly platform: NodeJS.Platform;
  /** Why no entry can allow it (only-once.ts). */
  readonly onlyOnce: string | undefined;
  /** Whether the command names the state folder. */
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
  // An entry for a program that other users can change must be bound to its content.
  if (entry.filesHash !== filesHash) return false;
  // An entry without argPattern matches nothing: most programs do harm with some arguments.
  if (argPattern === undefined) return false;
  const pattern = wholePattern(entry.pattern, home);
  if (pattern === undefined) return false;
  const { found, path } = link.executable;
  if (![found, path].some((each) => isAt(pattern, each, platform))) return false;
  return matchesArguments(argPattern, link.argv, cwd);
}

/** Expands `~`. Undefined for a bare name, which could mean any program on the PATH. */
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
/** If matching takes longer, the pattern does not match. */
const MAX_MATCH_MS = 250;

const counted = (text: string): string => `${Buffer.byteLength(text)}\0${text}\0`;
const countedArguments = (args: readonly string[]): string => `${args.length}\0${args.map(counted).join('')}`;

/** The argPattern for exactly these arguments, in any folder. */
export const exactArguments = (argv: readonly string[]): string =>
  `${EXACT}${sha256(countedArguments(argv.slice(1)))}`;

/** The argPattern for exactly these arguments in this folder. */
export const exactArgumentsIn = (argv: readonly string[], cwd: string): string =>
  `${EXACT_IN_FOLDER}${sha256(`${counted(cwd.replaceAll('\\', '/'))}${countedArguments(argv.slice(1))}`)}`;

const isExact = (argPattern: string): boolean =>
  argPattern.startsWith(EXACT) || argPattern.startsWith(EXACT_IN_FOLDER);

export function matchesArguments(argPattern: string, argv: readonly string[], cwd: string): boolean {
  if (isExact(argPattern))
    return argPattern === exactArguments(argv) || argPattern === exactArgumentsIn(argv, cwd);
  // An unknown form of `sha256:`.
  if (argPattern.startsWith('sha256:')) return false;
  const subject = argumentLine(argv.slice(1), argPattern.includes('\0'));
  return subject !== undefined && matchesWithin(argPattern, subject);
}

/** Each argument ends with a NUL. A pattern without NUL is matched against a line, so no argument may contain a blank. */
function argumentLine(args: readonly string[], hasNul: boolean): string | undefined {
  if (hasNul) return args.length === 0 ? '\0\0' : `${args.join('\0')}\0`;
  return args.some((word) => word === '' || /\s/.test(word)) ? undefined : args.join(' ');
}

function matchesWithin(pattern: string, subject: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS || subject.length > MAX_SUBJECT_CHARS) return false;
  try {
    // `vm` is the only way to stop a slow expression. Both texts are JSON literals in the code that runs.
    const line = `new RegExp(${JSON.stringify(pattern)}, 'u').test(${JSON.stringify(subject)})`;
    return runInThisContext(line, { timeout: MAX_MATCH_MS }) === true;
  } catch {
    return false;
  }
}

type Bound = Pick<ExecPlan, 'argv' | 'path' | 'operands'>;

export function boundOperands({ argv, path, operands }: Bound): readonly Operand[] {
  // A program outside of system folders may run the files among its arguments, under any name.
  const runsFiles =
    !isAdminOnly(path) ||
    [path, ...argv].some((word, at) => mayRunFiles(programName(word), argv.slice(Math.max(1, at))));
  return operands.filter((each) => !isAdminOnly(each.path) && (runsFiles || each.path === path));
}

/** Hash of the files that an entry for this plan is bound to. Undefined if there are none. */
export function boundFiles(plan: Bound): string | undefined {
  const bound = boundOperands(plan);
  if (bound.length === 0) return undefined;
  return `sha256:${sha256(JSON.stringify(bound.map((each) => Object.values(each))))}`;
}

/** Whether a program may run files among its arguments. */
const mayRunFiles = (name: string, args: readonly string[]): boolean =>
  runsCode(name) || startsOthers(name) || hasInlineCode(name, args);
