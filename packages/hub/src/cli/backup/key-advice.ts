import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_FILE_VARIABLE, readKeyPlace } from '../../owner/vault-key-places.ts';
import type { BackupFile } from './archive.ts';
import { MASTER_KEY } from './contents.ts';

/** What opens the sealed records of a backup is not in it: where it is. Undefined: there is nothing sealed, or it is in it. */
export function keyAdvice(files: readonly BackupFile[], home: string): string | undefined {
  const isSealed = files.some(({ path }) => path.startsWith('secrets/') || path.startsWith('tokens/'));
  if (!isSealed || files.some(({ path }) => path === MASTER_KEY)) return undefined;
  const named = process.env[KEY_FILE_VARIABLE];
  if (named !== undefined && named !== '')
    return `the key of your secrets and sign-ins, ${named}: copy it yourself`;
  const place = readKeyPlace(home);
  if (place !== undefined)
    return `the key of your secrets and sign-ins: it is in the keychain of this machine (entry "${place.keychain}") and stays there`;
  return existsSync(join(home, MASTER_KEY))
    ? `the key of your secrets and sign-ins, ${MASTER_KEY}: copy it yourself, or add --with-key`
    : 'the key of your secrets and sign-ins, which is not in the state folder';
}
