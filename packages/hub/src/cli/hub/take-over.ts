/** A hub that a command started in the background makes room for one that somebody starts on purpose. */
import { setTimeout as delay } from 'node:timers/promises';
import { PincerError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { findHub } from '../../owner/hub-file.ts';
import { ask, clientOf } from '../../control/client/hub-client.ts';
import { plural } from '../../lib/text.ts';

const WAIT_MS = 15_000;
const POLL_MS = 50;

/** Runs `start`; where an idle background hub is in the way, ends that one first. */
export async function takeOver<T>(start: () => Promise<T>, home: string, log: Log): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  let hasAsked = false;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isPassing = isRunning(error) && error.data?.['mode'] !== 'foreground';
      if (!isPassing || performance.now() > deadline) throw error;
      // Without a mode nobody can be reached: a hub that is just starting or ending. The lease goes last.
      if (error.data?.['mode'] === 'background' && !hasAsked) {
        await stopIdleHub(home, error);
        hasAsked = true;
        log.info('the hub that ran in the background makes room', { pid: error.data['pid'] });
      }
      await delay(POLL_MS);
    }
  }
}

async function stopIdleHub(home: string, inTheWay: PincerError): Promise<void> {
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
    `${inTheWay.message} It runs in the background, in use by ${users.join(' and ')}.`,
    {
      hint: `Use it, or end it first: kill ${hubFile.pid}`,
      data: inTheWay.data,
    },
  );
}

/** It may be ending by itself at this very moment. */
function ifGone(error: unknown): { attached: number; callsInFlight: number } {
  if (PincerError.is(error) && error.code === 'HUB_UNREACHABLE') return { attached: 0, callsInFlight: 0 };
  throw error;
}

const isRunning = (error: unknown): error is PincerError =>
  PincerError.is(error) && error.code === 'HUB_RUNNING';
