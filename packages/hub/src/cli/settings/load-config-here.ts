import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { configPath } from '../../owner/state-folder.ts';
import { openVault } from '../../owner/vault.ts';

/** As a hub on this state folder would have it, started from here. */
export const loadConfigHere = (home: string): Config =>
  loadConfig(configPath(home), process.env, (name) => openVault(home, process.env).get(name));
