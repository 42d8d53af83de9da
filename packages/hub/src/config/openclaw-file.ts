/** Reads the settings of OpenClaw's plugin: `plugins.entries.mcp-client.config` in openclaw.json. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../lib/process.ts';
import { isRecord, valueAt } from '../lib/record.ts';
import { parseConfigText, readConfigFile, readConfigText } from './read-file.ts';

export interface OpenClawFile {
  readonly path: string;
  readonly text: string;
  readonly servers: Readonly<Record<string, unknown>>;
  /** Settings for all servers that OpenClaw's file may have. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Settings for all servers that openclaw.json may have. Settings that only the plugin reads are not listed. */
const SETTINGS = ['toolDiscoveryInterval', 'maxConcurrentServers', 'debug'];

const ENTRY = ['plugins', 'entries', 'mcp-client'];

/** Returns the path of a server's setting in that file. */
export const openClawPlace = (path: readonly PropertyKey[]): PropertyKey[] => [...ENTRY, 'config', ...path];

/**
 * Returns the path of OpenClaw's configuration. Undefined if Pincer has its own folder: then it is meant to be separate
 * from OpenClaw, unless OpenClaw's folder is named, too.
 */
export function openClawFilePath(env: Environment): string | undefined {
  if (env['OPENCLAW_CONFIG_PATH']) return env['OPENCLAW_CONFIG_PATH'];
  if (env['OPENCLAW_STATE_DIR']) return join(env['OPENCLAW_STATE_DIR'], 'openclaw.json');
  const home = env['HOME'] || env['USERPROFILE'];
  if (!home) return undefined;
  const own = env['PINCER_HOME'];
  // A background hub always gets the variable, also for the default folder.
  const isApart = Boolean(own) && resolve(own!) !== resolve(home, '.openclaw', 'mcp');
  return isApart ? undefined : join(home, '.openclaw', 'openclaw.json');
}

/** Returns OpenClaw's whole configuration, or undefined if there is no file. */
export function readOpenClawSettings(env: Environment): unknown {
  const path = openClawFilePath(env);
  return path === undefined || !existsSync(path) ? undefined : readConfigFile(path);
}

/** Returns undefined if there is no file, no such plugin in it, or the plugin is switched off. */
export function readOpenClawFile(path: string | undefined): OpenClawFile | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const text = readConfigText(path);
  const entry = valueAt(parseConfigText(text, path), ENTRY);
  const config = valueAt(entry, ['config']);
  if (valueAt(entry, ['enabled']) === false || !isRecord(config)) return undefined;
  const { servers } = config;
  const settings = Object.entries(config).filter(([name]) => SETTINGS.includes(name));
  return { path, text, servers: isRecord(servers) ? servers : {}, settings: Object.fromEntries(settings) };
}
