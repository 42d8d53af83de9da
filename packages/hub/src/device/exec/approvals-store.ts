/** Reads and changes `exec-approvals.json`, and reports entries that are suspended. */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { PincerError } from '../../core/errors.ts';
import { sha256 } from '../../lib/digest.ts';
import { boundFiles, boundOperands, exactArgumentsIn } from './allowlist.ts';
import { ownSettings } from './decide.ts';
import type { Executor } from './executor.ts';
import { isAdminOnly, programNames } from './machine.ts';
import { whyOnlyOnce } from './only-once.ts';
import type { Operand } from './operands.ts';
import type { ExecPlan } from './plan.ts';
import {
  approvalsPath,
  loadPolicy,
  type ExecPolicy,
  type AllowlistEntry,
  type PolicyFile,
} from './policy-file.ts';

export interface Snapshot {
  readonly path: string;
  readonly exists: boolean;
  readonly hash: string;
  readonly file: PolicyFile;
}

export type AllowedPlan = Pick<ExecPlan, 'argv' | 'cwd' | 'path' | 'operands'>;

export interface ApprovalsStore {
  policy(): ExecPolicy;
  /** The file with its secrets. Undefined if exec-policy.json is in force or the file is unusable. */
  snapshot(): Snapshot | undefined;
  write(file: PolicyFile): Snapshot;
  /** Adds an entry for exactly this program, these arguments and this folder. */
  allowAlways(plan: AllowedPlan, commandText: string, agent: string): void;
}

interface StoreParts {
  /** The state folder. */
  readonly home: string;
  /** Replaces a file atomically, readable only by its owner. */
  readonly writeFile: (path: string, text: string) => void;
  now(): number;
}

export function openApprovals({ home, writeFile, now }: StoreParts): ApprovalsStore {
  const path = approvalsPath(home);

  function snapshot(): Snapshot | undefined {
    const policy = loadPolicy(home);
    return policy.kind === 'approvals'
      ? { path, exists: policy.exists, hash: policy.hash, file: policy.file }
      : undefined;
  }

  function write(file: PolicyFile): Snapshot {
    const text = `${JSON.stringify(file, undefined, 2)}\n`;
    writeFile(path, text);
    return { path, exists: true, hash: sha256(text), file };
  }

  return {
    policy: () => loadPolicy(home),
    snapshot,
    write,
    allowAlways(plan, commandText, agent) {
      const { argv, cwd, path: executable } = plan;
      if (/[*?]/.test(executable))
        throw new PincerError(
          'ARGUMENT_INVALID',
          'A program with * or ? in its path cannot be allowed for good.',
          {
            hint: 'Its entry would match other programs, too. Allow it once: pincer approvals allow ID',
          },
        );
      const current = snapshot();
      if (current === undefined)
        throw new PincerError('ARGUMENT_INVALID', 'The current exec policy does not accept new entries.', {
          hint: 'Repair exec-approvals.json if it is unreadable, or move exec-policy.json away if it is used instead. To allow the command once: pincer approvals allow ID',
        });
      const { file } = current;
      const own = ownSettings(file, agent);
      const argPattern = exactArgumentsIn(argv, cwd);
      const { allowlist = [] } = own;
      const filesHash = boundFiles(plan);
      const isSame = (entry: AllowlistEntry): boolean =>
        entry.pattern === executable && entry.argPattern === argPattern;
      if (allowlist.some((entry) => isSame(entry) && entry.filesHash === filesHash)) return;
      const entry = {
        id: randomUUID(),
        pattern: executable,
        argPattern,
        ...(filesHash !== undefined && { filesHash }),
        source: 'allow-always',
        commandText,
        argv: [...argv],
        cwd,
        files: [...boundOperands(plan)],
        lastUsedAt: now(),
        lastResolvedPath: executable,
      };
      // Replaces the entry for the same command with older files: it can never match again.
      const others = allowlist.filter((each) => !isSame(each) || each.source !== entry.source);
      write({ ...file, agents: { ...file.agents, [agent]: { ...own, allowlist: [...others, entry] } } });
    },
  };
}

export interface Suspended {
  readonly agent: string;
  /** The command, or the pattern of an entry that a person wrote. */
  readonly command: string;
  /** For people. Completes a sentence about the entry. */
  readonly reason: string;
}

/** How many entries are checked. Each check reads files. */
const MAX_ENTRIES = 64;

export async function suspendedEntries(
  policy: ExecPolicy,
  executor: Pick<Executor, 'assess'>,
): Promise<Suspended[]> {
  if (policy.kind !== 'approvals') return [];
  const entries = Object.entries(policy.file.agents ?? {}).flatMap(([agent, { allowlist = [] }]) =>
    allowlist.map((entry) => ({ agent, entry })),
  );
  const found: Suspended[] = [];
  for (const { agent, entry } of entries.slice(0, MAX_ENTRIES)) {
    const reason = await whySuspended(entry, agent, executor);
    if (reason !== undefined) found.push({ agent, command: entry.commandText ?? entry.pattern, reason });
  }
  return found;
}

async function whySuspended(
  entry: AllowlistEntry,
  agent: string,
  executor: Pick<Executor, 'assess'>,
): Promise<string | undefined> {
  const { argPattern, argv, cwd, files = [] } = entry;
  if (argPattern === undefined) return 'it has no "argPattern", so it allows no arguments';
  if (argv === undefined) return byPattern(entry);
  const assessed = await executor.assess({ argv, cwd, env: {}, timeoutMs: 1 }, agent);
  if ('why' in assessed) return assessed.why;
  const { made } = assessed;
  if (made.onlyOnce !== undefined) return made.onlyOnce.reason;
  const changed = files.find((file) => !made.plan.operands.some((each) => isSame(each, file)));
  if (changed !== undefined) return `${changed.path} has changed`;
  return entry.filesHash !== undefined && assessed.verdict.decision === 'ask'
    ? 'its files have changed'
    : undefined;
}

/** Checks an entry without `argv` by the name of its program. For git the name alone does not identify the command. */
function byPattern({ pattern, filesHash }: AllowlistEntry): string | undefined {
  if (filesHash === undefined && !isAdminOnly(pattern) && !/[*?]/.test(pattern))
    return "it is not bound to the program's content";
  if (basename(pattern) === 'git') return undefined;
  const executable = { found: pattern, path: pattern };
  const link = { argv: [pattern], executable, names: programNames(pattern, pattern), runsCode: false };
  return whyOnlyOnce({ links: [link], isOpaque: false }, () => undefined)?.reason;
}

const isSame = (a: Operand, b: Operand): boolean => JSON.stringify(a) === JSON.stringify(b);
