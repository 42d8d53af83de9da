/** Entries of the allowlist that let nothing run for now, and why: a person is asked in their place. */
import { basename } from 'node:path';
import { whyOnlyOnce } from '../held/only-once.ts';
import type { Executor } from '../executor.ts';
import { isAdministrators } from '../plan/administrators.ts';
import type { Operand } from '../plan/exec-plan.ts';
import { programNames } from '../wrappers/program-name.ts';
import type { ExecPolicy } from './load-policy.ts';
import type { AllowlistEntry } from './policy-file.ts';

export interface Suspended {
  readonly agent: string;
  /** The command, or the pattern of an entry by hand. */
  readonly command: string;
  /** The end of a sentence. */
  readonly reason: string;
}

/** Entries that are looked at: each of them takes a look at files. */
const MAX_ENTRIES = 64;

export async function suspendedEntries(
  policy: ExecPolicy,
  executor: Pick<Executor, 'look'>,
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
  executor: Pick<Executor, 'look'>,
): Promise<string | undefined> {
  const { argPattern, argv, cwd, files = [] } = entry;
  if (argPattern === undefined) return 'it does not say for which arguments it is ("argPattern")';
  if (argv === undefined) return byPattern(entry);
  const looked = await executor.look({ argv, cwd, env: {}, timeoutMs: 1 }, agent);
  if ('why' in looked) return looked.why;
  const { made } = looked;
  if (made.onlyOnce !== undefined) return made.onlyOnce.reason;
  const changed = files.find((file) => !made.plan.operands.some((each) => isSame(each, file)));
  if (changed !== undefined) return `${changed.path} has changed`;
  return entry.filesHash !== undefined && looked.verdict.decision === 'ask'
    ? 'its files have changed'
    : undefined;
}

/** Of an entry without the words of its command the name of the program says something; not which of git's commands it is for. */
function byPattern({ pattern, filesHash }: AllowlistEntry): string | undefined {
  if (filesHash === undefined && !isAdministrators(pattern) && !/[*?]/.test(pattern))
    return 'it is not bound to what the program is';
  if (basename(pattern) === 'git') return undefined;
  const executable = { found: pattern, path: pattern };
  const link = { argv: [pattern], executable, names: programNames(pattern, pattern), runsCode: false };
  return whyOnlyOnce({ links: [link], isOpaque: false }, () => undefined)?.reason;
}

const isSame = (a: Operand, b: Operand): boolean => JSON.stringify(a) === JSON.stringify(b);
