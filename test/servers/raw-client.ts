import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLineReader } from './transports/lines.ts';

/** A pipe to a server on which the test writes and reads every byte itself. */
export interface RawPipe extends AsyncDisposable {
  pid: number;
  write(line: string): void;
  /** The next line from the server, in order of arrival. */
  read(): Promise<string>;
  /** Ends stdin. */
  end(): void;
  /** The exit code, or null after a signal. */
  exited: Promise<number | null>;
}

const READ_MS = 20_000;

export function openPipe(target: { command: string; args: string[]; env?: Record<string, string> }): RawPipe {
  const env = { ...process.env, ...target.env };
  const child = spawn(target.command, target.args, { stdio: ['pipe', 'pipe', 'ignore'], env });
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  const lines: string[] = [];
  const readers: ((line: string) => void)[] = [];
  const onLine = createLineReader((line) => {
    const reader = readers.shift();
    if (reader === undefined) lines.push(line);
    else reader(line);
  });
  child.stdout.on('data', onLine);
  child.stdin.on('error', () => {});
  return {
    pid: child.pid ?? -1,
    write: (line) => void child.stdin.write(`${line}\n`),
    read: () => {
      const line = lines.shift();
      if (line !== undefined) return Promise.resolve(line);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no line from the server')), READ_MS);
        readers.push((next) => {
          clearTimeout(timer);
          resolve(next);
        });
      });
    },
    end: () => void child.stdin.end(),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Sends a raw body. The default headers can be replaced, or removed by an empty value. */
export function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const given = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '');
  return fetch(url, { method: 'POST', headers: Object.fromEntries(given), body });
}

/** The messages in a JSON or event-stream response. */
export async function messagesOf(response: Response): Promise<string[]> {
  const body = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return body === '' ? [] : [body];
  return body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}
