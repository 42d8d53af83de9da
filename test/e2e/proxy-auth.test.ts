/** Who may register, connect and call: two independent tokens, and apps that are isolated from each other. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listText, textOf } from '../kit/messages.ts';
import { closeOf, openBridge, resultFor, type BridgeOptions } from '../kit/proxy/bridge.ts';
import { callTool, listTools, postMcp } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import {
  anyTool,
  ask,
  createSession,
  deleteSession,
  EXAMPLE,
  register,
  type CreatedSession,
} from '../kit/proxy/sessions.ts';
import { sha256 } from '../kit/sha256.ts';
import { verifies } from '../verifies.ts';

const ALPHA = 'alpha-secret-ö';
const BETA = 'beta-secret';
const GAMMA = 'gamma-secret';
const APPS = [
  { name: 'alpha', tokenHash: sha256(ALPHA), origins: [] },
  { name: 'beta', tokenHash: sha256(BETA), origins: [] },
  { name: 'gamma', tokenHash: sha256(GAMMA), origins: [] },
];

let proxy: TestProxy;
beforeAll(async () => {
  proxy = await startProxy({ config: { proxy: { apps: APPS } } });
});
afterAll(() => proxy[Symbol.asyncDispose]());

const tools = [anyTool('any')];
/** In a header, a token beyond ASCII is sent as UTF-8 bytes. */
const headerText = (token: string): string => Buffer.from(token, 'utf8').toString('latin1');
const sessionOf = (token: string): Promise<CreatedSession> =>
  createSession(proxy.origin, { ...EXAMPLE, tools }, headerText(token));

const WRONG_HEADERS: [string, string | undefined][] = [
  ['no token', undefined],
  ['an empty header', ''],
  ['the scheme alone', 'Bearer'],
  ['another token', 'Bearer wrong'],
  ['a longer token', `Bearer ${APP_TOKEN}x`],
  ['a shorter token', `Bearer ${APP_TOKEN.slice(0, -1)}`],
  ['another scheme', `Basic ${APP_TOKEN}`],
  ['no scheme', APP_TOKEN],
  ["OpenClaw's token", `Bearer ${OPENCLAW_TOKEN}`],
  ['the digest of a token', `Bearer ${sha256(ALPHA)}`],
];

describe('the app token', () => {
  it.each(WRONG_HEADERS)(
    'returns 401 without a body on the session API for %s, and changes nothing',
    async (_label, value) => {
      verifies('003-auth-app-create', '003-auth-app-delete', '003-auth-independent', '003-ops-trusted-apps');
      const { mcpSessionId, mcp_url } = await sessionOf(APP_TOKEN);
      const headers = {
        ...(value === undefined ? {} : { authorization: value }),
        'content-type': 'application/json',
      };
      const refused = [
        await register(proxy.origin, EXAMPLE, { headers }),
        await ask(`${proxy.origin}/v1/chat/sessions/${mcpSessionId}`, { method: 'DELETE', headers }),
        // Whether such a session exists is not revealed either.
        await ask(`${proxy.origin}/v1/chat/sessions/nobody`, { method: 'DELETE', headers }),
      ];
      for (const told of refused) {
        expect([told.status, told.text]).toEqual([401, '']);
        expect(told.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
      expect((await listTools(mcp_url)).length).toBe(1);
    },
  );

  it.each(WRONG_HEADERS)('closes a bridge with 4401 after the handshake for %s', async (_label, value) => {
    verifies('003-close-4401', '003-auth-app-bridge');
    const { bridge_url, mcp_url } = await sessionOf(APP_TOKEN);
    const options: BridgeOptions = { headers: value === undefined ? {} : { authorization: value } };
    expect((await closeOf(bridge_url, options)).code).toBe(4401);
    // The token is checked before the session.
    expect((await closeOf(bridge_url.replace(/[0-9a-f]{32}/, 'unknown'), options)).code).toBe(4401);
    expect(JSON.stringify((await callTool(mcp_url, 'any')).answer)).toContain('Bridge is not connected');
  });

  it.each([100, 1_000, 1_000_000])(
    'a client without a token that sends %i bytes at once is closed with 4401',
    async (size) => {
      verifies('003-close-4401');
      const { bridge_url } = await sessionOf(APP_TOKEN);
      await using bridge = await openBridge(bridge_url, { token: 'wrong' });
      bridge.send({ type: 'hello', version: 1, features: ['x'.repeat(size)] });
      expect((await bridge.closed).code).toBe(4401);
    },
  );

  it('is accepted by all three', async () => {
    verifies('003-auth-app-bridge', '003-config-app-token');
    const { bridge_url, mcpSessionId } = await sessionOf(APP_TOKEN);
    await using bridge = await openBridge(bridge_url);
    expect((await deleteSession(proxy.origin, mcpSessionId)).status).toBe(200);
    expect((await bridge.closed).code).toBe(4404);
  });
});

describe("OpenClaw's token", () => {
  const WRONG: [string, string | undefined][] = [
    ['no token', undefined],
    ['another token', 'Bearer wrong'],
    ['a longer token', `Bearer ${OPENCLAW_TOKEN}x`],
    ['another scheme', `Basic ${OPENCLAW_TOKEN}`],
    ["the apps' token", `Bearer ${APP_TOKEN}`],
    ["an app's token", `Bearer ${BETA}`],
  ];
  it.each(WRONG)('returns 401 without a body below /v1/mcp for %s', async (_label, value) => {
    verifies('003-auth-mcp', '003-auth-independent', '003-config-openclaw-token');
    const { mcpSessionId, bridge_url } = await sessionOf(APP_TOKEN);
    await using bridge = await openBridge(bridge_url);
    const authorization: Record<string, string> = value === undefined ? {} : { authorization: value };
    for (const path of [`/v1/mcp/${mcpSessionId}`, '/v1/mcp', '/v1/mcp/', '/v1/mcp/unknown'])
      for (const method of ['POST', 'GET', 'DELETE', 'PUT']) {
        const told = await ask(`${proxy.origin}${path}`, {
          method,
          headers: { ...authorization, 'content-type': 'application/json', 'mcp-session-id': mcpSessionId },
          ...(method === 'POST' ? { body: listText() } : {}),
        });
        expect([path, method, told.status, told.text]).toEqual([path, method, 401, '']);
        expect(told.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    expect(bridge.frames.filter(({ type }) => type !== 'ping')).toEqual([]);
  });

  it('is accepted for every session, and Bearer may be lower-case', async () => {
    const { mcp_url } = await sessionOf(BETA);
    expect((await listTools(mcp_url)).length).toBe(1);
    const { status } = await postMcp(mcp_url, listText(), {
      headers: { authorization: `bearer ${OPENCLAW_TOKEN}` },
    });
    expect(status).toBe(200);
  });

  it("the hub's own token is not accepted here", async () => {
    const { mcp_url } = await sessionOf(APP_TOKEN);
    expect((await postMcp(mcp_url, listText(), { token: proxy.hubToken })).status).toBe(401);
    expect((await register(proxy.origin, EXAMPLE, { token: proxy.hubToken })).status).toBe(401);
  });
});

describe('an app with its own credential', () => {
  it('has sessions that do not exist for another app', async () => {
    verifies('003-ops-trusted-apps');
    const mine = await sessionOf(ALPHA);
    const unknown = await deleteSession(proxy.origin, '0'.repeat(32), headerText(BETA));
    for (const other of [BETA, APP_TOKEN]) {
      const told = await deleteSession(proxy.origin, mine.mcpSessionId, headerText(other));
      expect([told.status, told.text]).toEqual([404, unknown.text]);
      const refused = await closeOf(mine.bridge_url, { token: headerText(other) });
      const nobody = await closeOf(mine.bridge_url.replace(mine.mcpSessionId, '0'.repeat(32)), {
        token: headerText(other),
      });
      expect(refused).toEqual(nobody);
      expect(refused.code).toBe(4404);
    }
    await using bridge = await openBridge(mine.bridge_url, { token: headerText(ALPHA) });
    const call = callTool(mine.mcp_url, 'any');
    bridge.send(resultFor(await bridge.next('invoke_tool'), 'alpha'));
    expect(textOf((await call).answer)).toBe('"alpha"');
    expect((await deleteSession(proxy.origin, mine.mcpSessionId, headerText(ALPHA))).status).toBe(200);
  });

  it.each([ALPHA, BETA])('can send it as a subprotocol, as a web page must (%s)', async (token) => {
    const { bridge_url, mcp_url } = await sessionOf(token);
    const shown = `pincer.token.${Buffer.from(token, 'utf8').toString('base64url')}`;
    await using bridge = await openBridge(bridge_url, { protocols: ['pincer.bridge', shown] });
    expect(bridge.protocol).toBe('pincer.bridge');
    const call = callTool(mcp_url, 'any');
    bridge.send(resultFor(await bridge.next('invoke_tool'), 1));
    expect(textOf((await call).answer)).toBe('1');
  });

  it('is refused with a wrong subprotocol', async () => {
    const { bridge_url } = await sessionOf(BETA);
    for (const text of ['', '====', 'wrong', BETA, Buffer.from('wrong').toString('base64url')]) {
      const protocols = ['pincer.bridge', ...(/^[\w-]+$/.test(text) ? [`pincer.token.${text}`] : [])];
      expect((await closeOf(bridge_url, { protocols })).code).toBe(4401);
    }
  });

  it('loses access when the configuration removes it, and its bridges close with 4401', async () => {
    const [mine, other] = [await sessionOf(GAMMA), await sessionOf(BETA)];
    await using bridge = await openBridge(mine.bridge_url, { token: GAMMA });
    await using kept = await openBridge(other.bridge_url, { token: BETA });
    const path = join(proxy.home, 'config.json');
    const config = JSON.parse(readFileSync(path, 'utf8')) as { proxy: object };
    writeFileSync(path, JSON.stringify({ ...config, proxy: { ...config.proxy, apps: APPS.slice(0, 2) } }));
    expect((await bridge.closed).code).toBe(4401);
    expect((await closeOf(mine.bridge_url, { token: GAMMA })).code).toBe(4401);
    expect((await register(proxy.origin, EXAMPLE, { token: GAMMA })).status).toBe(401);
    expect((await deleteSession(proxy.origin, mine.mcpSessionId, GAMMA)).status).toBe(401);
    const call = callTool(other.mcp_url, 'any');
    kept.send(resultFor(await kept.next('invoke_tool'), 'kept'));
    expect(textOf((await call).answer)).toBe('"kept"');
  });
});
