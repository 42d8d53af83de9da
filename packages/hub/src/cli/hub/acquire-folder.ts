/** Stops an idle background hub, so that a command can own the state folder. */
import { setTimeout as delay } from 'node:timers/promises';
import { PincerError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { findHub } from '../../owner/hub-file.ts';
import { ask, clientOf } from '../../control/client/hub-client.ts';
import { plural } from '../../lib/text.ts';

const WAIT_MS = 15_000;
const POLL_MS = 50;

/** Runs `start`. If an idle background hub owns the state folder, stops it first. */
export async function acquireFolder<T>(start: () => Promise<T>, home: string, log: Log): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  let hasAsked = false;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const mayEnd = isRunning(error) && error.data?.['mode'] !== 'foreground';
      if (!mayEnd || performance.now() > deadline) throw error;
      // Without a mode the hub is just starting or ending and cannot be reached. It releases the folder last.
      if (error.data?.['mode'] === 'background' && !hasAsked) {
        await stopIdleHub(home, error);
        hasAsked = true;
        log.info('the idle background hub is ending', { pid: error.data['pid'] });
      }
      await delay(POLL_MS);
    }
  }
}

async function stopIdleHub(home: string, running: PincerError): Promise<void> {
  const hubFile = findHub(home);
  if (hubFile === undefined) return;
  const hub = clientOf(home, hubFile);
  const { attached, callsInFlight } = await ask(hub, 'GET status').catch(ifGone);
  if (attached === 0 && callsInFlight === 0) return void (await ask(hub, 'POST stop').catch(ifGone));
  const users = [
    ...(attached > 0 ? [plural(attached, 'client')] : []),
    ...(callsInFlight > 0 ? [plural(callsInFlight, 'call')] : []),
  ];
  throw new PincerError(
    'HUB_RUNNING',
    `${running.message} It is a background hub, in use by ${users.join(' and ')}.`,
    {
      hint: `Use that hub, or stop it first: kill ${hubFile.pid}`,
      data: running.data,
    },
  );
}

/** The hub may have ended by itself in the meantime. */
function ifGone(error: unknown): { attached: number; callsInFlight: number } {
  if (PincerError.is(error) && error.code === 'HUB_UNREACHABLE') return { attached: 0, callsInFlight: 0 };
  throw error;
}

const isRunning = (error: unknown): error is PincerError =>
  PincerError.is(error) && error.code === 'HUB_RUNNING';
