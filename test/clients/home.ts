/** A home folder that knows nobody: a client finds no account, no settings and no way out of this machine. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run } from './run.ts';

/** Nobody listens on the discard port, so what a client would fetch from elsewhere fails at once. */
const NOWHERE = 'http://127.0.0.1:9';

export interface Home extends Disposable {
  folder: string;
  env: Record<string, string>;
  /** Runs a program in the folder; gives what it printed. */
  run(command: string, args: readonly string[], env?: Record<string, string>): Promise<string>;
}

export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-client-'));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  // Nothing is inherited but the way to the programs.
  const env = {
    HOME: folder,
    TMPDIR: temporary,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: '127.0.0.1',
    NO_COLOR: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  return {
    folder,
    env,
    run: (command, args, more) => run(command, args, { cwd: folder, env: { ...env, ...more } }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
