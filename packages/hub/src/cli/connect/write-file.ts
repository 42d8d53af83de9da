/** Puts a text into another program's file: what was there is kept beside it, and a link stays a link. */
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PincerError } from '../../core/errors.ts';
import { writeFileAtomically } from '../../owner/state-folder.ts';
import { readClientFile } from '../clients/read-client-file.ts';

const PRIVATE = 0o600;

export interface Written {
  /** Where the earlier text is; undefined for a file that was not there. */
  readonly backup: string | undefined;
}

/** `isSecret`: the text has a token in it, and nobody else may read it. */
export function writeClientFile(file: string, text: string, isSecret: boolean): Written {
  try {
    const earlier = readClientFile(file);
    if (earlier === undefined) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileAtomically(file, text, PRIVATE);
      return { backup: undefined };
    }
    const target = realpathSync(file);
    const mode = statSync(target).mode & 0o777;
    const backup = keep(earlier, target);
    writeFileAtomically(target, text, isSecret ? PRIVATE : mode);
    return { backup };
  } catch (error) {
    if (PincerError.is(error)) throw error;
    throw failed(file, error);
  }
}

/** What is kept there already, by an earlier time, stays: the first is what was there before all of ours. */
function keep(text: string, target: string): string {
  for (let count = 1; ; count++) {
    const backup = `${target}.before-pincer${count === 1 ? '' : `-${count}`}`;
    if (existsSync(backup) && readClientFile(backup) !== text) continue;
    writeFileAtomically(backup, text, PRIVATE);
    return backup;
  }
}

const failed = (file: string, error: unknown): PincerError =>
  new PincerError('CONFIG_UNREADABLE', `${file} cannot be written: ${messageOf(error)}`, {
    hint: 'Check that the file belongs to you.',
    cause: error,
  });
