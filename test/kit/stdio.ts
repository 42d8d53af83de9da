/** `pincer stdio` as a program. The test writes and reads every line of its pipes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cut } from '../servers/json.ts';
import { createLineReader } from '../servers/transports/lines.ts';

export interface StdioClient extends AsyncDisposable {
  pid: number;
  send(line: string): void;
  sendBytes(bytes: Buffer): void;
  /** Resolves when the bytes are in the pipe. */
  written(bytes: Buffer): Promise<void>;
  /** Sends a request and waits for the answer with its id. */
  ask(line: string): Promise<string>;
  /** The first line, received or yet to come, that matches and was not taken yet. */
  take(fits?: (line: string) => boolean): Promise<string>;
  /** The first line that was not taken yet, if any. */
  takeNow(): string | undefined;
  /** Lines that were not taken, in order of arrival. */
  readonly untaken: readonly string[];
  pause(): void;
  resume(): void;
  /** Ends stdin. */
  end(): void;
  stderr(): string;
  readonly exited: Promise<number | null>;
}

/** A generous timeout for a hang. */
const TAKE_MS = 30_000;

export interface Program {
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
}

interface Waiter {
  fits: (line: string) => boolean;
  resolve: (line: string) => void;
}

export function openStdio({ command, args, env, cwd }: Program): StdioClient {
  const child = spawn(command, args, { stdio: 'pipe', env: { ...process.env, ...env }, cwd });
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  const untaken: string[] = [];
  const waiters = new Set<Waiter>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.on('error', () => {});
  const onLine = (line: string): void => {
    for (const waiter of waiters) {
      if (!waiter.fits(line)) continue;
      waiters.delete(waiter);
      waiter.resolve(line);
      return;
    }
    untaken.push(line);
  };
  child.stdout.on('data', createLineReader(onLine));

  const take = (fits: (line: string) => boolean = () => true): Promise<string> => {
    const index = untaken.findIndex(fits);
    if (index !== -1) return Promise.resolve(untaken.splice(index, 1)[0]!);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        reject(new Error(`no such line within ${TAKE_MS} ms; stderr: ${stderr}`));
      }, TAKE_MS);
      const waiter: Waiter = {
        fits,
        resolve(line) {
          clearTimeout(timer);
          resolve(line);
        },
      };
      waiters.add(waiter);
    });
  };
  const send = (line: string): void => void child.stdin.write(`${line}\n`);
  return {
    pid: child.pid ?? -1,
    send,
    sendBytes: (bytes) => void child.stdin.write(bytes),
    written: (bytes) => new Promise((resolve) => child.stdin.write(bytes, () => resolve())),
    ask(line) {
      const id = cut(line, 'id');
      send(line);
      return take(
        (answer) => isJson(answer) && cut(answer, 'id') === id && cut(answer, 'method') === undefined,
      );
    },
    take,
    takeNow: () => untaken.shift(),
    untaken,
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    end: () => void child.stdin.end(),
    stderr: () => stderr,
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
