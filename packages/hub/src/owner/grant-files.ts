/** Tokens of sign-ins, sealed. Each has its own file, so that concurrent writers lose nothing. */
import { closeSync, fsyncSync, openSync, rmSync, watch, type FSWatcher } from 'node:fs';
import { join, basename } from 'node:path';
import type { Environment } from '../lib/process.ts';
import { PincerError } from '../core/errors.ts';
import type { GrantFiles } from '../core/ports.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';
import { lostKey, openKeys } from './vault-key.ts';
import type { KeySource } from './vault-key-places.ts';
import {
  grantsFolder,
  keyName,
  openRecord,
  readRecord,
  readText,
  RECORD_SUFFIX,
  recordFiles,
  sealRecord,
  writeRecord,
  writeText,
} from './vault-records.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock, type Lease } from './lease.ts';

export interface GrantFilesOptions {
  readonly sources?: readonly KeySource[];
  readonly now?: () => Date;
}

const KIND = 'grant';

/** Reads no file until it is used. */
export function openGrantFiles(home: string, env: Environment, options: GrantFilesOptions = {}): GrantFiles {
  const { sources, now = () => new Date() } = options;
  const keys = openKeys(home, env, sources);
  const folder = grantsFolder(home);
  const pathOf = (name: string): string => join(folder, name + RECORD_SUFFIX);

  return {
    names: () => recordFiles(folder).map((file) => file.slice(0, -RECORD_SUFFIX.length)),
    async read(name) {
      const stored = readText(pathOf(name));
      if (stored === undefined) return undefined;
      const record = readRecord(stored);
      if (record?.kind !== KIND) throw damaged(pathOf(name));
      const { key, place } = await keys.heldLater();
      if (record.key !== keyName(key))
        throw lostKey(`The sign-in in ${pathOf(name)} was sealed with another key than the one in ${place}.`);
      const text = openRecord(key, record);
      if (text === undefined) throw damaged(pathOf(name));
      return { id: record.id, text };
    },
    async write(name, { id, text }) {
      const { key } = await keys.forWritingLater(pathOf(name));
      const at = now().toISOString();
      const createdAt = readRecord(readText(pathOf(name)) ?? '')?.createdAt ?? at;
      const record = sealRecord(key, { kind: KIND, id, createdAt, updatedAt: at }, text);
      writeText(home, folder, name + RECORD_SUFFIX, writeRecord(record));
      syncFolder(folder);
    },
    remove(name) {
      const wasThere = readText(pathOf(name)) !== undefined;
      rmSync(pathOf(name), { force: true });
      return wasThere;
    },
    alone(name, work) {
      prepareStateFolder(home);
      return lockedAlone(join(runFolder(home), `grant-${name}.sqlite`), work);
    },
    watch: (onChange) => watchRecords(home, folder, onChange),
  };
}

/** A spent refresh token must not come back after a power loss, so the folder entry is synced, too. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const damaged = (path: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', `A sign-in is damaged: ${path}`, {
    hint: 'Restore the file from a backup, or remove it and sign in again: `pincer login NAME`.',
  });

/** The holder of a lock waits for an authorization server, which may take seconds. */
const MAX_WAIT_MS = 60_000;
const LOOK_MS = 20;

/**
 * Runs work in one process at a time. Two processes that renew a token would spend the same refresh token twice. Like the
 * lease, the kernel frees the lock when its holder dies.
 */
async function lockedAlone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await take(path);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function take(path: string): Promise<Lease> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += LOOK_MS) {
    const lock = takeLock(path, 0);
    if (lock !== undefined) return lock;
    await sleep(LOOK_MS);
  }
  throw new PincerError('SERVER_UNREACHABLE', `Another process keeps ${path} locked.`, {
    hint: 'Try again in a moment. If this continues, look for a Pincer process that hangs: ps aux | grep pincer',
  });
}

/** Writing a record causes several events. */
const SETTLE_MS = 50;

/**
 * Reports that a folder of records may have changed. The folder exists only after the first sign-in. If the system cannot
 * watch it, changes are not reported; records are also read before each connection.
 */
function watchRecords(home: string, folder: string, onChange: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, SETTLE_MS).unref();
  };

  function begin(path: string, onEvent: (changed: string | null) => void): boolean {
    watcher?.close();
    try {
      watcher = watch(path, { persistent: false }, (_event, changed) => onEvent(changed));
      watcher.on('error', () => watcher?.close());
      return true;
    } catch {
      watcher = undefined;
      return false;
    }
  }

  const beginInside = (): boolean => begin(folder, settle);
  if (!beginInside())
    begin(home, (changed) => {
      if ((changed === null || changed === basename(folder)) && beginInside()) settle();
    });
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}
