/**
 * Web pages, foreign hosts and foreign sites are refused before anything else is checked, except for an app's
 * origins.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listText, callText } from '../kit/messages.ts';
import { openBridge, resultFor, type Frame, type TestBridge } from '../kit/proxy/bridge.ts';
import { countStoredSessions } from '../kit/proxy/stored-sessions.ts';
import { callTool, listTools } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import {
  anyTool,
  ask,
  createSession,
  EXAMPLE,
  register,
  type CreatedSession,
} from '../kit/proxy/sessions.ts';
import { openRaw, type RawResponse } from '../kit/raw-socket.ts';
import { sha256 } from '../kit/sha256.ts';

const SHOP = 'shop-secret';
const ORIGIN = 'https://shop.example';
const SECOND_ORIGIN = 'http://localhost:5173';
const OTHER = 'other-secret';
const OTHER_ORIGIN = 'https://other.example';
const body = JSON.stringify({ ...EXAMPLE, tools: [anyTool('any')] });

let proxy: TestProxy;
let host: string;
let session: CreatedSession;
let bridge: TestBridge;

beforeAll(async () => {
  const apps = [
    { name: 'shop', tokenHash: sha256(SHOP), origins: [ORIGIN, SECOND_ORIGIN] },
    { name: 'other', tokenHash: sha256(OTHER), origins: [OTHER_ORIGIN] },
  ];
  proxy = await startProxy({
    config: { proxy: { apps, publicUrl: 'https://public.example/', allowedHosts: ['inside.example'] } },
  });
  ({ host } = new URL(proxy.origin));
  session = await createSession(proxy.origin, body);
  // The returned addresses have the public name, which does not resolve here.
  session.bridge_url = `ws://${host}/v1/chat/sessions/${session.mcpSessionId}/bridge`;
  session.mcp_url = `${proxy.origin}/v1/mcp/${session.mcpSessionId}`;
  bridge = await openBridge(session.bridge_url);
  bridge.socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.type === 'invoke_tool') bridge.send(resultFor(frame, 'ran'));
  });
});
afterAll(async () => {
  await bridge[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

interface Route {
  line: string;
  body?: string;
  token?: string;
  headers?: Record<string, string>;
  /** The status of an accepted request. */
  good: number;
}

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** ID is replaced by the session id. Each request would change something if it were accepted. */
const ROUTES: Record<string, Route> = {
  'creating a session': { line: 'POST /v1/chat/sessions', body, token: APP_TOKEN, good: 200 },
  'deleting a session': { line: 'DELETE /v1/chat/sessions/ID', token: APP_TOKEN, good: 200 },
  'a bridge': { line: 'GET /v1/chat/sessions/ID/bridge', token: APP_TOKEN, headers: UPGRADE, good: 101 },
  'a call by the path': { line: 'POST /v1/mcp/ID', body: callText('any'), token: OPENCLAW_TOKEN, good: 200 },
  'a call by the header': {
    line: 'POST /v1/mcp',
    body: callText('any'),
    token: OPENCLAW_TOKEN,
    headers: { 'Mcp-Session-Id': 'ID' },
    good: 200,
  },
  'a list': { line: 'POST /v1/mcp/ID', body: listText(), token: OPENCLAW_TOKEN, good: 200 },
  health: { line: 'GET /health', good: 200 },
};
const routes = Object.entries(ROUTES);

async function send(
  route: Route,
  given: Record<string, string>,
  id = session.mcpSessionId,
): Promise<RawResponse> {
  await using raw = await openRaw(proxy.origin);
  const all: Record<string, string> = {
    Host: host,
    ...(route.token === undefined ? {} : { Authorization: `Bearer ${route.token}` }),
    ...(route.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    Accept: 'application/json, text/event-stream',
    ...route.headers,
    ...given,
    'Content-Length': String(Buffer.byteLength(route.body ?? '')),
  };
  const head = [`${route.line} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)];
  raw.write(`${head.join('\r\n').replaceAll('ID', id)}\r\n\r\n${route.body ?? ''}`);
  const response = await raw.response();
  if (response === undefined) throw new Error('the connection ended without a response');
  return response;
}

const PORT = (): string => String(proxy.port);
const FORBIDDEN: [string, () => Record<string, string>][] = [
  ['a name of somebody else', () => ({ Host: 'evil.example' })],
  ['a name of somebody else with our port', () => ({ Host: `evil.example:${PORT()}` })],
  ['our address with another port', () => ({ Host: '127.0.0.1:1' })],
  ['a name that begins like ours', () => ({ Host: `127.0.0.1.evil.example:${PORT()}` })],
  ['a name that ends like ours', () => ({ Host: `evil.localhost:${PORT()}` })],
  ['a name that ends like the public one', () => ({ Host: 'evil.public.example' })],
  ['a name that begins like the public one', () => ({ Host: 'public.example.evil' })],
  ['the address of every interface', () => ({ Host: `0.0.0.0:${PORT()}` })],
  ['an origin that nobody has named', () => ({ Origin: 'https://evil.example' })],
  ['the null origin', () => ({ Origin: 'null' })],
  ['an empty origin', () => ({ Origin: '' })],
  ['an origin that begins like a named one', () => ({ Origin: `${ORIGIN}.evil.example` })],
  ['a named origin with another port', () => ({ Origin: `${ORIGIN}:8443` })],
  ['a named origin with another scheme', () => ({ Origin: 'http://shop.example' })],
  ['a fetch of another site', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
  ['a fetch of the same site', () => ({ 'Sec-Fetch-Site': 'same-site' })],
  ['a fetch of the same origin', () => ({ 'Sec-Fetch-Site': 'same-origin' })],
];

const invoked = (): number => bridge.frames.filter(({ type }) => type === 'invoke_tool').length;

describe.each(routes)('%s', (label, route) => {
  it.each(FORBIDDEN)('is refused to %s', async (_label, headers) => {
    const before = invoked();
    for (const token of [{}, { Authorization: 'Bearer wrong' }]) {
      const response = await send(route, { ...headers(), ...token });
      expect(response.status).toBe(403);
      expect(response.head).not.toMatch(/^access-control-/im);
      expect(response.body).not.toContain('mcpSessionId');
    }
    // The session and its bridge still exist, and received nothing.
    expect(invoked()).toBe(before);
    expect(bridge.isClosed()).toBe(false);
    expect((await listTools(session.mcp_url)).length).toBe(1);
  });

  it('is accepted under each of our names', async () => {
    const names = [
      '127.0.0.1',
      `127.0.0.1:${PORT()}`,
      'localhost',
      `localhost:${PORT()}`,
      '[::1]',
      `[::1]:${PORT()}`,
    ];
    for (const Host of [...names, 'public.example', 'inside.example', 'PUBLIC.example']) {
      const own = await createSession(proxy.origin, body);
      const id = label.startsWith('a call') ? session.mcpSessionId : own.mcpSessionId;
      const { status } = await send(route, { Host, 'Sec-Fetch-Site': 'none' }, id);
      expect([Host, status]).toEqual([Host, route.good]);
    }
  });
});

describe("an app's web page", () => {
  const fromPage = { origin: ORIGIN, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
  const asked = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  };

  it.each([ORIGIN, SECOND_ORIGIN, OTHER_ORIGIN])('at %s may send a preflight request', async (origin) => {
    const told = await ask(`${proxy.origin}/v1/chat/sessions`, {
      method: 'OPTIONS',
      headers: { ...fromPage, ...asked, origin },
    });
    expect([told.status, told.text]).toEqual([204, '']);
    expect(told.headers.get('access-control-allow-origin')).toBe(origin);
    expect(told.headers.get('access-control-allow-methods')).toContain('POST');
    expect(told.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
    expect(told.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type');
    expect(told.headers.get('vary')?.toLowerCase()).toContain('origin');
    expect(told.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each(['https://evil.example', 'null', `${ORIGIN}.evil`])('at %s may not', async (origin) => {
    const told = await ask(`${proxy.origin}/v1/chat/sessions`, {
      method: 'OPTIONS',
      headers: { ...fromPage, ...asked, origin },
    });
    expect(told.status).toBe(403);
    expect([...told.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('registers only with the credential of its app', async () => {
    const made = await register(proxy.origin, body, { token: SHOP, headers: fromPage });
    expect(made.status).toBe(200);
    expect(made.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    const { mcpSessionId } = JSON.parse(made.text) as CreatedSession;
    for (const token of [OTHER, APP_TOKEN])
      expect((await register(proxy.origin, body, { token, headers: fromPage })).status).toBe(403);
    expect((await register(proxy.origin, body, { token: 'wrong', headers: fromPage })).status).toBe(401);
    const gone = await ask(`${proxy.origin}/v1/chat/sessions/${mcpSessionId}`, {
      method: 'DELETE',
      token: SHOP,
      headers: fromPage,
    });
    expect([gone.status, gone.headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN]);
    // The page can read refusals too.
    const refused = await register(proxy.origin, '{}', { token: SHOP, headers: fromPage });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, ORIGIN]);
  });

  it('connects its bridge only from its own origin', async () => {
    const { mcpSessionId } = await createSession(proxy.origin, body, SHOP);
    const url = `ws://${host}/v1/chat/sessions/${mcpSessionId}/bridge`;
    const protocols = ['pincer.bridge', `pincer.token.${Buffer.from(SHOP).toString('base64url')}`];
    for (const origin of ['https://evil.example', 'null', OTHER_ORIGIN])
      await expect(
        openBridge(url, { protocols, headers: { origin } }).then(
          async (opened) => (await opened.closed).code,
        ),
      ).rejects.toThrow('403');
    await using page = await openBridge(url, { protocols, headers: fromPage });
    const call = callTool(`${proxy.origin}/v1/mcp/${mcpSessionId}`, 'any');
    page.send(resultFor(await page.next('invoke_tool'), 'from the page'));
    expect((await call).answer.result).toMatchObject({ structuredContent: { result: 'from the page' } });
  });

  it('gets the addresses of the public URL under the public name', async () => {
    const { mcpSessionId, bridge_url, mcp_url } = await createSession(proxy.origin, body, SHOP);
    expect(bridge_url).toBe(`wss://public.example/v1/chat/sessions/${mcpSessionId}/bridge`);
    expect(mcp_url).toBe(`https://public.example/v1/mcp/${mcpSessionId}`);
  });
});

describe('a duplicate header', () => {
  const call = ROUTES['a call by the path']!;
  const TWICE: [string, string, number][] = [
    ['Host, ours first', 'Host: evil.example', 403],
    ['Origin, an allowed one first', `Origin: ${ORIGIN}\r\nOrigin: https://evil.example`, 403],
    ['Sec-Fetch-Site, none first', 'Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site', 403],
    ['Authorization, the right one first', 'Authorization: Bearer wrong', 401],
  ];
  it.each(TWICE)('is refused: %s', async (_label, lines, status) => {
    const before = invoked();
    await using raw = await openRaw(proxy.origin);
    const head = `POST /v1/mcp/${session.mcpSessionId} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${OPENCLAW_TOKEN}`;
    raw.write(
      `${head}\r\nContent-Type: application/json\r\nContent-Length: ${call.body!.length}\r\n${lines}\r\n\r\n${call.body}`,
    );
    // Node itself refuses some of them.
    expect([status, 400]).toContain((await raw.response())?.status);
    expect(invoked()).toBe(before);
  });
});

it('a proxy without tokens is open to programs of this machine, but to no web page', async () => {
  await using open = await startProxy({
    env: { OPENCLAW_PROXY_APP_TOKEN: '', OPENCLAW_PROXY_OPENCLAW_TOKEN: '' },
  });
  const made = await register(open.origin, body, { token: undefined });
  const { mcpSessionId, bridge_url, mcp_url } = JSON.parse(made.text) as CreatedSession;
  await using own = await openBridge(bridge_url, { token: undefined });
  const pages: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: open.origin },
    { origin: `http://localhost:${open.port}`, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of pages) {
    // As a form or a script may send it without a preflight request.
    const simple = { ...headers, 'content-type': 'text/plain' };
    for (const more of [simple, { ...headers, 'content-type': 'application/json' }]) {
      expect((await register(open.origin, body, { headers: more })).status).toBe(403);
      const call = await ask(mcp_url, { method: 'POST', headers: more, body: callText('any') });
      expect(call.status).toBe(403);
    }
    const gone = await ask(`${open.origin}/v1/chat/sessions/${mcpSessionId}`, { method: 'DELETE', headers });
    expect(gone.status).toBe(403);
    await expect(openBridge(bridge_url, { token: undefined, headers })).rejects.toThrow('403');
  }
  expect(own.isClosed()).toBe(false);
  expect(own.frames.filter(({ type }) => type !== 'ping')).toEqual([]);
  expect(countStoredSessions(open.home)).toBe(1);
});
