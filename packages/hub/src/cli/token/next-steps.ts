import { DEFAULT_PROXY_PORT } from '../../config/proxy-settings.ts';
import { appsIn } from '../../config/as-written.ts';
import { valueAt } from '../../core/value-at.ts';
import type { HubFile } from '../../owner/hub-file.ts';

/** What is left to do before an app can use its token. */
export function nextSteps(config: unknown, hubFile: HubFile | undefined): string {
  const running = hubFile?.endpoints.proxy;
  const register = `${running ?? addressIn(config)}/v1/chat/sessions`;
  const start = running === undefined ? 'Run the app proxy: pincer up' : 'The hub that runs has taken it.';
  return `Next:\n  1. ${start}\n  2. Let the app register with it: POST ${register}, Authorization: Bearer TOKEN (docs/apps.md)\n`;
}

/** Who takes the last lock away should know that the door is open then. */
export function afterRevoked(config: unknown): string {
  const isLocked = appsIn(config).length > 0 || valueAt(config, ['proxy', 'appToken']) !== undefined;
  return isLocked
    ? ''
    : 'No app has a token now. Unless OPENCLAW_PROXY_APP_TOKEN is set, any program on this machine can register tools when the hub starts next.\n';
}

function addressIn(config: unknown): string {
  const at = (key: string): unknown => valueAt(config, ['proxy', key]);
  const [publicUrl, port] = [at('publicUrl'), at('port')];
  if (typeof publicUrl === 'string') return publicUrl.replace(/\/$/, '');
  return `http://127.0.0.1:${typeof port === 'number' && port > 0 ? port : DEFAULT_PROXY_PORT}`;
}
