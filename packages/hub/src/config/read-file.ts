/** config.json as it is written. Without zod: `pincer list` looks at the file without loading the rules. */
import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';

const EMPTY = '{}\n';

/** Whether the file is missing, or nothing is in it. */
export function isEmptyConfig(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trim() === '';
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}

/** The file's text; a missing or empty file is an empty object. */
export function readConfigText(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? EMPTY : text;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return EMPTY;
    throw new PincerError('CONFIG_UNREADABLE', `The configuration ${path} cannot be read.`, {
      hint: 'Check that the file belongs to you.',
      cause: error,
    });
  }
}

/** The file's value: no rule is checked, no reference resolved. */
export const readConfigFile = (path: string): unknown => parseConfigText(readConfigText(path), path);

export function parseConfigText(text: string, path: string): unknown {
  try {
    return JSON5.parse(text);
  } catch (error) {
    const reason = messageOf(error).replace('JSON5: ', '');
    throw new PincerError('CONFIG_INVALID', `${path} is not JSON5: ${reason}.`, {
      hint: 'Correct the file at that place: line, then column.',
      cause: error,
    });
  }
}
