/** A hub as the child of the calling program: it ends when that does, however that comes about. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../lib/process.ts';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { exitReason } from './exit-reason.ts';
import { isAlive, readHubFile, type HubFile } from './hub-file.ts';
import { hubUnreachable, withHubLog } from './hub-log.ts';
import { neutralFolder, prepareNeutralFolder, wholePathVariables } from './neutral-folder.ts';

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
/** What a hub says when it starts is far shorter. */
const MAX_DOCUMENT = 1024 * 1024;
/** Longer than a hub lets its calls and servers take to end. */
const KILL_MS = 15_000;

/** Rejects where the child cannot start, with what it says of that, or cannot be reached in time. */
export async function startChildHub(options: ChildHubOptions): Promise<ChildHub> {
  const { home, entry, port, env, waitMs } = options;
  prepareNeutralFolder(home);
  const child = withHubLog(home, (log) =>
    spawn(process.execPath, [entry, 'up', '--port', String(port), '--until-eof', '--json'], {
      cwd: neutralFolder(home),
      // Signals of a terminal are for the parent; the end of its input is for the hub.
      detached: true,
      windowsHide: true,
      // Its output is one document: where it is, or why it could not start.
      stdio: ['pipe', 'pipe', log],
      env: { ...env, ...wholePathVariables(env) },
    }),
  );
  let outcome: string | undefined;
  let said = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    if (said.length < MAX_DOCUMENT) said += chunk;
  });
  const ended = new Promise<void>((resolve) => {
    const settle = (how: string): void => {
      outcome ??= how;
      resolve();
    };
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    // Not `exit`: all that it said has been read by then.
    child.once('close', (code, signal) => settle(exitReason(code, signal)));
  });
  // A hub that has ended does not read; that is no news.
  child.stdin!.on('error', () => undefined);
  // Whoever ends in time need not wait for the hub: the pipe tells it.
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) (pipe as unknown as { unref?(): void }).unref?.();

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
    if (outcome !== undefined) throw failureIn(said) ?? hubUnreachable(home, `The hub ${outcome}.`);
    if (performance.now() >= deadline) {
      await end();
      throw hubUnreachable(home, `The hub did not come up within ${waitMs} ms.`);
    }
    await delay(POLL_MS);
  }
}

/** Why the hub did not start, in its own words; undefined: it did not say. */
function failureIn(document: string): PincerError | undefined {
  try {
    const { error } = JSON.parse(document) as { error?: { code: ErrorCode; message: string; hint?: string } };
    return error && new PincerError(error.code, error.message, { hint: error.hint ?? undefined });
  } catch {
    return undefined;
  }
}
