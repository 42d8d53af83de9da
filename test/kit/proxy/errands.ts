/** The example page in a real Chromium, connected to a proxy. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startBrowser, type Tab } from '../browser.ts';
import { freePort } from '../free-port.ts';
import { OPENCLAW_TOKEN, startProxy, type TestProxy } from './proxy.ts';

export interface Errands extends AsyncDisposable {
  proxy: TestProxy;
  tab: Tab;
  /** The MCP URL of the page's session. */
  mcpUrl: string;
  sessionId: string;
  /** The text on the page. */
  shown(): Promise<string>;
  /** Resolves when the reloaded page is connected. */
  reload(): Promise<void>;
}

const APP = 'errands';
const TOKEN = 'token-of-the-page';
const SERVE = fileURLToPath(new URL('../../../examples/web-app/serve.mjs', import.meta.url));

const IS_OPEN = `document.getElementById('status')?.dataset.status === 'open'`;

/** `token` is the token of the MCP clients. */
export async function openErrands(token = OPENCLAW_TOKEN): Promise<Errands> {
  await using started = new AsyncDisposableStack();
  const port = await freePort();
  const tokenHash = createHash('sha256').update(TOKEN).digest('hex');
  const apps = [{ name: APP, tokenHash, origins: [`http://127.0.0.1:${port}`] }];
  const env = { OPENCLAW_PROXY_OPENCLAW_TOKEN: token };
  const proxy = started.use(await startProxy({ command: 'up', config: { proxy: { apps } }, env }));
  const url = await servePage(started, port, proxy.origin);
  const tab = await started.use(await startBrowser()).open(url);
  await tab.until(IS_OPEN);
  const mcpUrl = await tab.ask<string>(`document.getElementById('address').textContent`);
  const all = started.move();
  return {
    proxy,
    tab,
    mcpUrl,
    sessionId: mcpUrl.slice(mcpUrl.lastIndexOf('/') + 1),
    shown: () => tab.ask<string>(`document.getElementById('errands').innerText`),
    async reload() {
      await tab.ask(`void (window.isOld = true)`);
      await tab.reload();
      await tab.until(`window.isOld === undefined && ${IS_OPEN}`);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Returns the address that the page's own server prints. */
async function servePage(started: AsyncDisposableStack, port: number, origin: string): Promise<string> {
  const env = { ...process.env, PORT: String(port), PINCER_APPS_URL: origin, PINCER_APP_TOKEN: TOKEN };
  const child = spawn(process.execPath, [SERVE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'close');
  started.defer(async () => {
    child.kill();
    await exited;
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return line.replace('Errands are at ', '');
}
