/** Functions of a web page in a turn of Claude Code, through each kind of configuration entry. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { ENTRY } from '../kit/hub.ts';
import { claudeTurn, inClaude } from '../kit/claude-turn.ts';
import { openErrands, type Errands } from '../kit/proxy/errands.ts';
import { OPENCLAW_TOKEN } from '../kit/proxy/proxy.ts';

let page: Errands;

beforeAll(async () => {
  await installClients();
  page = await openErrands();
}, INSTALL_MS + 60_000);
afterAll(() => page?.[Symbol.asyncDispose]());

const Authorization = `Bearer ${OPENCLAW_TOKEN}`;
const OWN = ['add_errand', 'clear_finished', 'finish_errand', 'list_errands', 'picture_of_errands'];

const byUrl = (): object => ({ type: 'http', url: page.mcpUrl, headers: { Authorization } });
const byHeader = (): object => ({
  type: 'http',
  url: `${page.proxy.origin}/v1/mcp`,
  headers: { Authorization, 'MCP-Session-Id': page.sessionId },
});
const byPipe = (): object => ({
  type: 'stdio',
  command: process.execPath,
  args: [ENTRY, 'proxy-stdio', '--session', page.sessionId],
  env: { OPENCLAW_PROXY_SERVER_URL: page.proxy.origin, OPENCLAW_PROXY_OPENCLAW_TOKEN: OPENCLAW_TOKEN },
});
const byHub = (): object => ({
  type: 'http',
  url: `${page.proxy.hubOrigin}/mcp`,
  headers: { Authorization: `Bearer ${page.proxy.hubToken}` },
});

it.each([
  ['the URL of its session', byUrl, ''],
  ['the stable URL and a header', byHeader, ''],
  ['pincer proxy-stdio', byPipe, ''],
  ["the hub's /mcp", byHub, 'errands__'],
])(
  "Claude Code offers the page's functions to its model and calls one: by %s",
  async (way, entry, prefix) => {
    const text = `Water the plants, told by ${way}`;
    const call = { name: inClaude(`${prefix}add_errand`), input: { text, due: 'tonight' } };
    const { printed, model } = await claudeTurn({ entry: entry(), calls: [call] });
    // The tool's result, as text.
    expect(JSON.parse(JSON.parse(printed) as string)).toMatchObject({ text, due: 'tonight', isDone: false });
    expect([...model.offered].filter((name) => name.startsWith(inClaude(''))).toSorted()).toEqual(
      OWN.map((name) => inClaude(prefix + name)),
    );
    expect(await page.shown()).toContain(text);
    await page.reload();
  },
);
