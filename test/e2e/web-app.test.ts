/** The example page in a real Chromium: clients call its functions, also after reloads and in copies of the tab. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type Browser, type Tab } from '../kit/browser.ts';
import { freePort } from '../kit/free-port.ts';
import { OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { eventually } from '../kit/processes.ts';
import { connectSdk, type SdkClient } from '../servers/sdk-clients.ts';

const TOKEN = 'token-of-the-page';
const SERVE = fileURLToPath(new URL('../../examples/web-app/serve.mjs', import.meta.url));
const OWN = ['list_errands', 'add_errand', 'finish_errand', 'clear_finished', 'picture_of_errands'];

let proxy: TestProxy;
let page: { url: string; end(): Promise<void> };
const browsers: Browser[] = [];

beforeAll(async () => {
  const port = await freePort();
  const tokenHash = createHash('sha256').update(TOKEN).digest('hex');
  const apps = [{ name: 'errands', tokenHash, origins: [`http://127.0.0.1:${port}`] }];
  proxy = await startProxy({ command: 'up', config: { proxy: { apps } } });
  page = await servePage(port);
});
afterAll(async () => {
  for (const browser of browsers) await browser[Symbol.asyncDispose]();
  await page?.end();
  await proxy?.[Symbol.asyncDispose]();
});

async function servePage(port: number): Promise<{ url: string; end(): Promise<void> }> {
  const env = { ...process.env, PORT: String(port), PINCER_APPS_URL: proxy.origin, PINCER_APP_TOKEN: TOKEN };
  const child = spawn(process.execPath, [SERVE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const exited = once(child, 'close');
  return {
    url: line.replace('Errands are at ', ''),
    async end() {
      child.kill();
      await exited;
    },
  };
}

const STATUS = `document.getElementById('status')?.dataset.status`;
const ADDRESS = `document.getElementById('address').textContent`;

async function openPage(...flags: string[]): Promise<Tab> {
  const browser = await startBrowser(flags);
  browsers.push(browser);
  const tab = await browser.open(page.url);
  await tab.until(`${STATUS} === 'open'`);
  return tab;
}

const clientOf = async (tab: Tab): Promise<SdkClient> =>
  connectSdk('legacy', await tab.ask<string>(ADDRESS), { authorization: `Bearer ${OPENCLAW_TOKEN}` });

it('calls functions of the page, which keeps its address after a reload', async () => {
  const tab = await openPage();
  await using client = await clientOf(tab);
  expect(await client.listTools()).toEqual(OWN);
  const added = await client.callTool('add_errand', { text: 'Post the letter', due: 'today' });
  expect(added.structured).toMatchObject({ id: 4, text: 'Post the letter', due: 'today' });
  expect(await tab.ask(`document.getElementById('errands').innerText`)).toContain('Post the letter');

  const address = await tab.ask(ADDRESS);
  await tab.ask(`void (window.isOld = true)`);
  await tab.reload();
  await tab.until(`window.isOld === undefined`);
  const { structured } = await client.callTool('finish_errand', { id: 4 });
  expect(structured).toMatchObject({ id: 4, isDone: true });
  await tab.until(`${STATUS} === 'open'`);
  expect(await tab.ask(ADDRESS)).toBe(address);
  expect(await client.listTools()).toEqual(OWN);
});

it('gives a copy of the tab its own session, and the first keeps its session', async () => {
  const tab = await openPage();
  await tab.ask(`void (window.copy = window.open(location.href))`);
  await tab.until(`copy.${STATUS} === 'open' && ${STATUS} === 'open'`);
  expect(await tab.ask(`copy.sessionStorage.length === 1 && copy.${ADDRESS} !== ${ADDRESS}`)).toBe(true);
  await using client = await clientOf(tab);
  expect(await client.callTool('list_errands', {})).toMatchObject({ isError: false });
});

it('includes the tools that the page registers through WebMCP, now and later', async () => {
  const tab = await openPage('--enable-features=WebMCP');
  await using client = await clientOf(tab);
  const lists = async (name: string): Promise<boolean> => (await client.listTools()).includes(name);
  expect(await eventually(() => lists('set_colour'))).toBe(true);
  const { structured } = await client.callTool('set_colour', { colour: 'teal' });
  expect(structured).toEqual({ colour: 'teal' });
  expect(await tab.ask(`document.documentElement.style.getPropertyValue('--accent')`)).toBe('teal');
  expect(await client.callTool('set_colour', { colour: 'loud' })).toMatchObject({
    isError: true,
    text: 'Unknown colour.',
  });
  await tab.ask(`(window.ending = new AbortController(), document.modelContext.registerTool(
    { name: 'page.title', description: 'Its title.', execute: () => document.title }, { signal: ending.signal }))`);
  expect(await eventually(() => lists('page_title'))).toBe(true);
  expect(await client.callTool('page_title', {})).toMatchObject({ structured: { result: 'Errands' } });
  await tab.ask(`ending.abort()`);
  expect(await eventually(async () => !(await lists('page_title')))).toBe(true);
});
