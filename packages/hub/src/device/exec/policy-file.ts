/**
 * Reads the exec policy: `exec-approvals.json`, else `exec-policy.json`. It is read for each command and again before the
 * start, so a change takes effect at once.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  type Stats,
} from 'node:fs';
import { join, dirname } from 'node:path';
import { z } from 'zod';
import { hasCode } from '../../core/errors.ts';
import { sha256 } from '../../lib/digest.ts';

export type ExecPolicy =
  | { readonly kind: 'approvals'; readonly file: PolicyFile; readonly hash: string; readonly exists: boolean }
  | { readonly kind: 'rules'; readonly rules: Rules; readonly hash: string }
  /** The file cannot be trusted: nothing runs, and the file is never overwritten. */
  | ({ readonly kind: 'closed'; readonly file: string } & Unusable);

const APPROVALS = 'exec-approvals.json';
const RULES = 'exec-policy.json';

export const approvalsPath = (home: string): string => join(home, APPROVALS);

export function loadPolicy(home: string): ExecPolicy {
  const read = readPrivateFile(approvalsPath(home));
  if (read.state === 'unusable') return closedBy(APPROVALS, read);
  if (read.state === 'missing') return loadRules(home);
  const parsed = parsePolicy(parseJson(read.text));
  if ('file' in parsed) return { kind: 'approvals', file: parsed.file, hash: read.hash, exists: true };
  const why = parsed.problem === 'version' ? 'has an unknown version' : 'is not in the documented form';
  return { kind: 'closed', file: APPROVALS, why };
}

const closedBy = (file: string, { why, remedy }: Unusable): ExecPolicy => ({
  kind: 'closed',
  file,
  why,
  ...(remedy !== undefined && { remedy }),
});

function loadRules(home: string): ExecPolicy {
  const read = readPrivateFile(join(home, RULES));
  if (read.state === 'missing')
    return { kind: 'approvals', file: EMPTY_POLICY, hash: MISSING_HASH, exists: false };
  if (read.state === 'unusable') return closedBy(RULES, read);
  const rules = parseRules(parseJson(read.text));
  return rules === undefined
    ? { kind: 'closed', file: RULES, why: 'is not in the documented form' }
    : { kind: 'rules', rules, hash: read.hash };
}

export const SECURITIES = ['deny', 'allowlist', 'full'] as const;
export type Security = (typeof SECURITIES)[number];
/** From the least to the most restrictive. */
const ASKS = ['off', 'on-miss', 'always', 'deny'] as const;
export type Ask = (typeof ASKS)[number];

/** Older values of `askFallback`. */
const OLD_FALLBACKS: Readonly<Record<string, Security>> = {
  off: 'full',
  'on-miss': 'allowlist',
  always: 'deny',
};

const operand = z.union([
  z.strictObject({ path: z.string(), sha256: z.string() }),
  z.strictObject({ path: z.string(), stamp: z.string() }),
]);

const entry = z.looseObject({
  id: z.string().optional(),
  pattern: z.string(),
  argPattern: z.string().optional(),
  source: z.string().optional(),
  /** Ours: hash of the files that the entry is bound to (`boundFiles`). */
  filesHash: z.string().optional(),
  /** Ours, for `pincer device`: the command of the entry, its folder, and the files of `filesHash`. */
  argv: z.array(z.string()).min(1).optional(),
  cwd: z.string().optional(),
  files: z.array(operand).optional(),
  commandText: z.string().optional(),
});

const settings = {
  security: z.enum(SECURITIES).optional(),
  ask: z.enum(ASKS).optional(),
  askFallback: z
    .string()
    .transform((value) => (Object.hasOwn(OLD_FALLBACKS, value) ? OLD_FALLBACKS[value] : value))
    .pipe(z.enum(SECURITIES))
    .optional(),
  autoAllowSkills: z.boolean().optional(),
};

const agent = z.looseObject({
  ...settings,
  // In older files an entry may be just a pattern.
  allowlist: z
    .array(
      z
        .union([z.string(), entry])
        .transform((each): z.output<typeof entry> => (typeof each === 'string' ? { pattern: each } : each)),
    )
    .optional(),
});

const file = z.looseObject({
  version: z.literal(1),
  socket: z.looseObject({ path: z.string().optional(), token: z.string().optional() }).optional(),
  defaults: z.looseObject(settings).optional(),
  agents: z.record(z.string(), agent).optional(),
});

export type PolicyFile = z.output<typeof file>;
export type AllowlistEntry = z.output<typeof entry>;

const EMPTY_POLICY: PolicyFile = { version: 1 };

type ParsedPolicy = { readonly file: PolicyFile } | { readonly problem: 'version' | 'shape' };

export function parsePolicy(value: unknown): ParsedPolicy {
  const parsed = file.safeParse(value);
  if (parsed.success) return { file: parsed.data };
  return { problem: parsed.error.issues.some(({ path }) => path[0] === 'version') ? 'version' : 'shape' };
}

/** `exec-policy.json`: rules for whole command lines, used by nodes before allowlists existed. Pincer never writes it. */
const ACTIONS = ['allow', 'deny', 'prompt'] as const;

const ruleSchema = z.looseObject({
  pattern: z.string(),
  action: z.enum(ACTIONS),
  shells: z.array(z.string()).nullish(),
  description: z.string().nullish(),
  enabled: z.boolean().nullish(),
});

const rulesFile = z.looseObject({
  defaultAction: z.enum(ACTIONS).optional(),
  rules: z.array(ruleSchema).optional(),
});

export type Rules = z.output<typeof rulesFile>;
export type Rule = z.output<typeof ruleSchema>;
export type Action = (typeof ACTIONS)[number];

export function parseRules(value: unknown): Rules | undefined {
  const parsed = rulesFile.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Larger files are not read. */
export const MAX_POLICY_BYTES = 4 * 1024 * 1024;

type PrivateFile =
  | { readonly state: 'missing' }
  | { readonly state: 'read'; readonly text: string; readonly hash: string }
  | ({ readonly state: 'unusable' } & Unusable);

interface Unusable {
  /** Completes a sentence that begins with the file's name. */
  readonly why: string;
  /** The next step, if there is one. */
  readonly remedy?: string;
}

/** The hash of a missing file. */
export const MISSING_HASH = `missing:${sha256('')}`;

function readPrivateFile(path: string): PrivateFile {
  let descriptor: number | undefined;
  try {
    const problem = folderProblem(dirname(path)) ?? problemOf(lstatSync(path), path);
    if (problem !== undefined) return { state: 'unusable', ...problem };
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    // Checked again: the file may have been replaced before it was opened.
    const opened = problemOf(fstatSync(descriptor), path);
    if (opened !== undefined) return { state: 'unusable', ...opened };
    const bytes = readFileSync(descriptor);
    return { state: 'read', text: bytes.toString('utf8'), hash: sha256(bytes) };
  } catch (error) {
    return hasCode(error, 'ENOENT') ? { state: 'missing' } : { state: 'unusable', why: 'cannot be read' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function problemOf(stat: Stats, path: string): Unusable | undefined {
  if (stat.isSymbolicLink()) return { why: 'is a link' };
  if (!stat.isFile()) return { why: 'is not a file' };
  if (stat.nlink > 1) return { why: 'has a second name (hard link)' };
  if (stat.size > MAX_POLICY_BYTES) return { why: 'is too large' };
  return othersProblem(stat, { path, uid: process.getuid?.(), mode: '600' });
}

/** A user who can write to the folder can replace the file. */
function folderProblem(folder: string): Unusable | undefined {
  const problem = othersProblem(statSync(folder), { path: folder, uid: process.getuid?.(), mode: '700' });
  return problem && { ...problem, why: `is in a folder that ${problem.why}` };
}

interface Place {
  readonly path: string;
  /** This user. Undefined on Windows. */
  readonly uid: number | undefined;
  /** The mode that the remedy names. */
  readonly mode: string;
}

/** Why a file cannot be trusted: another user owns it or can write to it. */
export function othersProblem(
  { uid: owner, mode }: Pick<Stats, 'uid' | 'mode'>,
  { path, uid, mode: wanted }: Place,
): Unusable | undefined {
  if (uid === undefined) return undefined;
  if (owner !== uid && owner !== 0)
    return {
      why: `belongs to another user (uid ${owner})`,
      remedy: `Check its content, then run: sudo chown ${uid} ${path}`,
    };
  if ((mode & 0o022) === 0) return undefined;
  const bits = (mode & 0o777).toString(8);
  return {
    why: `can be written by other users (mode ${bits})`,
    remedy: `Check its content, then run: chmod ${wanted} ${path}`,
  };
}

function parseJson(text: string): unknown {
  try {
    // Some editors write a byte order mark.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
