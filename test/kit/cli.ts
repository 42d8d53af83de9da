/** Runs the command line as a program on its own state folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ENTRY, readHubFile } from './hub.ts';
import { eventually, isAlive } from './processes.ts';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
}

export interface Started {
  child: ChildProcess;
  stdout(): string;
  ended: Promise<Ran>;
}

export interface CliHome extends AsyncDisposable {
  path: string;
  run(args: string[], options?: RunOptions): Promise<Ran>;
  /** Runs with `--json` and returns the parsed document with the exit code. */
  json(
    args: string[],
    options?: RunOptions,
  ): Promise<{ code: number | null; document: Record<string, unknown> }>;
  start(args: string[], options?: RunOptions): Started;
  configure(servers: object, rest?: object): void;
  /** The process id of the hub that runs on the folder. */
  hubPid(): number | undefined;
}

const STOP_MS = 20_000;

/** Runs one command on a folder that the caller cleans up. */
export async function runCli(
  args: string[],
  home: string,
  { input = '', env }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    stdio: 'pipe',
    env: { ...process.env, NO_COLOR: '1', PINCER_HOME: home, ...env },
  });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

export function openCliHome(): CliHome {
  const path = mkdtempSync(join(tmpdir(), 'pincer-cli-'));
  const children = new Set<ChildProcess>();

  function start(args: string[], { input, env, cwd }: RunOptions = {}): Started {
    const child = spawn(process.execPath, [ENTRY, ...args], {
      stdio: 'pipe',
      cwd,
      env: { ...process.env, NO_COLOR: '1', PINCER_HOME: path, ...env },
    });
    children.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    if (input !== undefined) child.stdin.end(input);
    const ended = once(child, 'close').then(([code]) => {
      children.delete(child);
      return { code: code as number | null, stdout, stderr };
    });
    return { child, stdout: () => stdout, ended };
  }

  const run: CliHome['run'] = (args, options) => start(args, { input: '', ...options }).ended;
  return {
    path,
    run,
    start,
    async json(args, options) {
      const { code, stdout } = await run([...args, '--json'], options);
      return { code, document: JSON.parse(stdout) as Record<string, unknown> };
    },
    configure: (servers, rest = {}) =>
      writeFileSync(join(path, 'config.json'), JSON.stringify({ ...rest, servers }), { mode: 0o600 }),
    hubPid: () => readHubFile(path)?.['pid'] as number | undefined,
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL');
      // A background hub is not a child of this process.
      const pid = readHubFile(path)?.['pid'] as number | undefined;
      if (pid !== undefined && isAlive(pid)) {
        process.kill(pid, 'SIGTERM');
        if (!(await eventually(() => !isAlive(pid), STOP_MS))) process.kill(pid, 'SIGKILL');
      }
      rmSync(path, { recursive: true, force: true });
    },
  };
}
