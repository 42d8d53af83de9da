/** Writes the files of a backup beside those of the state folder, and looks at them, before anything is replaced. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PincerError } from '../../core/errors.ts';
import type { PinDoubt } from '../../core/ports.ts';
import type { Swap } from '../../owner/restore-swap.ts';
import { writeFileAtomically } from '../../owner/state-folder.ts';
import { storeFiles } from '../../store/files.ts';
import { put } from '../../store/rows/table.ts';
import { loadCopy } from '../../store/state/copies.ts';
import { readReplica } from '../../store/state/replica.ts';
import { openStateFile } from '../../store/state/state-file.ts';
import type { StateRows } from '../../store/state/state-rows.ts';
import { unpackBackup, type Backup } from './archive.ts';
import { MANAGED, STATE } from './contents.ts';

const SQLITE_MAGIC = 'SQLite format 3\0';
/** They belong to the database that goes. */
const BESIDE_STATE = ['state.sqlite-wal', 'state.sqlite-shm', 'state.replica.json'];

export interface ReadBackup extends Backup {
  /** A daily copy: it has the database and nothing else. */
  readonly isCopy: boolean;
}

export function readBackup(path: string): ReadBackup {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new PincerError('ARGUMENT_INVALID', `${path} cannot be read.`, {
      hint: 'Name a file that `pincer backup` made, or one of copies/ in the state folder.',
      cause: error,
    });
  }
  if (bytes.toString('latin1', 0, SQLITE_MAGIC.length) !== SQLITE_MAGIC)
    return { ...unpackBackup(bytes, path), isCopy: false };
  return { createdAt: '', files: [{ path: STATE, bytes }], isCopy: true };
}

/** `staging` and `before` are names of folders that are not there yet. */
export function stage(home: string, { files, isCopy }: ReadBackup, names: Omit<Swap, 'entries'>): Swap {
  const folder = join(home, names.staging);
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileAtomically(join(folder, path), bytes);
  }
  if (files.some(({ path }) => path === STATE)) checkState(home, join(folder, STATE));
  const fresh = new Set(readdirSync(folder));
  const goes = [...(isCopy ? [] : MANAGED), ...(fresh.has(STATE) ? BESIDE_STATE : [])];
  const all = [...new Set([...goes, ...fresh])];
  return { ...names, entries: all.map((name) => ({ name, isNew: fresh.has(name) })) };
}

function checkState(home: string, path: string): void {
  const rows = loadCopy(path);
  if (rows === undefined)
    throw new PincerError(
      'ARGUMENT_INVALID',
      'The database in the backup is damaged, or not of this Pincer.',
      {
        hint: 'Nothing was changed. Take another backup, or a daily copy: a file of copies/ in the state folder.',
      },
    );
  const doubts = doubtsFor(rows, home);
  const state = openStateFile(path, { now: () => Date.now(), onRewritten: () => undefined });
  try {
    if (doubts.length > 0) state.apply(doubts.map((doubt) => put(state.rows.doubts, doubt)));
  } finally {
    state.close();
  }
}

/** What was accepted since then is not in the backup: it must not be accepted again at first sight. */
function doubtsFor(rows: StateRows, home: string): PinDoubt[] {
  const replica = readReplica(storeFiles(home).replica);
  if (typeof replica !== 'object') return [];
  return replica.pins
    .filter(({ server, origin, tools }) =>
      tools.some(([tool, digest]) => rows.pins.get(server, origin, tool)?.digest !== digest),
    )
    .map(({ server, origin }) => ({ server, origin }));
}
