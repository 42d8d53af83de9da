/** `pincer restore`: restores the state folder from a backup. The previous files are kept. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ownFolder } from '../../owner/lease.ts';
import { finishSwap, swapIn } from '../../owner/restore-swap.ts';
import { asDiskError } from '../../core/disk-error.ts';
import { keyAdvice } from '../backup/contents.ts';
import { readBackup, stage } from '../backup/stage.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { acquireFolder } from '../hub/acquire-folder.ts';
import { plural } from '../../lib/text.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'FILE',
  description:
    'Restores the state folder from a file that `pincer backup` wrote, or from a daily copy (copies/ in the state folder). Stop the hub first. The previous files are kept in a folder beside the restored ones.',
  arguments: ['<file>'],
  run: ({ words: [file] }, context) => restore(file, context),
});

async function restore(file: string, { home, json }: Context): Promise<ExitCode> {
  const backup = readBackup(resolve(file));
  // An idle background hub ends; any other hub makes this command fail.
  const lease = await acquireFolder(async () => ownFolder(home), home, SILENT);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const before = `before-restore-${stamp}`;
  const staging = `restoring-${stamp}`;
  try {
    finishSwap(home);
    swapIn(home, stage(home, backup, { staging, before }));
  } catch (error) {
    throw asDiskError(join(home, staging), error);
  } finally {
    if (!existsSync(join(home, 'run', 'restore.json')))
      rmSync(join(home, staging), { recursive: true, force: true });
    lease.release();
  }
  const restored = backup.files.map(({ path }) => path);
  const key = keyAdvice(backup.files, home);
  const isKept = readdirSync(join(home, before)).length > 0;
  if (!isKept) rmSync(join(home, before), { recursive: true });
  if (json) {
    printJson({
      ok: true,
      restored,
      before: isKept ? join(home, before) : null,
      missing: key === undefined ? [] : [key],
    });
    return EXIT.ok;
  }
  const when = backup.createdAt === '' ? '' : ` of ${backup.createdAt}`;
  print(`Restored ${plural(restored.length, 'file')}${when} to ${home}.\n`);
  if (isKept) note(`The previous files are in ${join(home, before)}.\n`);
  if (key !== undefined) note(`Not in the backup: ${key}.\n`);
  note('Tools that you accepted after this backup are held until you accept them again: pincer accept\n');
  note('Start the hub: pincer up\n');
  return EXIT.ok;
}

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
