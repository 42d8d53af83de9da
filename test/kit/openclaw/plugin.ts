/** Our plugin in a profile, installed as people install it: from a packed tarball, its dependencies from a registry. */
import { join } from 'node:path';
import { openclawOk } from './cli.ts';
import type { Profile } from './profile.ts';
import { packPackage, startRegistry } from './registry.ts';

const PACKAGES = join(import.meta.dirname, '..', '..', '..', 'packages');

export const PLUGIN_ID = 'mcp-client';

/** What was built is packed; who changes a source builds first. */
export async function installPlugin(profile: Profile): Promise<void> {
  const pack = (name: string) => packPackage(join(PACKAGES, name), profile.folder);
  const [hub, plugin] = await Promise.all([pack('hub'), pack('openclaw-plugin')]);
  await using registry = await startRegistry([hub, plugin]);
  // The first says that we trust a source outside of ClawHub, the second that we have read what the plugin may do.
  const args = ['plugins', 'install', plugin.file, '--force', '--accept-capabilities'];
  await openclawOk(profile, args, { env: { npm_config_registry: registry.url } });
}
