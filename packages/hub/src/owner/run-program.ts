/** Runs programs to their end. Their groups are in the journal, so that none outlives a hub that died. */
import { spawn } from 'node:child_process';
import type { ProgramEnd, ProgramEndKind, ProgramRun, RunProgram } from '../core/program.ts';
import { exitReason, startFailure } from './exit-reason.ts';
import type { Journal } from './journal.ts';
import { endGroup } from './process-group.ts';
import { SPAWN_LIMITS, type SpawnLimits } from './spawn-limits.ts';

interface Kept {
  readonly chunks: Buffer[];
  size: number;
  dropped: number;
}

const nothing = (): Kept => ({ chunks: [], size: 0, dropped: 0 });

export const createRunProgram =
  (journal: Journal, limits: SpawnLimits = { ...SPAWN_LIMITS, termMs: 200 }): RunProgram =>
  (run) =>
    new Promise((resolve) => start(run, { journal, limits, resolve }));

interface Around {
  readonly journal: Journal;
  readonly limits: SpawnLimits;
  resolve(end: ProgramEnd): void;
}

function start(run: ProgramRun, { journal, limits, resolve }: Around): void {
  const { command, args, env, cwd, input, signal, timeoutMs, maxBytes, whenFull } = run;
  const stdout = nothing();
  const stderr = nothing();
  let cut: { kind: ProgramEndKind; reason: string } | undefined;
  let drain: NodeJS.Timeout | undefined;
  let isOver = false;

  function finish(kind: ProgramEndKind, reason: string, exitCode: number | null): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(drain);
    signal.removeEventListener('abort', onAbort);
    child?.stdout.destroy();
    child?.stderr.destroy();
    resolve({
      ...(cut ?? { kind, reason }),
      exitCode,
      stdout: Buffer.concat(stdout.chunks),
      stderr: Buffer.concat(stderr.chunks),
      dropped: { stdout: stdout.dropped, stderr: stderr.dropped },
    });
  }

  function keep(kept: Kept, chunk: Buffer): void {
    const room = Math.max(0, maxBytes - kept.size);
    if (room > 0) kept.chunks.push(chunk.subarray(0, room));
    kept.size += Math.min(room, chunk.length);
    kept.dropped += Math.max(0, chunk.length - room);
    if (kept.dropped > 0 && whenFull === 'end') end('too-much', `wrote more than ${maxBytes} bytes`);
  }

  function end(kind: ProgramEndKind, reason: string): void {
    if (cut !== undefined || isOver) return;
    cut = { kind, reason };
    if (group !== undefined) void endGroup(group, limits).then(() => finish(kind, reason, null));
  }

  const onAbort = (): void => end('aborted', 'was ended: nobody wants it any more');
  const timer = setTimeout(() => end('timed-out', `took longer than ${timeoutMs} ms`), timeoutMs);
  let child: ReturnType<typeof startProcess> | undefined;
  if (signal.aborted) return finish('aborted', 'was not started: nobody wants it any more', null);
  try {
    child = startProcess({ command, args, env, cwd });
  } catch (error) {
    return finish('not-started', startFailure(error, { command, args, env, cwd }), null);
  }
  const { pid } = child;
  const group = pid === undefined ? undefined : journal.started(pid, command);
  child.once('error', (error) =>
    finish('not-started', startFailure(error, { command, args, env, cwd }), null),
  );
  child.stdout.on('data', (chunk: Buffer) => keep(stdout, chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    keep(stderr, chunk);
    run.onStderr?.(chunk);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  signal.addEventListener('abort', onAbort, { once: true });
  child.once('exit', (code, by) => {
    // What it has started goes with it; a child that holds its output open is not waited for.
    if (group !== undefined) void endGroup(group, limits).then((gone) => void (gone && journal.ended(pid!)));
    drain = setTimeout(() => finish('exited', exitReason(code, by), code), limits.lastOutputMs);
    child!.once('close', () => finish('exited', exitReason(code, by), code));
  });
}

const startProcess = ({ command, args, env, cwd }: Pick<ProgramRun, 'command' | 'args' | 'env' | 'cwd'>) =>
  spawn(command, args, {
    cwd,
    env,
    shell: false,
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
