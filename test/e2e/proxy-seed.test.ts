/** Seed 003, followed in its own order: its examples with curl, and an app written with `ws`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBridge, resultFor } from '../kit/proxy/bridge.ts';
import { curl } from '../kit/proxy/curl.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { EXAMPLE, type CreatedSession } from '../kit/proxy/sessions.ts';
import { callText, INITIALIZE, listText, parseAnswer, structuredOf, textOf } from '../kit/messages.ts';
import { connectSdk } from '../servers/sdk-clients.ts';
import { startSeedApp } from '../servers/seed-app.ts';
import { verifies } from '../verifies.ts';

let proxy: TestProxy;
beforeAll(async () => {
  proxy = await startProxy({ command: 'up' });
});
afterAll(() => proxy[Symbol.asyncDispose]());

const JSON_TYPE = ['-H', 'Content-Type: application/json'];
const BOTH_TYPES = ['-H', 'Accept: application/json, text/event-stream'];
const bearer = (token: string): string[] => ['-H', `Authorization: Bearer ${token}`];

const createArgs = (): string[] => [
  '-X',
  'POST',
  `${proxy.origin}/v1/chat/sessions`,
  ...JSON_TYPE,
  '-d',
  JSON.stringify(EXAMPLE),
];
const create = (): ReturnType<typeof curl> => curl(...createArgs(), ...bearer(APP_TOKEN));

const mcp = (url: string, body: string, ...more: string[]): ReturnType<typeof curl> =>
  curl('-X', 'POST', url, ...bearer(OPENCLAW_TOKEN), ...JSON_TYPE, ...BOTH_TYPES, ...more, '-d', body);

describe('the document, step by step with curl and ws', () => {
  it('GET /health returns the plain text ok without a token', async () => {
    verifies('003-health');
    const { status, head, body } = await curl(`${proxy.origin}/health`);
    expect([status, body.trim()]).toEqual([200, 'ok']);
    expect(head).toMatch(/^content-type: text\/plain/im);
  });

  it('create, connect, call, delete: each step of the sequence diagram', async () => {
    verifies('003-sessions-create', '003-sessions-delete', '003-bridge-connect', '003-mcp-path');
    const created = await create();
    expect(created.status).toBe(200);
    expect(created.head).toMatch(/^content-type: application\/json/im);
    const session = JSON.parse(created.body) as CreatedSession;
    const { mcpSessionId: id, bridge_url, mcp_url } = session;
    const { host } = new URL(proxy.origin);
    expect(session).toEqual({
      mcpSessionId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      bridge_url: `ws://${host}/v1/chat/sessions/${id}/bridge`,
      mcp_url: `http://${host}/v1/mcp/${id}`,
    });
    verifies('003-sessions-response-id', '003-sessions-response-bridge-url', '003-sessions-response-mcp-url');

    await using bridge = await openBridge(bridge_url);
    const answered = mcp(mcp_url, callText('echo_text', { args: '{"text":"hello"}', id: '"c-1"' }));
    const invoke = await bridge.next('invoke_tool');
    verifies('003-bridge-invoke-tool', '003-bridge-invoke-result', '003-forward-result');
    expect(invoke).toEqual({
      type: 'invoke_tool',
      mcpSessionId: id,
      request_id: expect.any(String) as string,
      tool_name: 'echo_text',
      arguments: { text: 'hello' },
    });
    bridge.send(resultFor(invoke, { echoed_text: 'hello' }));
    const { status, body, head } = await answered;
    expect(status).toBe(200);
    expect(head).not.toMatch(/^mcp-session-id:/im);
    const answer = parseAnswer(body);
    expect(answer.id).toBe('c-1');
    expect(structuredOf(answer)).toEqual({ echoed_text: 'hello' });
    expect(JSON.parse(textOf(answer))).toEqual({ echoed_text: 'hello' });

    const deleted = await curl(
      '-X',
      'DELETE',
      `${proxy.origin}/v1/chat/sessions/${id}`,
      ...bearer(APP_TOKEN),
    );
    expect([deleted.status, JSON.parse(deleted.body)]).toEqual([200, { ok: true }]);
    expect((await bridge.closed).code).toBe(4404);
  });

  it('MCP by header, with and without a trailing slash', async () => {
    verifies('003-mcp-header', '003-mcp-header-no-slash', '003-mcp-stateless');
    const { mcpSessionId } = JSON.parse((await create()).body) as CreatedSession;
    const header = ['-H', `MCP-Session-Id: ${mcpSessionId}`];
    for (const path of ['/v1/mcp', '/v1/mcp/'])
      for (const body of [INITIALIZE, listText()]) {
        const { status, head, body: text } = await mcp(`${proxy.origin}${path}`, body, ...header);
        expect([path, status]).toEqual([path, 200]);
        expect(head).not.toMatch(/^mcp-session-id:/im);
        if (body !== INITIALIZE) expect(text).toContain('"echo_text"');
      }
  });

  it('the two tokens give access only to their own paths', async () => {
    verifies('003-auth-app-create', '003-auth-mcp', '003-auth-independent');
    const { mcp_url } = JSON.parse((await create()).body) as CreatedSession;
    const sessions = createArgs();
    const tools = ['-X', 'POST', mcp_url, ...JSON_TYPE, ...BOTH_TYPES, '-d', listText()];
    for (const wrong of [[], bearer('wrong')]) {
      for (const request of [sessions, tools]) {
        const { status, body, head } = await curl(...request, ...wrong);
        expect([status, body]).toEqual([401, '']);
        expect(head).toMatch(/^www-authenticate: Bearer/im);
      }
    }
    expect((await curl(...sessions, ...bearer(OPENCLAW_TOKEN))).status).toBe(401);
    expect((await curl(...tools, ...bearer(APP_TOKEN))).status).toBe(401);
    expect((await curl(...sessions, ...bearer(APP_TOKEN))).status).toBe(200);
    expect((await curl(...tools, ...bearer(OPENCLAW_TOKEN))).status).toBe(200);
  });
});

describe('an app without the library', () => {
  it.each(['legacy', 'modern'] as const)('serves the official client of the %s era', async (era) => {
    verifies('003-forward-dynamic');
    await using app = await startSeedApp({
      url: proxy.origin,
      token: APP_TOKEN,
      tools: {
        echo_text: {
          description: 'Echo text.',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
          run: (args) => ({ echoed_text: (args as { text: string }).text }),
        },
        refuse: {
          description: 'Always fails.',
          inputSchema: { type: 'object' },
          run: () => {
            throw new Error('not today');
          },
        },
      },
    });
    await using client = await connectSdk(era, app.mcpUrl, { authorization: `Bearer ${OPENCLAW_TOKEN}` });
    expect((await client.listTools()).sort()).toEqual(['echo_text', 'refuse']);
    for (const text of ['hello', 'grüß 世界 🦀']) {
      const result = await client.callTool('echo_text', { text });
      expect(result).toMatchObject({ isError: false, structured: { echoed_text: text } });
      expect(JSON.parse(result.text)).toEqual({ echoed_text: text });
    }
    expect(await client.callTool('refuse', {})).toMatchObject({ isError: true, text: 'Error: not today' });
    const calls = Array.from({ length: 20 }, (_, n) => client.callTool('echo_text', { text: `n${n}` }));
    expect((await Promise.all(calls)).map(({ structured }) => structured)).toEqual(
      Array.from({ length: 20 }, (_, n) => ({ echoed_text: `n${n}` })),
    );
    await app.end();
    await expect(client.callTool('echo_text', { text: 'gone' })).rejects.toThrow();
  });
});
