/** Puts a text into another program's file: what was there is kept beside it, and a link stays a link. */
import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, messageOf, PincerError } from '../../core/errors.ts';
import { writeFileAtomically } from '../../owner/state-folder.ts';

const PRIVATE = 0o600;

export interface Written {
  /** Where the earlier text is; undefined for a file that was not there. */
  readonly backup: string | undefined;
}

export function readClientFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw failed(file, 'read', error);
  }
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
    const backup = `${target}.before-pincer`;
    writeFileAtomically(backup, earlier, PRIVATE);
    writeFileAtomically(target, text, isSecret ? PRIVATE : mode);
    return { backup };
  } catch (error) {
    if (PincerError.is(error)) throw error;
    throw failed(file, 'written', error);
  }
}

const failed = (file: string, verb: string, error: unknown): PincerError =>
  new PincerError('CONFIG_UNREADABLE', `${file} cannot be ${verb}: ${messageOf(error)}`, {
    hint: 'Check that the file belongs to you.',
    cause: error,
  });
