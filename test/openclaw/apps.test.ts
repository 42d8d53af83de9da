/** A web page whose functions agents of OpenClaw call, by the entries of the document that the app proxy follows. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDocPage } from '../kit/doc-page.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { whenOffered } from '../kit/openclaw/offered.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { listedServers } from '../kit/openclaw/plugin.ts';
import { TOKEN } from '../kit/openclaw/profile.ts';
import { openErrands, type Errands } from '../kit/proxy/errands.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
let operator: Operator;
let page: Errands;

interface OpenClawConfig {
  mcp: { servers: { timer: object } };
}

/** By itself OpenClaw gives a server 1.5 s to list its tools, which is short where much else runs. */
const requestTimeoutMs = 60_000;

/** An entry as docs/apps.md shows it. The variable is one that the gateway of the tests has. */
function entryOfPage(about: string, { proxy, sessionId }: Errands): object {
  const text = openDocPage('apps.md')
    .take('json', about)
    .replace('http://127.0.0.1:8000', proxy.origin)
    .replace('SESSION_ID', sessionId)
    .replace('${OPENCLAW_PROXY_OPENCLAW_TOKEN}', '${OPENCLAW_GATEWAY_TOKEN}');
  return { ...(JSON.parse(text) as OpenClawConfig).mcp.servers.timer, requestTimeoutMs };
}

const entryOfHub = ({ proxy }: Errands): object => ({
  transport: 'streamable-http',
  url: `${proxy.hubOrigin}/mcp`,
  headers: { Authorization: `Bearer ${proxy.hubToken}` },
  requestTimeoutMs,
});

/** As a person edits the file; undefined takes an entry out. */
async function edit(change: Record<string, object | undefined>): Promise<void> {
  const config = profile.readConfig();
  const all = Object.entries({ ...listedServers(profile), ...change });
  const servers = Object.fromEntries(all.filter(([, entry]) => entry !== undefined));
  profile.writeConfig({ ...config, mcp: { ...(config['mcp'] as object), servers } });
  await whenApplied(host);
}

beforeAll(async () => {
  operator = await host.operator();
  page = await openErrands(TOKEN);
  await edit({
    'page-by-url': entryOfPage('/v1/mcp/SESSION_ID', page),
    'page-by-header': entryOfPage('"MCP-Session-Id"', page),
    hub: entryOfHub(page),
  });
});
afterAll(async () => {
  await edit({ 'page-by-url': undefined, 'page-by-header': undefined, hub: undefined });
  await page[Symbol.asyncDispose]();
  await operator[Symbol.asyncDispose]();
});

/** A conversation in which the page is used, reloaded, and used again. */
async function talk(prefix: string): Promise<void> {
  await whenOffered(host, operator, `${prefix}add_errand`);
  const key = `agent:main:${prefix.replaceAll('__', '-')}talk`;
  const errand = `Feed the cat (${key})`;
  const added = await operator.turn(key, `call:${prefix}add_errand {"text":"${errand}","due":"today"}`);
  expect(added.calls).toMatchObject([{ name: `${prefix}add_errand`, isError: false }]);
  expect(added.text).toContain(`"text":"${errand}","due":"today","isDone":false`);
  expect(await page.shown()).toContain(errand);

  await page.reload();
  const id = /"id":(\d+)/.exec(added.text)?.[1];
  const finished = await operator.turn(key, `call:${prefix}finish_errand {"id":${id}}`);
  expect(finished.text).toContain(`"text":"${errand}","due":"today","isDone":true`);
  expect(await page.tab.ask(`document.querySelector('#errands li:last-child').className`)).toBe('done');
  expect(await page.tab.ask(`document.getElementById('address').textContent`)).toBe(page.mcpUrl);
}

test('an agent calls functions of the page by the URL of its session, also after a reload', async () => {
  verifies('003-openclaw-url-config');
  await talk('page-by-url__');
});

test('an agent calls them by the stable URL and the header MCP-Session-Id', async () => {
  verifies('003-openclaw-header-config');
  await talk('page-by-header__');
});

test("an agent calls them by the hub's /mcp, which knows no session", async () => {
  await talk('hub__errands__');
});
