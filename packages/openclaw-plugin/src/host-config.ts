import type { HostConfig, HostConfigFile } from './host.ts';

/** Reads and changes OpenClaw's configuration: its parts, and the entry of this plugin. */

/** An object of the configuration, not validated. */
export type Part = Readonly<Record<string, unknown>>;

export const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const partAt = (value: unknown, key: string): Part | undefined => {
  const found = isPart(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isPart(found) ? found : undefined;
};

/** All entries of `mcp.servers`, by key. */
export const mcpServersIn = (config: Part): Part => partAt(partAt(config, 'mcp'), 'servers') ?? {};

const PLUGIN_PATH = ['plugins', 'entries', 'mcp-client'];

type Fields = Record<string, unknown>;

const inner = (value: unknown, key: string): unknown => (isPart(value) ? value[key] : undefined);

/** The value at a path of the plugin's entry. */
export const readEntry = (config: HostConfig, path: readonly string[]): unknown =>
  [...PLUGIN_PATH, ...path].reduce<unknown>(inner, config);

/** Writes a value at a path of the plugin's entry, and creates the objects on that path. */
export async function writeEntry(
  config: HostConfigFile,
  path: readonly string[],
  value: boolean,
): Promise<void> {
  await config.mutateConfigFile({
    afterWrite: { mode: 'auto' },
    mutate(draft) {
      let at = entryIn(draft);
      for (const key of path.slice(0, -1)) at = child(at, key);
      at[path.at(-1)!] = value;
    },
  });
}

/** The plugin's entry in a draft; created if missing. */
export const entryIn = (draft: Fields): Fields => PLUGIN_PATH.reduce(child, draft);

/** The object at a key; created if missing. */
function child(parent: Fields, key: string): Fields {
  const value = parent[key];
  if (isPart(value)) return value;
  const made: Fields = {};
  parent[key] = made;
  return made;
}

/** OpenClaw's permission for prompt hooks. */
const CONSENT = ['hooks', 'allowConversationAccess'];

export const CONSENT_PATH = `${PLUGIN_PATH.join('.')}.${CONSENT.join('.')}`;

export const hasConsent = (config: HostConfig): boolean => readEntry(config, CONSENT) === true;

export const writeConsent = (config: HostConfigFile, allow: boolean): Promise<void> =>
  writeEntry(config, CONSENT, allow);

/** Removes the permission from the plugin's entry. */
export function dropConsent(entry: Record<string, unknown>): void {
  if (!isPart(entry['hooks'])) return;
  const { allowConversationAccess: _, ...others } = entry['hooks'];
  if (Object.keys(others).length === 0) delete entry['hooks'];
  else entry['hooks'] = others;
}

/** Whether the file disables this plugin. A gateway that runs applies that only a moment later. */
export function isSwitchedOff(config: Part): boolean {
  const plugins = partAt(config, 'plugins');
  if (plugins?.['enabled'] === false) return true;
  const denied = plugins?.['deny'];
  if (Array.isArray(denied) && denied.includes('mcp-client')) return true;
  const entry = partAt(plugins, 'entries')?.['mcp-client'];
  return isPart(entry) && entry['enabled'] === false;
}
