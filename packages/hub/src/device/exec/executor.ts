/**
 * Plans a command, asks the policy, and runs exactly what was planned. Right before the start it plans again and refuses
 * if anything differs.
 */
import { PLAN_CHANGED } from '../../core/approvals/wait.ts';
import type { ProgramEnd, RunProgram } from '../../core/program.ts';
import { CommandFailure, cancelled } from '../registry/capability.ts';
import { boundFiles } from './allowlist.ts';
import type { Link } from './chain.ts';
import { makeCopies, withFullPaths, type Words } from './copies.ts';
import { closedBy, decide, refusalText, type Verdict } from './decide.ts';
import { hardenGit } from './git.ts';
import type { Machine } from './machine.ts';
import {
  planDifferences,
  planDigest,
  type ExecPlan,
  homeOf,
  makePlan,
  type MadePlan,
  type NoPlan,
  type PlanParts,
} from './plan.ts';
import type { ExecPolicy } from './policy-file.ts';
import type { ExecRequest } from './read-request.ts';

export interface Assessment {
  readonly made: MadePlan;
  readonly digest: string;
  readonly verdict: Verdict;
}

interface ExecutorParts extends PlanParts {
  readonly platform: NodeJS.Platform;
  /** Reads the policy file at each call. */
  policy(): ExecPolicy;
}

export interface Executor {
  assess(request: ExecRequest, agent: string): Promise<Assessment | NoPlan>;
  /** Why the policy allows nothing for an agent. Undefined if it may allow a command. */
  closedFor(agent: string): string | undefined;
  /**
   * Calls `start` with the plan if it is unchanged, else throws. `decision` is the decision of the first assessment. If
   * the policy has become stricter since then, the new policy applies.
   */
  startPlanned<T>(planned: StartOf, start: (made: MadePlan, allowedBy: AllowedBy) => Promise<T>): Promise<T>;
}

export interface StartOf {
  readonly request: ExecRequest;
  readonly agent: string;
  readonly plan: ExecPlan;
  /** `allow`: allowed by the policy. `ask`: allowed by a person. */
  readonly decision: 'allow' | 'ask';
}

export function createExecutor(parts: ExecutorParts): Executor {
  const { platform, base, policy } = parts;

  async function assess(request: ExecRequest, agent: string): Promise<Assessment | NoPlan> {
    const made = await makePlan(request, parts);
    if ('why' in made) return made;
    const verdict = decide(policy(), agent, {
      chain: made.chain,
      cwd: made.plan.cwd,
      filesHash: boundFiles(made.plan),
      setsVariables: Object.keys(request.env).length > 0,
      home: homeOf(base),
      platform,
      onlyOnce: made.onlyOnce?.reason,
      namesState: made.namesState,
    });
    return { made, digest: planDigest(made.plan), verdict };
  }

  return {
    assess,
    closedFor: (agent) => closedBy(policy(), agent),
    async startPlanned({ request, agent, plan, decision }, start) {
      const now = await assess(request, agent);
      if ('why' in now) throw changed('path');
      if (now.digest !== planDigest(plan)) throw changed(planDifferences(plan, now.made.plan).join(', '));
      if (now.verdict.decision === 'deny' || isStricter(now.verdict, decision))
        throw policyChanged(now.verdict);
      return start(now.made, decision === 'ask' ? 'person' : allowedBy(now.verdict));
    },
  };
}

const allowedBy = (verdict: Verdict): AllowedBy =>
  verdict.decision === 'allow' && verdict.isStanding ? 'entry' : 'anything';

const isStricter = (verdict: Verdict, decision: StartOf['decision']): boolean =>
  decision === 'allow' && verdict.decision === 'ask';

const changed = (what: string): CommandFailure =>
  new CommandFailure(refusalText('ResolutionFailed', `changed since it was checked: ${what}`), {
    hint: 'The command was not run. Request it again to run the current files.',
    code: PLAN_CHANGED,
    notExecuted: true,
  });

const policyChanged = (verdict: Verdict): CommandFailure =>
  new CommandFailure(refusalText('SecurityDeny', 'policy-changed-before-execution'), {
    hint: `The command was not run. ${verdict.decision === 'deny' ? verdict.hint : 'Request it again.'}`,
    code: 'EXEC_POLICY_CHANGED',
    notExecuted: true,
  });

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** -1 if it did not start or was terminated. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly success: boolean;
  /** Output was dropped. */
  readonly truncated: boolean;
  readonly [other: string]: unknown;
}

/**
 * What allowed the command. `person`: a person who saw the subject. `entry`: an entry or a rule of the policy.
 * `anything`: a policy that allows everything. In that case no person saw the files, so they run in place.
 */
type AllowedBy = 'person' | 'entry' | 'anything';

interface RunOptions {
  readonly run: RunProgram;
  readonly allowedBy: AllowedBy;
  readonly machine: Machine;
  /** Runs `work` with a private folder that is removed afterwards. */
  inFolder<T>(work: (folder: string) => Promise<T>): Promise<T>;
  readonly timeoutMs: number;
  /** Per stream. Further output is dropped, and the text reports how much. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  elapsed(): number;
}

export async function runPlan(made: MadePlan, options: RunOptions): Promise<RunResult> {
  const { plan, copyPlan, chain } = made;
  const { allowedBy, machine, inFolder } = options;
  const asIs: Words = { command: plan.path, argv0: plan.argv[0]!, args: plan.argv.slice(1) };
  if (allowedBy === 'anything') return start(made, asIs, options);
  const git = allowedBy === 'entry' ? chain.links.find(isGit) : undefined;
  if (copyPlan === undefined && git === undefined)
    return start(made, { ...asIs, args: withFullPaths(plan.argv, chain).slice(1) }, options);
  return inFolder(async (folder) => {
    if (git !== undefined) {
      const { args, env } = await hardenGit({ argv: git.argv, cwd: plan.cwd, folder }, machine);
      const before = withFullPaths(plan.argv, chain).slice(1, plan.argv.length - git.argv.length + 1);
      const words = { ...asIs, args: [...before, ...args] };
      return start({ ...made, env: { ...made.env, ...env } }, words, options);
    }
    const words = await makeCopies(folder, copyPlan!, machine);
    if (words === undefined) throw fileReplaced();
    return start(made, words, options);
  });
}

const isGit = ({ names }: Link): boolean => names.has('git');

async function start(
  { plan, env, isUnchanged }: MadePlan,
  { command, argv0, args }: Words,
  options: RunOptions,
): Promise<RunResult> {
  const { run, timeoutMs, maxOutputBytes, signal, elapsed } = options;
  const began = elapsed();
  const end = await run({
    command,
    argv0,
    args,
    env,
    cwd: plan.cwd,
    signal,
    timeoutMs,
    maxBytes: maxOutputBytes,
    whenFull: 'drop',
    ...(isUnchanged && { mayBegin: isUnchanged }),
  });
  if (end.kind === 'held-back') throw fileReplaced();
  if (end.kind === 'aborted') throw cancelled({ hint: 'The command was stopped.' });
  if (end.obstacle !== undefined) return notStarted(end.obstacle, elapsed() - began);
  return resultOf(end, elapsed() - began, maxOutputBytes);
}

/** A file was replaced right before the start. The approval is used up. */
const fileReplaced = (): CommandFailure =>
  new CommandFailure(refusalText('ResolutionFailed', 'changed during the start'), {
    hint: 'The command was not run. Check which program writes to its files, then request it again.',
    code: PLAN_CHANGED,
    notExecuted: true,
  });

function resultOf(end: ProgramEnd, durationMs: number, maxBytes: number): RunResult {
  const timedOut = end.kind === 'timed-out';
  const exitCode = timedOut ? -1 : (end.exitCode ?? -1);
  return {
    stdout: textOf(end.stdout, end.dropped.stdout, maxBytes),
    stderr: textOf(end.stderr, end.dropped.stderr, maxBytes),
    exitCode,
    timedOut,
    durationMs: Math.round(durationMs),
    success: exitCode === 0 && !timedOut,
    truncated: end.dropped.stdout + end.dropped.stderr > 0,
  };
}

function textOf(bytes: Buffer, dropped: number, maxBytes: number): string {
  const text = bytes.toString('utf8').trimEnd();
  return dropped === 0
    ? text
    : `${text}\n[${dropped} more bytes were dropped: the limit per stream is ${maxBytes}]`;
}

/** A command that cannot be started returns a result in the same form as a command that fails. */
export const notStarted = (why: string, durationMs = 0): RunResult => ({
  stdout: '',
  stderr: `Failed to start: ${why}`,
  exitCode: -1,
  timedOut: false,
  durationMs: Math.round(durationMs),
  success: false,
  truncated: false,
});
