/** Imports the settings of OpenClaw's app for Windows, which Pincer replaces. They are read once and never written. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../lib/process.ts';
import { isRecord, valueAt } from '../lib/record.ts';
import { editConfigText, type ConfigChange } from './edit.ts';
import { parseConfigText, readConfigText } from './read-file.ts';

/** Real settings are far smaller. */
const MAX_BYTES = 1024 * 1024;
const MARK = 'legacy-settings-read';

/** Returns the settings that Pincer supports. Older versions wrote `McpOnlyMode` for the MCP server without node mode. */
export function readLegacySettings(text: string): { nodeMode?: boolean; mcpServer?: boolean } {
  let settings: unknown;
  try {
    // Windows programs often write a byte order mark.
    settings = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return {};
  }
  if (!isRecord(settings)) return {};
  if (settings['McpOnlyMode'] === true) return { nodeMode: false, mcpServer: true };
  const { EnableNodeMode: nodeMode, EnableMcpServer: mcpServer } = settings;
  return {
    ...(typeof nodeMode === 'boolean' && { nodeMode }),
    ...(typeof mcpServer === 'boolean' && { mcpServer }),
  };
}

export const legacySettingsPath = (env: Environment): string | undefined => {
  const { OPENCLAW_TRAY_DATA_DIR: chosen, APPDATA: roaming } = env;
  if (chosen) return join(chosen, 'settings.json');
  return roaming ? join(roaming, 'OpenClawTray', 'settings.json') : undefined;
};

export interface LegacyPlace {
  readonly home: string;
  readonly env: Environment;
  readonly configPath: string;
  write(path: string, text: string): void;
}

/** Imports settings that the configuration does not set. Returns the path of the old file if it imported any. */
export function takeLegacySettings({ home, env, configPath, write }: LegacyPlace): string | undefined {
  const path = legacySettingsPath(env);
  const mark = join(home, MARK);
  if (path === undefined || existsSync(mark) || !existsSync(path)) return undefined;
  const found = readLegacySettings(textOf(path));
  const text = readConfigText(configPath);
  const config = parseConfigText(text, configPath);
  const changes: ConfigChange[] = Object.entries(found)
    .map(([name, value]) => ({ path: ['device', name], value }))
    .filter((change) => valueAt(config, change.path) === undefined);
  if (changes.length > 0) write(configPath, editConfigText(text, changes, configPath));
  writeFileSync(mark, `${path}\n`, { mode: 0o600 });
  return changes.length > 0 ? path : undefined;
}

/** An unreadable file must not prevent the start. Only plain files are read: a pipe would block. */
function textOf(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}
