/** The log of a hub that another process started, and the error if it does not come up. */
import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PincerError } from '../core/errors.ts';
import { runFolder } from './state-folder.ts';

const LOG_TAIL_LINES = 8;

const hubLogPath = (home: string): string => join(runFolder(home), 'hub.log');

/** Calls `use` with an empty log, and closes it afterwards. */
export function withHubLog<T>(home: string, use: (log: number) => T): T {
  // Opened for appending: a rival hub has the file open, too, and would leave a hole after this truncation.
  const log = openSync(hubLogPath(home), 'a', 0o600);
  try {
    ftruncateSync(log);
    return use(log);
  } finally {
    closeSync(log);
  }
}

export function hubUnreachable(home: string, message: string): PincerError {
  const tail = readTail(home);
  const log = tail === '' ? `${hubLogPath(home)} is empty.` : `${hubLogPath(home)} ends with:\n${tail}`;
  return new PincerError('HUB_UNREACHABLE', message, { hint: `Run \`pincer up\` to see it start. ${log}` });
}

function readTail(home: string): string {
  try {
    return readFileSync(hubLogPath(home), 'utf8').trim().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  } catch {
    return '';
  }
}
