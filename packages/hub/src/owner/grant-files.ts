/** What sign-ins have given, sealed: one file for each, so that two who write at once lose nothing. */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../core/environment.ts';
import { PincerError } from '../core/errors.ts';
import type { GrantFiles } from '../core/ports.ts';
import { lockedAlone } from './grant-files-lock.ts';
import { watchRecords } from './grant-files-watch.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';
import { lostKey, openKeys } from './vault-key.ts';
import type { KeySource } from './vault-key-source.ts';
import { grantsFolder, readText, RECORD_SUFFIX, recordFiles, writeText } from './vault-records.ts';
import { keyName, openRecord, readRecord, sealRecord, writeRecord } from './vault-record.ts';

export interface GrantFilesOptions {
  readonly sources?: readonly KeySource[];
  readonly now?: () => Date;
}

const KIND = 'grant';

/** Reads nothing before it is asked for something. */
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
        throw lostKey(`The sign-in in ${pathOf(name)} takes another key than the one in ${place}.`);
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

/** A refresh token that was spent must not come back after a loss of power: the new name has to be there, too. */
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
    hint: 'Put the file back from a backup, or remove it and sign in again: `pincer login NAME`.',
  });
