/**
 * Runs OpenClaw, or a program that transcribes, to its end, and ends it with all that it has started if it is cut off. No
 * shell takes part. owner/run-program.ts does not fit: it also ends what outlives a run that ended by itself, and an agent
 * may start servers that stay.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { within } from '../../lib/bounded-wait.ts';
import type { Environment } from '../../lib/environment.ts';
import { endByTaskkill, killSeen, processTree } from '../../owner/end-tree.ts';

/** What one run of a program may take, in bytes and milliseconds. */
export const PROGRAM_LIMITS = {
  /** Of OpenClaw's answer with all that is told of it: the text is in it three times, and the message once. */
  maxOutputBytes: 64 * 1024 * 1024,
  /** Of what is written besides, the last. */
  maxLastWordsBytes: 16 * 1024,
  /** From SIGTERM to SIGKILL. OpenClaw itself takes three seconds to force an end. */
  termMs: 8_000,
  /** From SIGKILL to giving up. */
  killMs: 5_000,
  /** From the end to the last output, where a grandchild keeps the pipe open. */
  lastOutputMs: 1_000,
} as const;

type ProgramLimits = { readonly [K in keyof typeof PROGRAM_LIMITS]: number };

interface Program {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** Aborted: nobody wants it any more. */
  readonly signal: AbortSignal;
  /** Aborted: there is no time to ask it. */
  readonly now?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly limits: ProgramLimits;
}

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The end of what it wrote to stderr. */
  readonly lastWords: string;
  /** Why it was ended by us; undefined where it ended by itself. */
  readonly cut: 'stopped' | 'timeout' | 'output' | undefined;
}

/** Rejects where it could not be started. Resolves when it is gone. */
export async function runProgram(program: Program): Promise<Ran> {
  const { command, cwd, env, signal, now, timeoutMs, limits } = program;
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env,
    shell: false,
    // The leader of a group of its own: what is meant for us in a terminal does not reach it.
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

/** OpenClaw passes SIGTERM on to its agent, but leaves a command behind that does not heed it. */
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
  // The id of a group is its leader's, and may be another's when that one is gone.
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
    // All of it is gone by now.
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
