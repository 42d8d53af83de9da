/**
 * Makes the plan of a request. All paths are looked up here, and the start uses only the results. An approval is for the
 * digest of a plan.
 */
import { isAbsolute, join, sep } from 'node:path';
import { sha256 } from '../../lib/digest.ts';
import { chainOf, type Chain } from './chain.ts';
import { planCopies, type CopyPlan } from './copies.ts';
import { implicitInputs } from './implicit-inputs.ts';
import { findExecutable, isBatchScript, isNetworkPath, type Machine } from './machine.ts';
import { whyOnlyOnce, type OnlyOnce } from './only-once.ts';
import { MAX_OPERANDS, readOperands, type Operand, fileNamesIn } from './operands.ts';
import { matchesGlob } from './glob.ts';
import type { ExecRequest } from './read-request.ts';

export interface MadePlan {
  readonly plan: ExecPlan;
  /** The programs that it starts, for the policy. */
  readonly chain: Chain;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether its files are unchanged, by their stamps. Undefined if only an administrator could change them. */
  readonly isUnchanged: (() => boolean) | undefined;
  /** Files that run as copies. Undefined if there are none that users can change, or if the code file is unknown. */
  readonly copyPlan: CopyPlan | undefined;
  /** Why it can be allowed only once. Undefined if it can be allowed for good. */
  readonly onlyOnce: OnlyOnce | undefined;
  /** Whether it names the state folder. If so, a person is always asked. */
  readonly namesState: boolean;
}

/** The request cannot be started. `why` completes the sentence "Failed to start: …". */
export interface NoPlan {
  readonly why: string;
  /** Whether it exists but must not be started. */
  readonly isRefused: boolean;
}

export interface PlanParts {
  readonly machine: Machine;
  /** Variables that every command gets. */
  readonly base: Readonly<Record<string, string>>;
  /** The default working folder. */
  readonly folder: string;
  /** The state folder. */
  readonly state: string;
}

export async function makePlan(
  request: ExecRequest,
  { machine, base, folder, state }: PlanParts,
): Promise<MadePlan | NoPlan> {
  const { argv } = request;
  const asked = request.cwd ?? folder;
  if (!isAbsolute(asked)) return { why: 'the working folder is not an absolute path', isRefused: true };
  if (isNetworkPath(request.cwd ?? '', machine.platform))
    return { why: 'the working folder is on another machine', isRefused: true };
  const cwd = machine.realPath(asked);
  if (cwd === undefined) return { why: `the working folder does not exist: ${asked}`, isRefused: false };
  if (machine.facts(cwd)?.kind !== 'folder')
    return { why: `the working folder is not a folder: ${asked}`, isRefused: false };
  const find = (word: string) => findExecutable(word, cwd, machine);
  const executable = find(argv[0] ?? '');
  if (executable === undefined) return { why: `no such command: ${argv[0]}`, isRefused: false };
  const { found, path } = executable;
  if (machine.platform === 'win32' && (isBatchScript(path) || isBatchScript(found)))
    return { why: 'batch scripts need a shell, and Pincer starts none', isRefused: true };
  const env = { ...base, ...request.env };
  const chain = chainOf(argv, executable, find);
  const programs = chain.links.map((link) => link.executable.path);
  const runsFiles = chain.isOpaque || chain.links.some((link) => link.runsCode);
  const implicit = await implicitInputs(chain.links, cwd, machine);
  const read = await readOperands({ argv, cwd, programs, runsFiles, implicit }, machine);
  if (read === undefined)
    return { why: `its arguments name more than ${MAX_OPERANDS} files`, isRefused: true };
  const { operands, isUnchanged } = read;
  const factsOf = (program: string) => read.programs.get(program);
  const named = {
    words: argv,
    values: Object.values(request.env),
    cwd,
    programs: [found, path],
    home: homeOf(env),
  };
  return {
    plan: { argv, path, found, cwd, envHash: environmentHash(env), operands },
    chain,
    env,
    isUnchanged,
    copyPlan: planCopies({ argv, cwd, chain, operands, programs: read.programs }, machine),
    onlyOnce: whyOnlyOnce(chain, factsOf),
    namesState: namesFolder(state, named, machine),
  };
}

export const homeOf = (env: Readonly<Record<string, string>>): string | undefined =>
  env['HOME'] ?? env['USERPROFILE'];

export interface ExecPlan {
  readonly argv: readonly string[];
  /** The executable, with all links followed. Exactly this path is started. */
  readonly path: string;
  /** The path before links were followed. Entries of the allowlist may name it, too. */
  readonly found: string;
  /** With all links followed. */
  readonly cwd: string;
  /** Hash of the whole environment. */
  readonly envHash: string;
  readonly operands: readonly Operand[];
}

/** In a fixed order, so that two different plans never have the same text. */
const canonicalPlan = ({ argv, path, found, cwd, envHash, operands }: ExecPlan): string =>
  JSON.stringify([
    'exec-plan-1',
    argv,
    path,
    found,
    cwd,
    envHash,
    operands.map((each) =>
      'sha256' in each ? [each.path, 'sha256', each.sha256] : [each.path, 'stamp', each.stamp],
    ),
  ]);

export const planDigest = (plan: ExecPlan): string => `sha256:${sha256(canonicalPlan(plan))}`;

/** Independent of the order of the variables. */
const environmentHash = (env: Readonly<Record<string, string>>): string =>
  `sha256:${sha256(JSON.stringify(Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))))}`;

const MEMBERS = ['argv', 'path', 'found', 'cwd', 'envHash', 'operands'] as const;

/** The members that differ, for people. */
export const planDifferences = (a: ExecPlan, b: ExecPlan): string[] =>
  MEMBERS.filter((member) => JSON.stringify(a[member]) !== JSON.stringify(b[member]));

interface Named {
  readonly words: readonly string[];
  /** Values of variables. */
  readonly values: readonly string[];
  readonly cwd: string;
  /** Where programs of the command were found. */
  readonly programs: readonly string[];
  /** The value of `~` and `$HOME`. */
  readonly home: string | undefined;
}

/** Variables that set the state folder. */
const VARIABLES = /\b(?:PINCER_HOME|OPENCLAW_STATE_DIR)\b/;
/** A word without expansions. Most words are. */
const PLAIN_NAME = /^[\w./][\w./-]*$/;
/** Maximum number of names. A command with more names counts as naming the folder. */
const MAX_NAMES = 8_192;
/** Folders that relative names may refer to, besides the working folder: `cd there; cat name`. */
const MAX_BASES = 16;

/** Whether a command names the folder or a path in it, in any spelling. Errs on the side of yes. */
function namesFolder(folder: string, named: Named, machine: Machine): boolean {
  const real = machine.realPath(folder) ?? folder;
  const ignoresCase = machine.platform === 'win32' || machine.platform === 'darwin';
  const plain = (path: string): string => (ignoresCase ? path.toLowerCase() : path);
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
    // A missing path without a separator would be in the working folder, which was checked.
    if (target === undefined ? (isWhole || /[/\\*?[{]/.test(name)) && isNamedBy(path) : isInside(target))
      return true;
    if (target !== undefined && others.length < MAX_BASES && machine.facts(target)?.kind === 'folder')
      others.push(target);
  }
  return others.some((base) => relative.some((name) => isNamedBy(`${base}${sep}${name}`)));
}

/** A text, and its forms after expansion by a shell or decoding of a URL. */
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

/** Resolves a path as the system does: `link/..` is the parent of the link's target. */
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

/** Whether a shell pattern may match the folder or a path in it. */
function mayMatch(path: string, folder: string): boolean {
  if (!/[*?[{]/.test(path)) return false;
  const pattern = path
    .replaceAll(/\[[^\]]*\]/g, '?')
    .replaceAll(/\{[^}]*\}?/g, '*')
    .split(/[/\\]+/);
  const parts = folder.split(/[/\\]+/);
  return pattern.length >= parts.length && parts.every((part, at) => matchesGlob(pattern[at]!, part));
}
