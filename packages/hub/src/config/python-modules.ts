/**
 * For `python -m`: Pincer keeps Python from looking for modules in the current folder, so that a module which is there is
 * found by PYTHONPATH, which the configuration shows.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { moduleOf } from '../core/python-command.ts';

/** The variable that such a server needs; none where the module is not in the folder. */
export function modulesIn(folder: string, words: readonly string[]): Record<string, string> {
  const [name = ''] = moduleOf(words)?.split('.') ?? [];
  const isThere = name !== '' && (existsSync(join(folder, `${name}.py`)) || existsSync(join(folder, name)));
  return isThere ? { PYTHONPATH: folder } : {};
}
