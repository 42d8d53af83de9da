/** Our plugin in a profile, installed as people install it: from a packed tarball, its dependencies from a registry. */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../servers/json.ts';
import { eventually } from '../processes.ts';
import { openclawOk } from './cli.ts';
import type { Profile } from './profile.ts';
import { packPackage, startRegistry } from './registry.ts';

const PACKAGES = join(import.meta.dirname, '..', '..', '..', 'packages');
const LISTED_MS = 60_000;

export const PLUGIN_ID = 'mcp-client';

const keptFile = ({ folder }: Profile): string => join(folder, 'before-install.json');

/** The configuration as it was before our plugin came. */
export const configBefore = (profile: Profile): JsonObject =>
  JSON.parse(readFileSync(keptFile(profile), 'utf8')) as JsonObject;

/** What was built is packed; who changes a source builds first. */
export async function installPlugin(profile: Profile): Promise<void> {
  copyFileSync(profile.configFile, keptFile(profile));
  const pack = (name: string) => packPackage(join(PACKAGES, name), profile.folder);
  const [hub, plugin] = await Promise.all([pack('hub'), pack('openclaw-plugin')]);
  await using registry = await startRegistry([hub, plugin]);
  // The first says that we trust a source outside of ClawHub, the second that we have read what the plugin may do.
  const args = ['plugins', 'install', plugin.file, '--force', '--accept-capabilities'];
  await openclawOk(profile, args, { env: { npm_config_registry: registry.url } });
}

/** Changes the plugin's own part of `openclaw.json`. */
export function configurePlugin(profile: Profile, change: (config: JsonObject) => object): void {
  const all = profile.readConfig();
  const entry = memberOf(all, 'plugins', 'entries', PLUGIN_ID);
  const config = change(memberOf(entry, 'config'));
  // Without this consent OpenClaw does not let a plugin add to the prompt.
  const hooks = { allowConversationAccess: true };
  const entries = { ...memberOf(all, 'plugins', 'entries'), [PLUGIN_ID]: { ...entry, hooks, config } };
  profile.writeConfig({ ...all, plugins: { ...memberOf(all, 'plugins'), entries } });
}

/** Adds servers to the plugin's own; undefined takes one away again. */
export const withServers = (profile: Profile, servers: Record<string, object | undefined>): void =>
  configurePlugin(profile, (config) => {
    const all = Object.entries({ ...memberOf(config, 'servers'), ...servers });
    return { ...config, servers: Object.fromEntries(all.filter(([, server]) => server !== undefined)) };
  });

/** The servers in OpenClaw's own list, ours among them. */
export const listedServers = (profile: Profile): JsonObject =>
  memberOf(profile.readConfig(), 'mcp', 'servers');

/** Waits until the plugin has listed these servers, or has taken them out. */
export async function whenListed(profile: Profile, names: readonly string[], isThere = true): Promise<void> {
  const isSo = (): boolean => names.every((name) => name in listedServers(profile) === isThere);
  if (await eventually(isSo, LISTED_MS, 100)) return;
  const [wanted, listed] = [names, Object.keys(listedServers(profile))].map((some) => some.join(', '));
  throw new Error(`${isThere ? 'Not listed' : 'Still listed'}: ${wanted}. Listed are: ${listed}`);
}

function memberOf(value: JsonObject, ...path: string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const member = value[key];
  return isObject(member) ? memberOf(member, ...rest) : {};
}
