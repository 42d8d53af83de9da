import { asDiskError } from '../core/disk-error.ts';
import { PincerError } from '../core/errors.ts';
import { findHub } from './attach.ts';
import { takeLease, type Lease } from './lease.ts';
import { prepareStateFolder } from './state-folder.ts';

/** Makes the calling process the owner of the folder, or says who is. */
export function ownFolder(home: string): Lease {
  prepare(home);
  const lease = takeLease(home);
  if (lease !== undefined) return lease;
  const running = findHub(home);
  if (running === undefined)
    throw new PincerError('HUB_RUNNING', `Another process is just starting or ending a hub on ${home}.`, {
      hint: 'Wait a moment, then try again.',
    });
  throw new PincerError(
    'HUB_RUNNING',
    `A hub already runs on ${home}: process ${running.pid}, ${running.endpoints.mcp}.`,
    {
      hint: `Use it, or end it first: kill ${running.pid}`,
      data: { pid: running.pid, mode: running.mode },
    },
  );
}

/** A disk that is full or read-only is named as such: every start comes this way. */
function prepare(home: string): void {
  try {
    prepareStateFolder(home);
  } catch (error) {
    const known = PincerError.is(error) ? asDiskError(home, error.cause) : error;
    throw PincerError.is(known) ? known : error;
  }
}
