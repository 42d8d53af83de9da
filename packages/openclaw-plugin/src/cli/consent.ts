/** OpenClaw's permission for prompt hooks: `plugins.entries.mcp-client.hooks.allowConversationAccess`. */
import type { HostApi, HostConfig } from '../host.ts';

const PLUGIN = 'mcp-client';
const SETTING = 'allowConversationAccess';

export const CONSENT_PATH = `plugins.entries.${PLUGIN}.hooks.${SETTING}`;

export const hasConsent = (config: HostConfig): boolean =>
  record(record(record(record(config['plugins'])['entries'])[PLUGIN])['hooks'])[SETTING] === true;

export async function writeConsent(config: HostApi['runtime']['config'], allow: boolean): Promise<void> {
  await config.mutateConfigFile({
    afterWrite: { mode: 'auto' },
    mutate(draft) {
      const entries = child(child(draft, 'plugins'), 'entries');
      child(child(entries, PLUGIN), 'hooks')[SETTING] = allow;
    },
  });
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const record = (value: unknown): Readonly<Fields> => (isFields(value) ? value : {});

/** The object at a key, made where there is none. */
function child(parent: Fields, key: string): Fields {
  const value = parent[key];
  if (isFields(value)) return value;
  const made: Fields = {};
  parent[key] = made;
  return made;
}
