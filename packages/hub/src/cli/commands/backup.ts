/** `pincer backup`: writes everything in the state folder that cannot be recreated into one file. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, PincerError } from '../../core/errors.ts';
import { runFolder, writeFileAtomically } from '../../owner/state-folder.ts';
import { asDiskError } from '../../core/disk-error.ts';
import { storeFiles } from '../../store/files.ts';
import { copyDatabase, loadCopy } from '../../store/state/copies.ts';
import { VERSION } from '../../lib/version.ts';
import { packBackup, type BackupFile } from '../backup/archive.ts';
import { readContents, STATE, keyAdvice } from '../backup/contents.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { plural } from '../../lib/text.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[FILE] [--with-key]',
  description:
    'Saves everything that cannot be recreated in one file: configuration, tokens, accepted tools, encrypted secrets and sign-ins. Works while the hub is running.',
  arguments: [['[file]', 'the file to write; default: pincer-backup-TIME.gz in the current folder']],
  options: { '--with-key': 'include the key that decrypts secrets and sign-ins' },
  run: ({ words: [file], flags }, context) => backup(file, flags, context),
});

interface BackupFlags {
  readonly withKey: boolean;
}

const LEFT_OUT = [
  'the log of calls (calls.sqlite)',
  'the cached tool lists of servers (cache.sqlite)',
  'voices/',
];

function backup(file: string | undefined, { withKey }: BackupFlags, context: Context): ExitCode {
  const { home, json } = context;
  const createdAt = new Date().toISOString();
  const target = resolve(file ?? `pincer-backup-${createdAt.slice(0, 19).replaceAll(':', '-')}.gz`);
  if (existsSync(target))
    throw new PincerError('USAGE', `${target} already exists.`, {
      hint: 'Choose another name: pincer backup FILE',
    });
  const files = [...readContents(home, withKey), ...snapshot(home)];
  if (files.length === 0)
    throw new PincerError('USAGE', `There is nothing to back up in ${home}.`, {
      hint: 'Set PINCER_HOME to the state folder, or start the hub first: pincer up',
    });
  try {
    writeFileAtomically(target, packBackup({ createdAt, files }, VERSION));
  } catch (error) {
    throw asDiskError(target, error);
  }
  const key = keyAdvice(files, home);
  const notIncluded = [...(key === undefined ? [] : [key]), ...LEFT_OUT];
  if (json) {
    printJson({ ok: true, file: target, included: files.map(({ path }) => path), notIncluded });
    return EXIT.ok;
  }
  print(`${target}\n`);
  note(`Backed up ${plural(files.length, 'file')} of ${home}.\n`);
  note(`Not included: ${notIncluded.join('; ')}.\n`);
  note('The file contains valid tokens: keep it private. To restore it: pincer restore FILE\n');
  return EXIT.ok;
}

/** A consistent copy of the database, even while a hub is writing to it. */
function snapshot(home: string): BackupFile[] {
  const { state } = storeFiles(home);
  if (!existsSync(state)) return [];
  const copy = join(runFolder(home), `backup-${process.pid}.sqlite`);
  try {
    mkdirSync(runFolder(home), { recursive: true, mode: 0o700 });
    copyDatabase(state, copy);
    if (loadCopy(copy) === undefined) throw new Error('some rows are damaged');
    return [{ path: STATE, bytes: readFileSync(copy) }];
  } catch (error) {
    const known = asDiskError(copy, error);
    if (PincerError.is(known)) throw known;
    throw new PincerError('STORE_DAMAGED', `${state} cannot be backed up: ${messageOf(error)}.`, {
      hint: 'Start the hub, which migrates the database and repairs what it can: pincer up',
      cause: error,
    });
  } finally {
    rmSync(copy, { force: true });
  }
}
