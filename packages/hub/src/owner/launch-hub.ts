/** Starts a hub in the background and waits until a hub can be reached: this one or a faster rival. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { findHub, type HubFile } from './hub-file.ts';
import { PincerError } from '../core/errors.ts';
import { exitReason } from './exit-reason.ts';
import { hubUnreachable, withHubLog } from './hub-log.ts';
import { isLeaseHeld } from './lease.ts';
import { neutralFolder, prepareNeutralFolder, wholePathVariables } from './neutral-folder.ts';

const POLL_MS = 25;
/** The first start may have failed because another hub was just ending, so there is one retry. */
const MAX_STARTS = 2;
interface Launch {
  readonly entry: string;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Started {
  /** How it ended; undefined while it runs. */
  outcome: string | undefined;
  stop(): void;
}

const start = (home: string, entry: string): Started =>
  withHubLog(home, (log) => {
    const child = spawn(process.execPath, [entry, 'up', '--background'], {
      cwd: neutralFolder(home),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...wholePathVariables(process.env), PINCER_HOME: home },
    });
    const started: Started = { outcome: undefined, stop: () => void child.kill('SIGTERM') };
    child.once('error', (error) => (started.outcome = `could not be started: ${error.message}`));
    child.once('exit', (code, signal) => (started.outcome = exitReason(code, signal)));
    child.unref();
    return started;
  });

export async function launchHub(home: string, { entry, waitMs, signal }: Launch): Promise<HubFile> {
  prepareNeutralFolder(home);
  const deadline = performance.now() + waitMs;
  let started = start(home, entry);
  let starts = 1;
  for (;;) {
    // Read before the file: a process that has ended wrote its file earlier.
    const { outcome } = started;
    const hubFile = findHub(home);
    if (hubFile !== undefined) return hubFile;
    if (signal?.aborted === true) {
      // No other client can have found it yet.
      started.stop();
      throw new PincerError('CALL_CANCELLED', 'Cancelled while the hub was starting.', {
        data: { sent: false },
      });
    }
    // It ended because a rival holds the lease and will be reachable soon, or it failed.
    if (outcome !== undefined && !isLeaseHeld(home)) {
      if (starts === MAX_STARTS) throw hubUnreachable(home, `The hub started in the background ${outcome}.`);
      started = start(home, entry);
      starts += 1;
    }
    if (performance.now() >= deadline) {
      throw hubUnreachable(home, `The hub did not come up in the background within ${waitMs} ms.`);
    }
    await delay(POLL_MS);
  }
}
