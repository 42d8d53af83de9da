/** Authentication: the same on every route, before anything else is checked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, parseAnswer, request, textOf } from '../kit/messages.ts';
import { openRaw, postText } from '../kit/raw-socket.ts';
import { stdioServer } from '../kit/servers.ts';
import { verifies } from '../verifies.ts';

let hub: TestHub;
let host: string;
let port: string;

beforeAll(async () => {
  hub = await startHub({ servers: { pipe: stdioServer({ tools: ['echo'] }) } });
  ({ host, port } = new URL(hub.origin));
});
afterAll(() => hub[Symbol.asyncDispose]());

type Route = [label: string, line: string, body: string, token: 'mcp' | 'admin'];
const ROUTES: Route[] = [
  ['POST /mcp', 'POST /mcp', request('ping'), 'mcp'],
  ['POST /mcp/pipe', 'POST /mcp/pipe', request('ping'), 'mcp'],
  ['GET /mcp', 'GET /mcp', '', 'mcp'],
  ['PUT /mcp', 'PUT /mcp', '', 'mcp'],
  ['DELETE /mcp', 'DELETE /mcp', '', 'mcp'],
  ['OPTIONS /mcp', 'OPTIONS /mcp', '', 'mcp'],
  ['GET /health', 'GET /health', '', 'mcp'],
  ['GET /metrics', 'GET /metrics', '', 'mcp'],
  ['GET /control/status', 'GET /control/status', '', 'admin'],
  ['POST /control/tokens', 'POST /control/tokens', '{"name":"forged"}', 'admin'],
  ['upgrade of /mcp', 'GET /mcp', '', 'mcp'],
  ['an unknown path', 'GET /nowhere', '', 'mcp'],
];

/** Sends a request with exactly these headers and returns status, head and body. */
async function send(route: Route, headers: Record<string, string | undefined>) {
  const [label, line, body, token] = route;
  await using raw = await openRaw(hub.origin);
  const all: Record<string, string | undefined> = {
    Host: host,
    Authorization: `Bearer ${token === 'admin' ? hub.adminToken : hub.token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(label.startsWith('upgrade') ? { Connection: 'Upgrade', Upgrade: 'pincer-stdio' } : {}),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  raw.write(`${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  const response = await raw.response();
  if (response === undefined) throw new Error('the connection ended without a response');
  return response;
}

const FORBIDDEN: [string, Record<string, string>][] = [
  ['a foreign name', { Host: 'evil.example' }],
  ['a foreign name with our port', { Host: 'evil.example:PORT' }],
  ['our name with another port', { Host: '127.0.0.1:1' }],
  ['our address as the prefix of a name', { Host: '127.0.0.1.evil.example' }],
  ['localhost as the suffix of a name', { Host: 'evil.localhost' }],
  ['another address of this machine', { Host: '0.0.0.0:PORT' }],
  ['an origin', { Origin: 'https://evil.example' }],
  ['the null origin', { Origin: 'null' }],
  ['a fetch from another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a fetch from the same origin', { 'Sec-Fetch-Site': 'same-origin' }],
];

describe.each(ROUTES)('%s', (...route) => {
  it.each(FORBIDDEN)('refuses %s', async (_label, headers) => {
    const [[name, value] = ['', '']] = Object.entries(headers);
    verifies('000-security-origin', '000-security-host', '000-security-no-cors', '004-5.5-origin-check');
    for (const token of [{}, { Authorization: undefined }]) {
      const response = await send(route, { [name]: value.replace('PORT', port), ...token });
      verifies('000-gate-origin-403', '000-gate-host-403');
      expect(response.status).toBe(403);
      expect(response.head).not.toMatch(/access-control-allow/i);
    }
  });

  it('accepts our own origin from MCP clients only', async () => {
    const own = { Origin: `http://127.0.0.1:${port}` };
    const isMcp = /^(?!upgrade)\S+ \/mcp(?:\/|$)/.test(route[0]);
    const { status, head } = await send(route, own);
    if (isMcp) expect(status).not.toBe(403);
    else expect(status).toBe(403);
    expect(head).not.toMatch(/access-control-allow/i);
    // A browser sends this header.
    expect((await send(route, { ...own, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(403);
  });

  it('refuses a wrong or missing token', async () => {
    verifies('000-auth-every-request', '000-auth-missing-401', '000-auth-wrong-401');
    const isOpen = route[0] === 'GET /health';
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer wrong',
      `Basic ${hub.token}`,
      `Bearer ${hub.token}x`,
      hub.token,
    ];
    const other = route[3] === 'admin' ? hub.token : hub.adminToken;
    for (const value of [...wrong, `Bearer ${other}`]) {
      const { status, body, head } = await send(route, { Authorization: value });
      if (isOpen) expect(status).toBe(200);
      else {
        expect([status, body]).toEqual([401, '']);
        if (!route[0].startsWith('upgrade')) expect(head).toMatch(/^www-authenticate: Bearer/im);
      }
    }
  });

  it('accepts the owner under every name of this machine', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]'])
      for (const Host of [name, `${name}:${port}`]) {
        const { status } = await send(route, { Host, 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'cors' });
        expect([401, 403]).not.toContain(status);
      }
  });
});

it('tells unknown paths, servers and upgrades apart only for callers with a token', async () => {
  for (const path of [
    '/',
    '/nowhere',
    '/mcp/',
    '/mcp/nowhere',
    '/mcp/pipe/x',
    '/mcp/__proto__',
    '/MCP',
    '//mcp',
  ]) {
    expect((await hub.post(request('ping'), { path })).status).toBe(404);
    const stranger = hub.connect('wrong');
    expect((await stranger.post(request('ping'), { path })).status).toBe(401);
  }
  const upgrade: Route = ['upgrade of /mcp', 'GET /mcp', '', 'mcp'];
  // An upgrade to any other protocol is handled as an ordinary request.
  expect((await send(upgrade, { Upgrade: 'websocket' })).status).toBe(405);
  expect((await send(['upgrade of /health', 'GET /health', '', 'mcp'], {})).status).toBe(400);
  expect((await send(['upgrade of /nowhere', 'GET /mcp/nowhere', '', 'mcp'], {})).status).toBe(404);
  expect((await send(upgrade, {})).status).toBe(101);
});

it('checks the token before the verb and the type', async () => {
  verifies('000-http-token-before-method', '000-gate-text-plain-415', '000-gate-ping-ok');
  const put: Route = ['PUT /mcp', 'PUT /mcp', '', 'mcp'];
  expect((await send(put, { Authorization: undefined })).status).toBe(401);
  expect((await send(put, {})).status).toBe(405);
  const post: Route = ['POST /mcp', 'POST /mcp', request('ping'), 'mcp'];
  expect((await send(post, { 'Content-Type': 'text/plain', Authorization: undefined })).status).toBe(401);
  expect((await send(post, { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await send(post, {})).status).toBe(200);
});

it('serves requests with and without the token on one connection, each by its own headers', async () => {
  await using raw = await openRaw(hub.origin);
  const good = postText(hub, callText('pipe__echo', { args: '{"message":"mine"}' }));
  for (let round = 0; round < 3; round++) {
    raw.write(good.replace(hub.token, 'stolen'));
    expect((await raw.response())?.status).toBe(401);
    raw.write(good);
    expect(textOf(parseAnswer((await raw.response())!.body))).toBe('mine');
    raw.write(good.replace('/mcp', '/control/status'));
    expect((await raw.response())?.status).toBe(401);
    raw.write(good.replace(`Host: ${host}`, 'Host: evil.example'));
    expect((await raw.response())?.status).toBe(403);
  }
});
