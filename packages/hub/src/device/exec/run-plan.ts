/** Starts a plan and gives back what it wrote, as documented. */
import { PLAN_CHANGED } from '../../../core/approvals/use.ts';
import type { ProgramEnd, RunProgram } from '../../../core/program.ts';
import { cancelled, CommandFailure } from '../registry/failure.ts';
import type { MadePlan } from './plan/make-plan.ts';
import { refusalText } from './policy/verdict.ts';

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

export interface RunOptions {
  readonly run: RunProgram;
  readonly timeoutMs: number;
  /** Of each stream; what is beyond is dropped, and the text says so. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  elapsed(): number;
}

export async function runPlan({ plan, env, isAsItWas }: MadePlan, options: RunOptions): Promise<RunResult> {
  const { run, timeoutMs, maxOutputBytes, signal, elapsed } = options;
  const began = elapsed();
  const end = await run({
    command: plan.path,
    argv0: plan.argv[0],
    args: plan.argv.slice(1),
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
