/** Many tenants at once, all with the same ids: no byte of one reaches another. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { callText, modernHeaders } from '../kit/messages.ts';
import { openBridge, type TestBridge } from '../kit/proxy/bridge.ts';
import { callTool, listTools } from '../kit/proxy/mcp.ts';
import { OPENCLAW_TOKEN, startProxy } from '../kit/proxy/proxy.ts';
import { anyTool, ask, createSession, EXAMPLE } from '../kit/proxy/sessions.ts';
import { sha256 } from '../kit/sha256.ts';

const CALLS = 100_000;
const APPS = ['north', 'east', 'south', 'west'];
const SESSIONS_OF_APP = 75;
/** Calls of one session in flight at once, with the same JSON-RPC ids. */
const AT_ONCE = 2;
const CONNECTIONS = 64;
const IDS = ['1', '2', '"1"', '0', '"a"'];

/** A marker that identifies a tenant. */
const MARK = /mark-[0-9a-f]{24}/g;

interface Tenant {
  path: string;
  mark: string;
  bridge: TestBridge;
}

const tokenOf = (app: string): string => `${app}-secret`;

async function openTenant(origin: string, app: string, n: number): Promise<Tenant> {
  const mark = `mark-${sha256(`${app} ${n} of the test`).slice(0, 24)}`;
  const tools = [{ ...anyTool('any'), description: `Of ${mark}.` }];
  const { bridge_url, mcp_url } = await createSession(
    origin,
    { ...EXAMPLE, chat_id: `${n}`, tools },
    tokenOf(app),
  );
  const bridge = await openBridge(bridge_url, { token: tokenOf(app) });
  bridge.socket.removeAllListeners('message');
  bridge.socket.on('message', (data: Buffer) => bridge.socket.send(answerTo(data.toString(), mark)));
  return { path: new URL(mcp_url).pathname, mark, bridge };
}

/** Works on text, because a hundred thousand messages are read and written. */
function answerTo(text: string, mark: string): string {
  if (!text.startsWith('{"type":"invoke_tool"')) return '{"type":"pong"}';
  const at = text.indexOf(',"arguments":');
  const known = text
    .slice(0, at)
    .replace('"invoke_tool"', '"invoke_result"')
    .replace(/,"tool_name".*$/, '');
  return `${known},"ok":true,"content":{"mark":"${mark}","heard":${text.slice(at + 13)}}`;
}

it('100,000 calls with colliding ids over 300 sessions of four apps each get their own answer', async () => {
  const most = 1_000_000;
  await using proxy = await startProxy({
    config: {
      proxy: { apps: APPS.map((name) => ({ name, tokenHash: sha256(tokenOf(name)), origins: [] })) },
      store: { arguments: 'none' },
    },
    limits: {
      appCredentialBurst: most,
      appCredentialPerSecond: most,
      appSessionBurst: most,
      appSessionPerSecond: most,
    },
  });
  const tenants = await Promise.all(
    APPS.flatMap((app) =>
      Array.from({ length: SESSIONS_OF_APP }, (_, n) => openTenant(proxy.origin, app, n)),
    ),
  );
  const pool = new Pool(proxy.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const usual = {
    authorization: `Bearer ${OPENCLAW_TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  let begun = 0;
  const wrong: string[] = [];

  async function callOnce({ path, mark }: Tenant, n: number): Promise<void> {
    const id = IDS[n % IDS.length]!;
    const era = n % 3 === 0 ? 'modern' : 'legacy';
    const headers = era === 'modern' ? { ...usual, ...modernHeaders('tools/call', 'any') } : usual;
    const body = callText('any', { era, id, args: `{"n":${n},"of":"${mark}"}` });
    const response = await pool.request({ path, method: 'POST', headers, body });
    const text = await response.body.text();
    const marks = text.match(MARK) ?? [];
    const isOwn = marks.length >= 2 && marks.every((each) => each === mark);
    const hasHeard = text.includes(`"heard":{"n":${n},`) && text.includes(`"id":${id}`);
    if (!isOwn || !hasHeard || response.statusCode !== 200)
      wrong.push(`${mark} #${n} (${id}): ${response.statusCode} ${text.slice(0, 300)}`);
  }

  /** Several workers share a tenant, and move from one to the next. */
  async function work(start: number): Promise<void> {
    for (let at = start; begun < CALLS && wrong.length === 0; at++)
      await callOnce(tenants[at % tenants.length]!, begun++);
  }

  const workers = CONNECTIONS * AT_ONCE;
  await Promise.all(Array.from({ length: workers }, (_, n) => work(Math.floor(n / AT_ONCE))));
  expect(wrong).toEqual([]);
  expect(begun).toBeGreaterThanOrEqual(CALLS);
  await pool.destroy();
  for (const { bridge } of tenants) await bridge[Symbol.asyncDispose]();
}, 300_000);

it("on /mcp, an app's tools are visible only with its scope, and anonymous sessions' tools never", async () => {
  const apps = APPS.map((name) => ({ name, tokenHash: sha256(tokenOf(name)), origins: [] }));
  await using proxy = await startProxy({
    command: 'up',
    config: { proxy: { apps } },
    limits: { bridgeGraceMs: 100 },
  });
  const tenants = await Promise.all(APPS.map((app) => openTenant(proxy.origin, app, 0)));
  const admin = readFileSync(join(proxy.home, 'admin-token.txt'), 'utf8');
  const grant = async (name: string, servers: string[]): Promise<string> => {
    const { text } = await ask(`${proxy.hubOrigin}/control/tokens`, {
      method: 'POST',
      token: admin,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, servers }),
    });
    return (JSON.parse(text) as { token: string }).token;
  };
  const toolsOf = async (token: string, path = '/mcp'): Promise<string[]> =>
    (await listTools(`${proxy.hubOrigin}${path}`, { token })).map(({ name }) => name).sort();
  const all = APPS.map((app) => `${app}__any`).sort();
  await expect.poll(() => toolsOf(proxy.hubToken)).toEqual(all);

  for (const [n, app] of APPS.entries()) {
    const own = await grant(`for-${app}`, [app]);
    expect(await toolsOf(own)).toEqual([`${app}__any`]);
    expect(await toolsOf(own, `/mcp/${app}`)).toEqual(['any']);
    for (const [other, { mark }] of tenants.entries()) {
      const { answer, text } = await callTool(
        `${proxy.hubOrigin}/mcp`,
        `${APPS[other]}__any`,
        { n },
        { token: own },
      );
      if (other === n) expect(new Set(text.match(MARK))).toEqual(new Set([mark]));
      else expect(answer.error).toMatchObject({ data: { code: 'TOOL_UNKNOWN' } });
    }
  }
  const nobody = await grant('for-nobody', []);
  expect(await toolsOf(nobody)).toEqual([]);
  for (const { bridge } of tenants) await bridge[Symbol.asyncDispose]();
  await expect.poll(() => toolsOf(proxy.hubToken)).toEqual([]);

  await using open = await startProxy({
    command: 'up',
    env: { OPENCLAW_PROXY_APP_TOKEN: '', OPENCLAW_PROXY_OPENCLAW_TOKEN: '' },
  });
  const { bridge_url } = await createSession(open.origin, { ...EXAMPLE, tools: [anyTool('any')] }, '');
  await using _anonymous = await openBridge(bridge_url, {});
  await sleep(500);
  expect(await listTools(`${open.hubOrigin}/mcp`, { token: open.hubToken })).toEqual([]);
});
