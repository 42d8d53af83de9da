/** A shell: variables and functions of one command are kept for the next. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { eventually } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Shell extends AsyncDisposable {
  /** Home and working folder. */
  folder: string;
  env: Record<string, string>;
  write(name: string, text: string): void;
  /** Returns the output; throws if the commands fail. */
  run(commands: string): Promise<string>;
  /** Runs commands that keep running, as in another terminal. */
  start(commands: string): Terminal;
}

export interface Terminal {
  printed(): string;
  until(text: string): Promise<void>;
  stop(): Promise<void>;
}

const RUN_MS = 120_000;
const UNTIL_MS = 60_000;
const STOP_MS = 30_000;

/** `programs` maps command names to Node scripts. */
export function openShell(programs: Record<string, string>): Shell {
  const { path: folder, [Symbol.dispose]: remove } = temporaryFolder('shell');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = {
    HOME: folder,
    PATH: [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    NO_PROXY: '127.0.0.1',
    NO_COLOR: '1',
    PINCER_KEYCHAIN: 'off',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const kept = join(folder, 'kept.sh');
  writeFileSync(kept, '');
  const running = new Set<Terminal>();

  function begin(commands: string): { child: ChildProcess; stdout(): string; stderr(): string } {
    const script = `set -ea; . "${kept}"; ${commands}\nexport -p > "${kept}"`;
    const child = spawn('bash', ['-c', script], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const written = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => (written[name] += chunk));
    return { child, stdout: () => written.stdout, stderr: () => written.stderr };
  }

  return {
    folder,
    env,
    write: (name, text) => writeFileSync(join(folder, name), text, { mode: 0o600 }),
    async run(commands) {
      const { child, stdout, stderr } = begin(commands);
      const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), RUN_MS);
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(timer);
      if (code === 0) return stdout();
      throw new Error(`${commands}\nended with ${code}:\n${stdout()}${stderr()}`);
    },
    start(commands) {
      const { child, stdout, stderr } = begin(commands);
      const ended = once(child, 'close');
      const terminal: Terminal = {
        printed: stdout,
        async until(text) {
          if (await eventually(() => stdout().includes(text), UNTIL_MS)) return;
          throw new Error(`${commands}\nnever said "${text}":\n${stdout()}${stderr()}`);
        },
        async stop() {
          if (!running.delete(terminal)) return;
          const end = (signal: NodeJS.Signals): void => {
            if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
          };
          const timer = setTimeout(end, STOP_MS, 'SIGKILL');
          // Like Ctrl-C: every process in the terminal receives it.
          end('SIGINT');
          await ended;
          clearTimeout(timer);
        },
      };
      running.add(terminal);
      return terminal;
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of running) await terminal.stop();
      remove();
    },
  };
}
