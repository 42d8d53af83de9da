import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { configPath } from '../../owner/state-folder.ts';
import { openVault } from '../../owner/vault.ts';

/** Loads the configuration as a hub started from this terminal would. */
export const loadConfigHere = (home: string): Config =>
  loadConfig(configPath(home), process.env, (name) => openVault(home, process.env).get(name));
