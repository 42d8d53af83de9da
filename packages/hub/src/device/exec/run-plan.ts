/** Starts a plan and gives back what it wrote, as documented. */
import { PLAN_CHANGED } from '../../core/approvals/wait.ts';
import type { ProgramEnd, RunProgram } from '../../core/program.ts';
import { cancelled, CommandFailure } from '../registry/failure.ts';
import { hardenGit } from './held/hardened-git.ts';
import { holdIn } from './held/hold.ts';
import { wholeWords } from './held/whole-words.ts';
import type { Words } from './held/way-to-hold.ts';
import type { Machine } from './plan/machine.ts';
import type { MadePlan } from './plan/make-plan.ts';
import { refusalText } from './policy/verdict.ts';
import type { Link } from './wrappers/chain.ts';

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** -1: it never ran, or was ended. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly success: boolean;
  /** Some of what it wrote is missing. */
  readonly truncated: boolean;
  readonly [other: string]: unknown;
}

/**
 * Who has let it run. `person`: somebody who saw what it is. `entry`: a policy, for what somebody saw once. `anything`: a
 * policy that lets everything run; nobody has seen it, so there is nothing to hold it to.
 */
export type LetBy = 'person' | 'entry' | 'anything';

export interface RunOptions {
  readonly run: RunProgram;
  readonly letBy: LetBy;
  readonly machine: Machine;
  /** A folder for this user alone, which is gone when `work` has ended. */
  inFolder<T>(work: (folder: string) => Promise<T>): Promise<T>;
  readonly timeoutMs: number;
  /** Of each stream; what is beyond is dropped, and the text says so. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  elapsed(): number;
}

export async function runPlan(made: MadePlan, options: RunOptions): Promise<RunResult> {
  const { plan, held, chain } = made;
  const { letBy, machine, inFolder } = options;
  const asIs: Words = { command: plan.path, argv0: plan.argv[0]!, args: plan.argv.slice(1) };
  if (letBy === 'anything') return start(made, asIs, options);
  const git = letBy === 'entry' ? chain.links.find(isGit) : undefined;
  if (held === undefined && git === undefined)
    return start(made, { ...asIs, args: wholeWords(plan.argv, chain).slice(1) }, options);
  return inFolder(async (folder) => {
    if (git !== undefined) {
      const { args, env } = await hardenGit({ argv: git.argv, cwd: plan.cwd, folder }, machine);
      const before = wholeWords(plan.argv, chain).slice(1, plan.argv.length - git.argv.length + 1);
      const words = { ...asIs, args: [...before, ...args] };
      return start({ ...made, env: { ...made.env, ...env } }, words, options);
    }
    const words = await holdIn(folder, held!, machine);
    if (words === undefined) throw exchanged();
    return start(made, words, options);
  });
}

const isGit = ({ names }: Link): boolean => names.has('git');

async function start(
  { plan, env, isAsItWas }: MadePlan,
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
    ...(isAsItWas && { mayBegin: isAsItWas }),
  });
  if (end.kind === 'held-back') throw exchanged();
  if (end.kind === 'aborted') throw cancelled({ hint: 'The command was ended.' });
  if (end.obstacle !== undefined) return notStarted(end.obstacle, elapsed() - began);
  return resultOf(end, elapsed() - began, maxOutputBytes);
}

/** Whoever exchanges a file in this very moment is noticed, and the approval is used up. */
const exchanged = (): CommandFailure =>
  new CommandFailure(refusalText('ResolutionFailed', 'changed as it was being started'), {
    hint: 'It was not run. See who writes to the files that it names, and ask again.',
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
    : `${text}\n[${dropped} more bytes were dropped: a stream may have ${maxBytes}]`;
}

/** A command that cannot be started has a result like one that fails. */
export const notStarted = (why: string, durationMs = 0): RunResult => ({
  stdout: '',
  stderr: `Failed to start: ${why}`,
  exitCode: -1,
  timedOut: false,
  durationMs: Math.round(durationMs),
  success: false,
  truncated: false,
});
