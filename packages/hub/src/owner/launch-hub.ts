/** Starts a hub in the background and waits until one can be reached, be it that one or a faster rival. */
import { spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PincerError } from '../core/errors.ts';
import { findHub } from './attach.ts';
import { exitReason } from './exit-reason.ts';
import type { HubFile } from './hub-file.ts';
import { isLeaseHeld } from './lease.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';

const POLL_MS = 25;
/** The first start may have lost to a hub that was just ending: one more try, then it is a failure. */
const MAX_STARTS = 2;
const LOG_TAIL_LINES = 8;

interface Started {
  /** How it ended; undefined while it runs. */
  outcome: string | undefined;
}

const logPath = (home: string): string => join(runFolder(home), 'hub.log');

function start(home: string, entry: string): Started {
  // Appending, so that a rival's hub, which has the file open too, leaves no hole when this truncates it.
  const log = openSync(logPath(home), 'a', 0o600);
  try {
    ftruncateSync(log);
    const child = spawn(process.execPath, [entry, 'up', '--background'], {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, PINCER_HOME: home },
    });
    const started: Started = { outcome: undefined };
    child.once('error', (error) => (started.outcome = `could not be started: ${error.message}`));
    child.once('exit', (code, signal) => (started.outcome = exitReason(code, signal)));
    child.unref();
    return started;
  } finally {
    closeSync(log);
  }
}

function readLogTail(home: string): string {
  try {
    return readFileSync(logPath(home), 'utf8').trim().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  } catch {
    return '';
  }
}

function unreachable(home: string, message: string): PincerError {
  const tail = readLogTail(home);
  const log = tail === '' ? `${logPath(home)} is empty.` : `${logPath(home)} ends with:\n${tail}`;
  return new PincerError('HUB_UNREACHABLE', message, { hint: `Run \`pincer up\` to see it start. ${log}` });
}

export async function launchHub(home: string, entry: string, waitMs: number): Promise<HubFile> {
  prepareStateFolder(home);
  const deadline = performance.now() + waitMs;
  let started = start(home, entry);
  let starts = 1;
  for (;;) {
    // Looked at before the file: a process that has ended has written its file before.
    const { outcome } = started;
    const hubFile = findHub(home);
    if (hubFile !== undefined) return hubFile;
    // It ended because a rival holds the lease, and that one will be reachable soon; or it failed.
    if (outcome !== undefined && !isLeaseHeld(home)) {
      if (starts === MAX_STARTS) throw unreachable(home, `The hub started in the background ${outcome}.`);
      started = start(home, entry);
      starts += 1;
    }
    if (performance.now() >= deadline) {
      throw unreachable(home, `The hub did not come up in the background within ${waitMs} ms.`);
    }
    await delay(POLL_MS);
  }
}
