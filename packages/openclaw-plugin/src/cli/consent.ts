/** OpenClaw's permission for prompt hooks: `plugins.entries.mcp-client.hooks.allowConversationAccess`. */
import { isPart } from '../config-part.ts';
import type { HostConfig, HostConfigFile } from '../host.ts';
import { readEntry, writeEntry } from './plugin-entry.ts';

const SETTING = ['hooks', 'allowConversationAccess'];

export const CONSENT_PATH = `plugins.entries.mcp-client.${SETTING.join('.')}`;

export const hasConsent = (config: HostConfig): boolean => readEntry(config, SETTING) === true;

export const writeConsent = (config: HostConfigFile, allow: boolean): Promise<void> =>
  writeEntry(config, SETTING, allow);

/** Takes the permission out of the plugin's entry, as if it had never been given. */
export function dropConsent(entry: Record<string, unknown>): void {
  if (!isPart(entry['hooks'])) return;
  const { allowConversationAccess: _, ...others } = entry['hooks'];
  if (Object.keys(others).length === 0) delete entry['hooks'];
  else entry['hooks'] = others;
}
