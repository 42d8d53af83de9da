/** Servers of OpenClaw's plugin `mcp-client`: `plugins.entries.mcp-client.config.servers` of openclaw.json. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../core/is-record.ts';
import { parseConfigText, readConfigText } from './read-file.ts';

export interface OpenClawFile {
  readonly path: string;
  readonly text: string;
  readonly servers: Readonly<Record<string, unknown>>;
}

const CONFIG = ['plugins', 'entries', 'mcp-client', 'config'] as const;

/** Where a setting of a server stands in that file. */
export const openClawPlace = (path: readonly PropertyKey[]): PropertyKey[] => [...CONFIG, ...path];

/**
 * Where OpenClaw keeps its configuration. Whoever gives Pincer a folder of its own means it apart from OpenClaw's, unless
 * that is named too.
 */
export function openClawFilePath(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env['OPENCLAW_CONFIG_PATH']) return env['OPENCLAW_CONFIG_PATH'];
  if (env['OPENCLAW_STATE_DIR']) return join(env['OPENCLAW_STATE_DIR'], 'openclaw.json');
  const home = env['HOME'] || env['USERPROFILE'];
  return env['PINCER_HOME'] || !home ? undefined : join(home, '.openclaw', 'openclaw.json');
}

/** Undefined where there is no such file, no such plugin in it, or the plugin is switched off. */
export function readOpenClawFile(path: string | undefined): OpenClawFile | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const text = readConfigText(path);
  const [first, second, third, last] = CONFIG;
  const entry = memberOf(memberOf(memberOf(parseConfigText(text, path), first), second), third);
  const servers = memberOf(memberOf(entry, last), 'servers');
  if (memberOf(entry, 'enabled') === false || !isRecord(servers)) return undefined;
  return { path, text, servers };
}

const memberOf = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
