/**
 * Runs OpenClaw or a transcription program to its end, without a shell. If the run is stopped, its whole process tree is
 * ended. owner/run-program.ts has other needs: it keeps a journal, which `pincer mcp-server` does not have, and it ends
 * processes that outlive a run, while an agent may start servers that stay.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { within } from '../../lib/time.ts';
import type { Environment } from '../../lib/process.ts';
import { endByTaskkill, killSeen, processTree } from '../../owner/end-processes.ts';

/** Limits of one run, in bytes and milliseconds. */
export const PROGRAM_LIMITS = {
  /** OpenClaw's output has the answer three times, and the message once. */
  maxOutputBytes: 64 * 1024 * 1024,
  /** The end of stderr that is kept. */
  maxLastWordsBytes: 16 * 1024,
  /** From SIGTERM to SIGKILL. OpenClaw needs three seconds to force its own exit. */
  termMs: 8_000,
  /** From SIGKILL to giving up. */
  killMs: 5_000,
  /** From the exit to the last output, if a grandchild keeps the pipe open. */
  lastOutputMs: 1_000,
} as const;

type ProgramLimits = { readonly [K in keyof typeof PROGRAM_LIMITS]: number };

interface Program {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** Stops the program: SIGTERM first. */
  readonly signal: AbortSignal;
  /** Kills the program at once, because Pincer exits. */
  readonly now?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly limits: ProgramLimits;
}

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The end of its stderr. */
  readonly lastWords: string;
  /** Why we ended it; undefined if it exited by itself. */
  readonly cut: 'stopped' | 'timeout' | 'output' | undefined;
}

/** Rejects if the program cannot be started. Resolves when it has exited. */
export async function runProgram(program: Program): Promise<Ran> {
  const { command, cwd, env, signal, now, timeoutMs, limits } = program;
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env,
    shell: false,
    // Its own process group, so that signals of the terminal do not reach it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const over = Promise.withResolvers<void>();
  void exited.then(over.resolve);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const started = Promise.withResolvers<void>();
  child.once('spawn', started.resolve);
  child.on('error', started.reject);

  let cut: Ran['cut'];
  let ending: Promise<void> | undefined;
  const end = (why: NonNullable<Ran['cut']>): void => {
    if (ending !== undefined || hasEnded(child)) return;
    cut = why;
    ending = endInSteps(child, exited, limits).finally(over.resolve);
  };
  const stdout = collect(child.stdout, limits.maxOutputBytes, () => end('output'));
  const stderr = collectEnd(child.stderr, limits.maxLastWordsBytes);
  const stop = (): void => end('stopped');
  const kill = (): void => killTree(child);
  const timer = setTimeout(() => end('timeout'), timeoutMs);
  now?.addEventListener('abort', kill);
  try {
    await started.promise;
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await over.promise;
    await ending;
    await within(closed, limits.lastOutputMs);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    now?.removeEventListener('abort', kill);
    child.stdout.destroy();
    child.stderr.destroy();
  }
  return { exitCode: child.exitCode, stdout: stdout(), lastWords: stderr(), cut };
}

/** OpenClaw forwards SIGTERM to its agent, but leaves commands running that ignore it. */
async function endInSteps(child: ChildProcess, exited: Promise<void>, limits: ProgramLimits): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    await endByTaskkill(pid, limits.killMs);
    return within(exited, limits.killMs);
  }
  const seen = processTree(pid);
  signalGroup(pid, 'SIGTERM');
  await within(exited, limits.termMs);
  killSeen(seen);
  // Once the leader has exited, the id of its group may be reused.
  if (!hasEnded(child)) signalGroup(pid, 'SIGKILL');
  await within(exited, limits.killMs);
}

function killTree(child: ChildProcess): void {
  if (child.pid === undefined || hasEnded(child)) return;
  if (process.platform === 'win32') child.kill();
  else killSeen(processTree(child.pid));
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has exited.
  }
}

function collect(stream: NodeJS.ReadableStream, maxBytes: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) onTooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}

function collectEnd(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  let last = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    last = Buffer.concat([last, chunk]).subarray(-maxBytes);
  });
  return () => last.toString();
}
