/** What OpenClaw's plugin `mcp-client` is told: `plugins.entries.mcp-client.config` of openclaw.json. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../lib/process.ts';
import { isRecord, valueAt } from '../lib/record.ts';
import { parseConfigText, readConfigFile, readConfigText } from './read-file.ts';

export interface OpenClawFile {
  readonly path: string;
  readonly text: string;
  readonly servers: Readonly<Record<string, unknown>>;
  /** Of the settings for all servers, those that OpenClaw's file may have. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The settings for all servers that OpenClaw's users know (and what only the plugin reads is not among them). */
const SETTINGS = ['toolDiscoveryInterval', 'maxConcurrentServers', 'debug'];

const ENTRY = ['plugins', 'entries', 'mcp-client'];

/** Where a setting of a server stands in that file. */
export const openClawPlace = (path: readonly PropertyKey[]): PropertyKey[] => [...ENTRY, 'config', ...path];

/**
 * Where OpenClaw keeps its configuration. Whoever gives Pincer a folder of its own means it apart from OpenClaw's, unless
 * that is named too.
 */
export function openClawFilePath(env: Environment): string | undefined {
  if (env['OPENCLAW_CONFIG_PATH']) return env['OPENCLAW_CONFIG_PATH'];
  if (env['OPENCLAW_STATE_DIR']) return join(env['OPENCLAW_STATE_DIR'], 'openclaw.json');
  const home = env['HOME'] || env['USERPROFILE'];
  if (!home) return undefined;
  const own = env['PINCER_HOME'];
  // A hub in the background is told which folder it is for, be it the usual one.
  const isApart = Boolean(own) && resolve(own!) !== resolve(home, '.openclaw', 'mcp');
  return isApart ? undefined : join(home, '.openclaw', 'openclaw.json');
}

/** All that OpenClaw is told; undefined where there is no such file. */
export function readOpenClawSettings(env: Environment): unknown {
  const path = openClawFilePath(env);
  return path === undefined || !existsSync(path) ? undefined : readConfigFile(path);
}

/** Undefined where there is no such file, no such plugin in it, or the plugin is switched off. */
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
