/** Writes the files of a backup into a staging folder and checks them before anything is replaced. */
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
/** These belong to the database that is replaced. */
const BESIDE_STATE = ['state.sqlite-wal', 'state.sqlite-shm', 'state.replica.json'];

export interface ReadBackup extends Backup {
  /** True for a daily copy, which is only the database. */
  readonly isCopy: boolean;
}

export function readBackup(path: string): ReadBackup {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new PincerError('ARGUMENT_INVALID', `${path} cannot be read.`, {
      hint: 'Name a file that `pincer backup` wrote, or a daily copy from copies/ in the state folder.',
      cause: error,
    });
  }
  if (bytes.toString('latin1', 0, SQLITE_MAGIC.length) !== SQLITE_MAGIC)
    return { ...unpackBackup(bytes, path), isCopy: false };
  return { createdAt: '', files: [{ path: STATE, bytes }], isCopy: true };
}

/** `staging` and `before` are names of folders that do not exist yet. */
export function stage(home: string, { files, isCopy }: ReadBackup, names: Omit<Swap, 'entries'>): Swap {
  const folder = join(home, names.staging);
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileAtomically(join(folder, path), bytes);
  }
  if (files.some(({ path }) => path === STATE)) checkState(home, join(folder, STATE));
  const fresh = new Set(readdirSync(folder));
  const removed = [...(isCopy ? [] : MANAGED), ...(fresh.has(STATE) ? BESIDE_STATE : [])];
  const all = [...new Set([...removed, ...fresh])];
  return { ...names, entries: all.map((name) => ({ name, isNew: fresh.has(name) })) };
}

function checkState(home: string, path: string): void {
  const rows = loadCopy(path);
  if (rows === undefined)
    throw new PincerError(
      'ARGUMENT_INVALID',
      'The database in the backup is damaged, or this version of Pincer cannot read it.',
      {
        hint: 'Nothing was changed. Try another backup, or a daily copy from copies/ in the state folder: pincer restore FILE',
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

/** Servers with tools accepted after the backup. Their tools must be held, not pinned again on first sight. */
function doubtsFor(rows: StateRows, home: string): PinDoubt[] {
  const replica = readReplica(storeFiles(home).replica);
  if (typeof replica !== 'object') return [];
  return replica.pins
    .filter(({ server, origin, tools }) =>
      tools.some(([tool, digest]) => rows.pins.get(server, origin, tool)?.digest !== digest),
    )
    .map(({ server, origin }) => ({ server, origin }));
}
