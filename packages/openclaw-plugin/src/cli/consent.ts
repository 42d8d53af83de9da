/** OpenClaw's permission for prompt hooks: `plugins.entries.mcp-client.hooks.allowConversationAccess`. */
import type { HostConfig, HostConfigFile } from '../host.ts';
import { readEntry, writeEntry } from './plugin-entry.ts';

const SETTING = ['hooks', 'allowConversationAccess'];

export const CONSENT_PATH = `plugins.entries.mcp-client.${SETTING.join('.')}`;

export const hasConsent = (config: HostConfig): boolean => readEntry(config, SETTING) === true;

export const writeConsent = (config: HostConfigFile, allow: boolean): Promise<void> =>
  writeEntry(config, SETTING, allow);
