/** Runs programs to their end. Their groups are in the journal, so that none outlives a hub that died. */
import { spawn } from 'node:child_process';
import type { ProgramEnd, ProgramEndKind, ProgramRun, RunProgram } from '../core/program.ts';
import { safeFolder } from '../lib/process.ts';
import { endRest, endTree, type ProcessGroup, SPAWN_LIMITS, type SpawnLimits } from './end-processes.ts';
import { couldNotStart, exitReason, journalObstacle, startObstacle } from './exit-reason.ts';
import type { Journal } from './journal.ts';
import { NO_GUARD, type RunGuard } from './run-guard.ts';

/** A program that is cut off gets little time to exit by itself. */
const QUICK: SpawnLimits = { ...SPAWN_LIMITS, termMs: 200 };

export interface Programs {
  readonly run: RunProgram;
  /** Resolves when nothing of any program is left, including its descendants. */
  endAll(): Promise<void>;
}

export function createPrograms(
  journal: Journal,
  guard: RunGuard = NO_GUARD,
  limits: SpawnLimits = QUICK,
): Programs {
  const groups = new Set<ProcessGroup>();
  return {
    run: (run) => new Promise((resolve) => start(run, { journal, guard, limits, groups, resolve })),
    async endAll() {
      await Promise.all([...groups].map((group) => endTree(group, limits)));
    },
  };
}

interface Around {
  readonly journal: Journal;
  readonly guard: RunGuard;
  readonly limits: SpawnLimits;
  /** Groups that may still have processes. */
  readonly groups: Set<ProcessGroup>;
  resolve(end: ProgramEnd): void;
}

interface Cut {
  readonly kind: ProgramEndKind;
  readonly reason: string;
  readonly obstacle?: string;
}

const NOT_WANTED: Cut = { kind: 'aborted', reason: 'was not started: it was cancelled' };
const HELD_BACK: Cut = { kind: 'held-back', reason: 'was not started: it may no longer run' };

function start(run: ProgramRun, { journal, guard, limits, groups, resolve }: Around): void {
  const { command, signal, timeoutMs, maxBytes, whenFull } = run;
  const tooMuch = (): void =>
    whenFull === 'end' ? end('too-much', `wrote more than ${maxBytes} bytes`) : undefined;
  const stdout = keepOutput(maxBytes, tooMuch);
  const stderr = keepOutput(maxBytes, tooMuch);
  let child: ReturnType<typeof startProcess> | undefined;
  let group: ProcessGroup | undefined;
  let cut: Cut | undefined;
  let timer: NodeJS.Timeout | undefined;
  let drain: NodeJS.Timeout | undefined;
  let isOver = false;

  function finish(how: Cut, exitCode: number | null): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(drain);
    signal.removeEventListener('abort', onAbort);
    child?.stdout.destroy();
    child?.stderr.destroy();
    resolve({
      ...(cut ?? how),
      exitCode,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      dropped: { stdout: stdout.dropped, stderr: stderr.dropped },
    });
  }

  const notStarted = (obstacle: string): void =>
    finish({ kind: 'not-started', reason: couldNotStart(obstacle), obstacle }, null);
  const failedToStart = (error: unknown): void => notStarted(startObstacle(error, run));

  function end(kind: ProgramEndKind, reason: string): void {
    if (cut !== undefined || isOver) return;
    cut = { kind, reason };
    if (group !== undefined) void endTree(group, limits).then(() => finish(cut!, null));
  }

  async function forget(gone: ProcessGroup): Promise<void> {
    if (!(await endRest(gone, limits))) return;
    groups.delete(gone);
    guard.ended(gone);
    try {
      journal.ended(gone.pid);
    } catch {
      // The disk may be full. The next hub sees that the process is gone.
    }
  }

  const onAbort = (): void => end('aborted', 'was ended: it was cancelled');
  if (signal.aborted) return finish(NOT_WANTED, null);
  if (run.mayBegin?.() === false) return finish(HELD_BACK, null);
  try {
    child = startProcess(run);
  } catch (error) {
    return failedToStart(error);
  }
  child.once('error', failedToStart);
  const { pid } = child;
  if (pid === undefined) return;
  try {
    group = journal.started(pid, command);
    groups.add(group);
    guard.started(group);
  } catch (error) {
    // The next hub could not find and end this program, so it must not run.
    child.kill('SIGKILL');
    return notStarted(journalObstacle(error));
  }
  timer = setTimeout(() => end('timed-out', `took longer than ${timeoutMs} ms`), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.take(chunk);
    run.onStdout?.(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.take(chunk);
    run.onStderr?.(chunk);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(run.input);
  child.once('exit', (code, by) => {
    const how: Cut = { kind: 'exited', reason: exitReason(code, by) };
    // Its descendants are ended too. A descendant that holds the output open is not waited for.
    void forget(group);
    drain = setTimeout(() => finish(how, code), limits.lastOutputMs);
    child.once('close', () => finish(how, code));
  });
}

const startProcess = ({ command, args, argv0, env, cwd }: ProgramRun) =>
  spawn(command, args, {
    cwd: cwd ?? safeFolder(),
    env,
    ...(argv0 !== undefined && { argv0 }),
    shell: false,
    // Windows has no groups, and would open a window.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });

/** Keeps the first bytes of a program's output. */
interface KeptOutput {
  take(chunk: Buffer): void;
  bytes(): Buffer;
  /** Number of bytes that were not kept. */
  readonly dropped: number;
}

export function keepOutput(maxBytes: number, onFull: () => void): KeptOutput {
  // One buffer, even if the output arrives in many small chunks.
  let memory = Buffer.alloc(0);
  let size = 0;
  let dropped = 0;
  return {
    take(chunk) {
      const kept = chunk.subarray(0, maxBytes - size);
      if (size + kept.length > memory.length) {
        const larger = Buffer.alloc(Math.min(maxBytes, 2 * (size + kept.length)));
        memory.copy(larger, 0, 0, size);
        memory = larger;
      }
      size += kept.copy(memory, size);
      dropped += chunk.length - kept.length;
      if (dropped > 0) onFull();
    },
    bytes: () => memory.subarray(0, size),
    get dropped() {
      return dropped;
    },
  };
}
