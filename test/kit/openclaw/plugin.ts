/** Our plugin in a profile, installed as from a checkout: `pincer openclaw install`. */
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OPENCLAW } from '../../openclaw/install.ts';
import { isObject, type JsonObject } from '../../servers/json.ts';
import { eventually } from '../processes.ts';
import type { Profile } from './profile.ts';

const PINCER = join(import.meta.dirname, '..', '..', '..', 'packages', 'hub', 'bin', 'pincer.js');
const LISTED_MS = 60_000;

export const PLUGIN_ID = 'mcp-client';

const keptFile = ({ folder }: Profile): string => join(folder, 'before-install.json');

/** The configuration before the plugin was installed. */
export const configBefore = (profile: Profile): JsonObject =>
  JSON.parse(readFileSync(keptFile(profile), 'utf8')) as JsonObject;

const run = promisify(execFile);

/** Installs the built plugin; build first after a change. No registry is reachable. */
export async function installPlugin(profile: Profile): Promise<void> {
  copyFileSync(profile.configFile, keptFile(profile));
  const args = [PINCER, 'openclaw', 'install', '--yes', '--json', '--openclaw', OPENCLAW];
  const env = { ...profile.env, npm_config_registry: 'http://127.0.0.1:9/' };
  const { stdout } = await run(process.execPath, args, { cwd: profile.workspace, env });
  const { ok, plugin } = JSON.parse(stdout) as { ok: boolean; plugin: { id: string } };
  if (!ok || plugin.id !== PLUGIN_ID) throw new Error(`Not installed: ${stdout}`);
}

/** Changes the plugin's own part of `openclaw.json`. */
export function configurePlugin(profile: Profile, change: (config: JsonObject) => object): void {
  const all = profile.readConfig();
  const entry = memberOf(all, 'plugins', 'entries', PLUGIN_ID);
  const config = change(memberOf(entry, 'config'));
  // OpenClaw lets a plugin add to the prompt only with this consent.
  const hooks = { allowConversationAccess: true };
  const entries = { ...memberOf(all, 'plugins', 'entries'), [PLUGIN_ID]: { ...entry, hooks, config } };
  profile.writeConfig({ ...all, plugins: { ...memberOf(all, 'plugins'), entries } });
}

/** Adds servers to the plugin's configuration; undefined removes one. */
export const withServers = (profile: Profile, servers: Record<string, object | undefined>): void =>
  configurePlugin(profile, (config) => {
    const all = Object.entries({ ...memberOf(config, 'servers'), ...servers });
    return { ...config, servers: Object.fromEntries(all.filter(([, server]) => server !== undefined)) };
  });

/** The servers in OpenClaw's own list, including the plugin's. */
export const listedServers = (profile: Profile): JsonObject =>
  memberOf(profile.readConfig(), 'mcp', 'servers');

/** Waits until the plugin has listed or removed these servers. */
export async function whenListed(profile: Profile, names: readonly string[], isThere = true): Promise<void> {
  const isSo = (): boolean => names.every((name) => name in listedServers(profile) === isThere);
  if (await eventually(isSo, LISTED_MS, 100)) return;
  const [wanted, listed] = [names, Object.keys(listedServers(profile))].map((some) => some.join(', '));
  throw new Error(`${isThere ? 'Not listed' : 'Still listed'}: ${wanted}. Listed are: ${listed}`);
}

export function memberOf(value: JsonObject, ...path: string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const member = value[key];
  return isObject(member) ? memberOf(member, ...rest) : {};
}
