/** A hub as the child of the calling program: it ends when that does, however that comes about. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../core/environment.ts';
import { exitReason } from './exit-reason.ts';
import { isAlive, readHubFile, type HubFile } from './hub-file.ts';
import { hubUnreachable, withHubLog } from './hub-log.ts';
import { prepareStateFolder } from './state-folder.ts';

export interface ChildHubOptions {
  readonly home: string;
  /** `bin/pincer.js`. */
  readonly entry: string;
  /** Zero: a free one. */
  readonly port: number;
  readonly env: Environment;
  readonly waitMs: number;
}

export interface ChildHub {
  readonly hubFile: HubFile;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Lets it end; what does not within a while is killed. */
  end(): Promise<void>;
}

const POLL_MS = 25;
/** Longer than a hub lets its calls and servers take to end. */
const KILL_MS = 15_000;

/** Rejects where the child cannot be reached in time, with the last lines of its log. */
export async function startChildHub(options: ChildHubOptions): Promise<ChildHub> {
  const { home, entry, port, env, waitMs } = options;
  prepareStateFolder(home);
  const child = withHubLog(home, (log) =>
    spawn(process.execPath, [entry, 'up', '--port', String(port), '--until-eof'], {
      // Signals of a terminal are for the parent; the end of its input is for the hub.
      detached: true,
      windowsHide: true,
      stdio: ['pipe', 'ignore', log],
      env: { ...env },
    }),
  );
  let outcome: string | undefined;
  const ended = new Promise<void>((resolve) => {
    const settle = (how: string): void => {
      outcome ??= how;
      resolve();
    };
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => settle(exitReason(code, signal)));
  });
  // A hub that has ended does not read; that is no news.
  child.stdin!.on('error', () => undefined);
  // Whoever ends in time need not wait for the hub: the pipe tells it.
  child.unref();
  (child.stdin as unknown as { unref?(): void }).unref?.();

  async function end(): Promise<void> {
    child.stdin!.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_MS).unref();
    await ended;
    clearTimeout(timer);
  }

  const deadline = performance.now() + waitMs;
  for (;;) {
    const hubFile = readHubFile(home);
    if (hubFile !== undefined && hubFile.pid === child.pid && isAlive(hubFile))
      return { hubFile, ended, end };
    if (outcome !== undefined) throw hubUnreachable(home, `The hub ${outcome}.`);
    if (performance.now() >= deadline) {
      await end();
      throw hubUnreachable(home, `The hub did not come up within ${waitMs} ms.`);
    }
    await delay(POLL_MS);
  }
}
