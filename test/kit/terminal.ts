/** The command line at a terminal, which `script` of util-linux provides. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ENTRY } from './hub.ts';
import { eventually } from './processes.ts';

export interface Terminal extends AsyncDisposable {
  /** All output so far, without colours and cursor movements. */
  seen(): string;
  /** Waits until this text was shown `times` times. */
  until(text: string, times?: number): Promise<void>;
  type(keys: string): void;
  /** The exit code. */
  ended: Promise<number | null>;
}

const WAIT_MS = 30_000;
const SCRIPT = '/usr/bin/script';

export function openOnTerminal(args: string[], env: Record<string, string>, cwd?: string): Terminal {
  const quoted = [process.execPath, ENTRY, ...args].map(
    (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  const child = spawn(SCRIPT, ['-qefc', quoted.join(' '), '/dev/null'], {
    stdio: 'pipe',
    cwd,
    env: { ...process.env, NO_COLOR: '1', TERM: 'xterm', ...env },
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  // oxlint-disable-next-line no-control-regex -- terminal control sequences
  const seen = (): string => shown.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r\n', '\n');
  return {
    seen,
    async until(text, times = 1) {
      if (await eventually(() => seen().split(text).length > times, WAIT_MS)) return;
      throw new Error(`"${text}" was not shown; what was: ${seen()}`);
    },
    type: (keys) => void child.stdin.write(keys),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
