/** Sessions of apps: required fields of a registration, its answer, and what remains after a session ended. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeOf, openBridge } from '../kit/proxy/bridge.ts';
import { query } from '../kit/proxy/stored-sessions.ts';
import { callTool, listTools } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import {
  anyTool,
  ask,
  createSession,
  deleteSession,
  ECHO_TEXT,
  EXAMPLE,
  refusalIn,
  register,
} from '../kit/proxy/sessions.ts';
import { verifies } from '../verifies.ts';

let proxy: TestProxy;
beforeAll(async () => {
  proxy = await startProxy();
});
afterAll(() => proxy[Symbol.asyncDispose]());

describe('a registration', () => {
  it('gets an unguessable id and usable addresses', async () => {
    verifies('003-sessions-response-id', '003-sessions-response-bridge-url', '003-sessions-response-mcp-url');
    const sessions = await Promise.all(Array.from({ length: 50 }, () => createSession(proxy.origin)));
    expect(new Set(sessions.map(({ mcpSessionId }) => mcpSessionId)).size).toBe(50);
    // 128 random bits: the first eight characters of 50 ids differ, except by accident.
    expect(new Set(sessions.map(({ mcpSessionId }) => mcpSessionId.slice(0, 8))).size).toBe(50);
    for (const { mcpSessionId, bridge_url, mcp_url } of sessions.slice(0, 3)) {
      expect(mcpSessionId).toMatch(/^[0-9a-f]{32}$/);
      await using bridge = await openBridge(bridge_url);
      expect((await listTools(mcp_url)).map(({ name }) => name)).toEqual(['echo_text']);
      await bridge.close();
    }
  });

  it('builds the addresses from the host name that the app used', async () => {
    verifies('003-sessions-response-bridge-url', '003-sessions-response-mcp-url');
    const byName = `http://localhost:${proxy.port}`;
    const { bridge_url, mcp_url } = await createSession(byName);
    expect(bridge_url).toMatch(
      new RegExp(`^ws://localhost:${proxy.port}/v1/chat/sessions/[0-9a-f]{32}/bridge$`),
    );
    expect(mcp_url).toMatch(new RegExp(`^http://localhost:${proxy.port}/v1/mcp/[0-9a-f]{32}$`));
  });

  it('accepts all fields of the document, and unknown ones', async () => {
    verifies('003-sessions-create', '003-sessions-tools');
    const tool = { ...ECHO_TEXT, unknown_member: [1, 2] };
    const { mcp_url } = await createSession(proxy.origin, { ...EXAMPLE, tools: [tool], more: { a: 1 } });
    expect(await listTools(mcp_url)).toEqual([
      { name: 'echo_text', description: 'Echo text.', inputSchema: ECHO_TEXT.input_schema },
    ]);
  });

  it("stores the app's description with the session", async () => {
    verifies('003-sessions-device-fields', '003-sessions-chat-id');
    const about = {
      device_id: 'Gerät 7',
      device_name: 'desk\u{1f5a5}',
      app_version: '1.0.0-β',
      chat_id: 'chat/ä',
    };
    const { mcpSessionId } = await createSession(proxy.origin, { ...about, tools: [] });
    const rows = query(proxy.home, `SELECT * FROM app_sessions WHERE id = '${mcpSessionId}'`);
    expect(rows).toEqual([expect.objectContaining(about)]);
    // These fields may be null or missing.
    await createSession(proxy.origin, { device_id: null, tools: [] });
  });

  it('without tools creates a session without tools', async () => {
    const { mcp_url } = await createSession(proxy.origin, { ...EXAMPLE, tools: [] });
    expect(await listTools(mcp_url)).toEqual([]);
  });

  it('of two chats of one app creates two independent sessions', async () => {
    verifies('003-sessions-chat-id');
    const [one, two] = await Promise.all(
      ['chat-1', 'chat-2'].map((chat_id) =>
        createSession(proxy.origin, { ...EXAMPLE, chat_id, tools: [anyTool(chat_id)] }),
      ),
    );
    expect((await listTools(one!.mcp_url)).map(({ name }) => name)).toEqual(['chat-1']);
    expect((await listTools(two!.mcp_url)).map(({ name }) => name)).toEqual(['chat-2']);
    expect((await deleteSession(proxy.origin, one!.mcpSessionId)).status).toBe(200);
    expect((await listTools(two!.mcp_url)).map(({ name }) => name)).toEqual(['chat-2']);
  });

  const without = (member: keyof typeof EXAMPLE): object =>
    Object.fromEntries(Object.entries(EXAMPLE).filter(([name]) => name !== member));
  const withTool = (change: object): object => ({
    ...EXAMPLE,
    tools: [ECHO_TEXT, { ...ECHO_TEXT, name: 'b', ...change }],
  });

  const WRONG: [string, unknown, string][] = [
    ['no tools', without('tools'), 'tools'],
    ['tools that are not a list', { ...EXAMPLE, tools: {} }, 'tools'],
    ['a tool that is not an object', { ...EXAMPLE, tools: ['echo_text'] }, 'tools[0]'],
    ['a tool without a name', withTool({ name: undefined }), 'tools[1].name'],
    ['a tool with an empty name', withTool({ name: '' }), 'tools[1].name'],
    ['a number as the name of a tool', withTool({ name: 7 }), 'tools[1].name'],
    ['an invalid tool name', withTool({ name: 'öffne datei' }), 'tools[1].name'],
    ['two tools with the same name', withTool({ name: 'echo_text' }), 'tools[1].name'],
    ['a path that is not a text', withTool({ path: 1 }), 'tools[1].path'],
    ['a description that is not a text', withTool({ description: [] }), 'tools[1].description'],
    ['a schema that is not an object', withTool({ input_schema: 'object' }), 'tools[1].input_schema'],
    ['a schema of another type', withTool({ input_schema: { type: 'array' } }), 'tools[1].input_schema.type'],
    [
      'an invalid schema',
      withTool({ input_schema: { type: 'object', properties: 5 } }),
      'tools[1].input_schema.properties',
    ],
    ['a device_id that is a number', { ...EXAMPLE, device_id: 1 }, 'device_id'],
    ['a device_name that is a list', { ...EXAMPLE, device_name: [] }, 'device_name'],
    ['an app_version that is a number', { ...EXAMPLE, app_version: 1.5 }, 'app_version'],
    ['a chat_id that is an object', { ...EXAMPLE, chat_id: {} }, 'chat_id'],
    ['a body that is a list', [EXAMPLE], 'body'],
    ['a body that is not JSON', '{"tools":[', 'body'],
    ['an empty body', '', 'body'],
    ['a duplicate member', '{"chat_id":"a","chat_id":"b","tools":[]}', 'chat_id'],
  ];

  it.each(WRONG)('with %s is refused, and the error names the field', async (_label, body, place) => {
    verifies('003-sessions-invalid-body', '003-sessions-unique-names');
    const told = await register(proxy.origin, body);
    expect([told.status, told.text]).toEqual([400, expect.any(String)]);
    const { code, message, hint } = refusalIn(told);
    expect(code).toBe('ARGUMENT_INVALID');
    expect(message.startsWith(`${place}: `), message).toBe(true);
    expect(hint).toMatch(/\.$/);
    expect(told.text).not.toContain('mcpSessionId');
  });

  it('returns 415 for another type than JSON, and 405 for another method', async () => {
    const text = await register(proxy.origin, EXAMPLE, {
      token: APP_TOKEN,
      headers: { 'content-type': 'text/plain' },
    });
    expect([text.status, refusalIn(text).code]).toEqual([415, 'ARGUMENT_INVALID']);
    expect(refusalIn(text).message).toMatch(/^Content-Type: /);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const told = await ask(`${proxy.origin}/v1/chat/sessions`, { method, token: APP_TOKEN });
      expect([method, told.status]).toEqual([method, 405]);
      expect(told.headers.get('allow')).toContain('POST');
      expect(refusalIn(told).message).toMatch(/^method: /);
    }
  });
});

describe('a deleted session', () => {
  it('closes its bridge and is unknown everywhere', async () => {
    verifies('003-sessions-delete', '003-sessions-deleted-gone', '003-mcp-unknown-session');
    const { mcpSessionId: id, bridge_url, mcp_url } = await createSession(proxy.origin);
    const bridge = await openBridge(bridge_url);
    const told = await deleteSession(proxy.origin, id);
    expect([told.status, JSON.parse(told.text)]).toEqual([200, { ok: true }]);
    expect((await bridge.closed).code).toBe(4404);
    expect((await closeOf(bridge_url)).code).toBe(4404);
    const { status, answer } = await callTool(mcp_url, 'echo_text', { text: 'x' });
    expect(status).toBe(404);
    expect(answer.error).toMatchObject({ data: { code: 'SESSION_UNKNOWN' } });
    const again = await deleteSession(proxy.origin, id);
    expect([again.status, refusalIn(again).code]).toEqual([404, 'SESSION_UNKNOWN']);
  });

  it('ends its call in flight', async () => {
    verifies('003-sessions-delete-call');
    const { mcpSessionId, bridge_url, mcp_url } = await createSession(proxy.origin);
    await using bridge = await openBridge(bridge_url);
    const call = callTool(mcp_url, 'echo_text', { text: 'x' });
    await bridge.next('invoke_tool');
    await deleteSession(proxy.origin, mcpSessionId);
    expect((await call).answer.error).toMatchObject({ data: { outcome: 'outcome_unknown' } });
  });

  it.each(['unknown', '0'.repeat(32), '..', '%00', '__proto__', 'a'.repeat(5_000)])(
    'or an unknown one: deleting "%s" returns 404',
    async (id) => {
      const told = await ask(`${proxy.origin}/v1/chat/sessions/${encodeURIComponent(id)}`, {
        method: 'DELETE',
        token: APP_TOKEN,
      });
      expect([404, 405, 414, 431]).toContain(told.status);
      expect(
        (await deleteSession(proxy.origin, (await createSession(proxy.origin)).mcpSessionId)).status,
      ).toBe(200);
    },
  );
});
