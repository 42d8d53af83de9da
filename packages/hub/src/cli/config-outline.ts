/** The servers of config.json as they are written: no reference is resolved, so nothing secret is seen. */
import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import { PincerError } from '../core/errors.ts';
import { isRecord } from './is-record.ts';

export interface OutlinedServer {
  readonly name: string;
  readonly enabled: boolean;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Empty when there is no file. Rules are for `loadConfig` to check. */
export function outlineConfig(path: string): OutlinedServer[] {
  const value = readConfig(path);
  const servers = isRecord(value) && isRecord(value['servers']) ? value['servers'] : {};
  return Object.entries(servers).flatMap(([name, raw]) => (isRecord(raw) ? outlineServer(name, raw) : []));
}

function outlineServer(name: string, raw: Readonly<Record<string, unknown>>): OutlinedServer {
  const { url, command, args, enabled } = raw;
  const isStdio = typeof command === 'string';
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  const target = isStdio ? words.join(' ') : withoutQuery(String(url));
  return { name, enabled: enabled !== false, transport: isStdio ? 'stdio' : 'http', target, raw };
}

/** Keys are sometimes put there. */
const withoutQuery = (url: string): string =>
  url.replace(/\?.*$/, '?…').replace(/^(\w+:\/\/)[^/@]*@/, '$1…@');

function readConfig(path: string): unknown {
  try {
    return JSON5.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ENOENT') return {};
    const isSyntax = error.name === 'SyntaxError';
    throw new PincerError(
      isSyntax ? 'CONFIG_INVALID' : 'CONFIG_UNREADABLE',
      isSyntax
        ? `${path} is not JSON5: ${error.message.replace('JSON5: ', '')}.`
        : `The configuration ${path} cannot be read.`,
      {
        hint: isSyntax ? 'Correct the file at that place.' : 'Check that the file belongs to you.',
        cause: error,
      },
    );
  }
}
