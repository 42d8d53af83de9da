/** Runs a hub as a child of the calling program. It ends when that program ends, for any reason. */
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
  /** 0 takes a free port. */
  readonly port: number;
  readonly env: Environment;
  readonly waitMs: number;
}

export interface ChildHub {
  readonly hubFile: HubFile;
  /** Resolves when the hub has ended. */
  readonly ended: Promise<void>;
  /** Ends the hub. Kills it if it does not exit in time. */
  end(): Promise<void>;
}

const POLL_MS = 25;
/** Limit of the output that is read. The document of a start is far shorter. */
const MAX_DOCUMENT = 1024 * 1024;
/** Longer than a hub waits for its calls and servers to end. */
const KILL_MS = 15_000;

/** Rejects with the child's own error if it cannot start, or if it cannot be reached in time. */
export async function startChildHub(options: ChildHubOptions): Promise<ChildHub> {
  const { home, entry, port, env, waitMs } = options;
  prepareNeutralFolder(home);
  const child = withHubLog(home, (log) =>
    spawn(process.execPath, [entry, 'up', '--port', String(port), '--until-eof', '--json'], {
      cwd: neutralFolder(home),
      // Signals of a terminal go to the parent only. The hub ends when its input ends.
      detached: true,
      windowsHide: true,
      // The output is one document: the hub's address, or why it could not start.
      stdio: ['pipe', 'pipe', log],
      env: { ...env, ...wholePathVariables(env) },
    }),
  );
  let outcome: string | undefined;
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    if (output.length < MAX_DOCUMENT) output += chunk;
  });
  const ended = new Promise<void>((resolve) => {
    const settle = (how: string): void => {
      outcome ??= how;
      resolve();
    };
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    // Not `exit`: on `close` all output has been read.
    child.once('close', (code, signal) => settle(exitReason(code, signal)));
  });
  // Writing to a hub that has ended fails. `ended` reports that.
  child.stdin!.on('error', () => undefined);
  // The program may exit without waiting for the hub, which sees the end of the pipe.
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
    if (outcome !== undefined) throw failureIn(output) ?? hubUnreachable(home, `The hub ${outcome}.`);
    if (performance.now() >= deadline) {
      await end();
      throw hubUnreachable(home, `The hub did not come up within ${waitMs} ms.`);
    }
    await delay(POLL_MS);
  }
}

/** Returns the hub's own error, or undefined if it wrote none. */
function failureIn(document: string): PincerError | undefined {
  try {
    const { error } = JSON.parse(document) as { error?: { code: ErrorCode; message: string; hint?: string } };
    return error && new PincerError(error.code, error.message, { hint: error.hint ?? undefined });
  } catch {
    return undefined;
  }
}
