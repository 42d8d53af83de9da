/** Reads config.json without checking rules or resolving references. Does not load zod, so `pincer list` is fast. */
import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { isRecord, valueAt } from '../lib/record.ts';

const EMPTY = '{}\n';

/** Whether the file is missing or empty. */
export function isEmptyConfig(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trim() === '';
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}

/** Returns the file's text. A missing or empty file is an empty object. */
export function readConfigText(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? EMPTY : text;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return EMPTY;
    throw new PincerError('CONFIG_UNREADABLE', `The configuration ${path} cannot be read.`, {
      hint: 'Check the owner and permissions of the file.',
      cause: error,
    });
  }
}

export const readConfigFile = (path: string): unknown => parseConfigText(readConfigText(path), path);

export function parseConfigText(text: string, path: string): unknown {
  try {
    return JSON5.parse(text);
  } catch (error) {
    const reason = messageOf(error).replace('JSON5: ', '');
    throw new PincerError('CONFIG_INVALID', `${path} is not JSON5: ${reason}.`, {
      hint: 'Correct the file at that position (line:column).',
      cause: error,
    });
  }
}

export function serversIn(config: unknown): Readonly<Record<string, unknown>> {
  const servers = valueAt(config, ['servers']);
  return isRecord(servers) ? servers : {};
}

export function portIn(config: unknown): number | undefined {
  const port = valueAt(config, ['device', 'port']);
  return typeof port === 'number' ? port : undefined;
}

/** Returns the apps with their own token. Entries that are not objects are left out. */
export function appsIn(config: unknown): Readonly<Record<string, unknown>>[] {
  const apps = valueAt(config, ['proxy', 'apps']);
  return Array.isArray(apps) ? apps.filter(isRecord) : [];
}
