/** MCP on the proxy: by path and by header, in both eras, and the answers that apps may give. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INITIALIZE, listText, modernHeaders, request, textOf } from '../kit/messages.ts';
import { openBridge, resultFor, type Frame, type TestBridge } from '../kit/proxy/bridge.ts';
import { callTool, listTools, postMcp } from '../kit/proxy/mcp.ts';
import { OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { anyTool, ask, createSession, EXAMPLE, type CreatedSession } from '../kit/proxy/sessions.ts';
import { verifies } from '../verifies.ts';

const ERAS = ['legacy', 'modern'] as const;

let proxy: TestProxy;
let session: CreatedSession;
let bridge: TestBridge;

/** Answers each call with `content`, the text of a JSON value from `next`. */
let next: (frame: Frame) => string = (frame) => JSON.stringify(frame.arguments);

beforeAll(async () => {
  proxy = await startProxy();
  session = await createSession(proxy.origin, { ...EXAMPLE, tools: [anyTool('any')] });
  bridge = await openBridge(session.bridge_url);
  bridge.socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.type === 'invoke_tool')
      bridge.send(
        JSON.stringify(resultFor(frame, 0)).replace('"content":0', () => `"content":${next(frame)}`),
      );
  });
});
afterAll(async () => {
  await bridge[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

const byHeader = (path: string): [string, Record<string, string>] => [
  `${proxy.origin}${path}`,
  { 'MCP-Session-Id': session.mcpSessionId },
];

describe.each(ERAS)('in the %s era', (era) => {
  it('path and header, with and without a trailing slash, reach the same session', async () => {
    verifies('003-mcp-path', '003-mcp-header', '003-mcp-header-no-slash', '003-mcp-header-eras');
    const ways: [string, Record<string, string>][] = [
      [session.mcp_url, {}],
      byHeader('/v1/mcp'),
      byHeader('/v1/mcp/'),
      [session.mcp_url, { 'mcp-session-id': 'nobody' }],
    ];
    for (const [url, headers] of ways) {
      expect((await listTools(url, { era, headers })).map(({ name }) => name)).toEqual(['any']);
      const reply = await callTool(url, 'any', { n: 1 }, { era, headers });
      expect([url, reply.status]).toEqual([url, 200]);
      expect(reply.answer.result).toMatchObject({ structuredContent: { n: 1 } });
      verifies('003-mcp-stateless');
      expect(reply.headers.get('mcp-session-id')).toBeNull();
    }
  });

  it('returns 404 for an unknown session and 400 without one, and asks no app', async () => {
    verifies('003-mcp-unknown-session', '003-mcp-no-session');
    const before = bridge.texts.length;
    const unknown: [string, Record<string, string>][] = [
      [`${proxy.origin}/v1/mcp/${'0'.repeat(32)}`, {}],
      [`${proxy.origin}/v1/mcp`, { 'mcp-session-id': 'nobody' }],
      [`${proxy.origin}/v1/mcp/`, { 'mcp-session-id': '' }],
      // The path wins.
      [`${proxy.origin}/v1/mcp/nobody`, { 'mcp-session-id': session.mcpSessionId }],
    ];
    for (const [url, headers] of unknown) {
      const { status, answer } = await callTool(url, 'any', {}, { era, headers });
      expect([url, status]).toEqual([url, headers['mcp-session-id'] === '' ? 400 : 404]);
      expect(answer.error?.message).toEqual(expect.any(String));
    }
    for (const path of ['/v1/mcp', '/v1/mcp/']) {
      const { status, answer } = await callTool(`${proxy.origin}${path}`, 'any', {}, { era });
      expect([status, typeof answer.error?.message]).toEqual([400, 'string']);
    }
    expect(bridge.texts.slice(before).filter((text) => text.includes('invoke_tool'))).toEqual([]);
  });

  /** The text of `content`, and the legacy `structuredContent` if that differs. */
  const CONTENTS: [string, string, unknown?][] = [
    ['an object', '{"echoed_text":"hello"}'],
    ['an empty object', '{}'],
    ['an object with numbers beyond JavaScript', '{"n":99999999999999999999,"f":1.10,"e":1e400}'],
    ['an object in any script', '{"t":"grüß 世界 🦀 \\u0000\\n"}'],
    ['a list', '[1,"two",null]', { result: [1, 'two', null] }],
    [
      'what only looks like content blocks',
      '[{"type":"text","text":"t"}]',
      { result: [{ type: 'text', text: 't' }] },
    ],
    ['a text', '"hello"', { result: 'hello' }],
    ['a number', '42', { result: 42 }],
    ['true', 'true', { result: true }],
    ['null', 'null', { result: null }],
  ];
  it.each(CONTENTS)('returns %s as structured output and as JSON text', async (_label, content, wrapped) => {
    verifies('003-forward-result');
    next = () => content;
    const { answer, text } = await callTool(session.mcp_url, 'any', {}, { era });
    expect(answer.result).toMatchObject({ isError: false, content: [{ type: 'text', text: content }] });
    if (era === 'modern' || wrapped === undefined) expect(text).toContain(`"structuredContent":${content}`);
    else expect(answer.result?.['structuredContent']).toEqual(wrapped);
    next = (frame) => JSON.stringify(frame.arguments);
  });

  it('refuses an unknown tool and invalid arguments before the app receives them', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const own = await createSession(proxy.origin, {
      ...EXAMPLE,
      tools: [{ name: 'strict', input_schema: schema }],
    });
    await using strict = await openBridge(own.bridge_url);
    for (const [tool, args] of [
      ['nowhere', {}],
      ['strict', {}],
      ['strict', { n: 'one' }],
    ] as const) {
      const { answer } = await callTool(own.mcp_url, tool, args, { era });
      expect(JSON.stringify(answer)).toContain(tool === 'nowhere' ? 'nowhere' : 'n');
      expect(answer.error ?? answer.result?.['isError']).toBeTruthy();
    }
    const call = callTool(own.mcp_url, 'strict', { n: 1 }, { era });
    const invoke = await strict.next('invoke_tool');
    expect(invoke.arguments).toEqual({ n: 1 });
    strict.send(resultFor(invoke, { ok: 1 }));
    expect((await call).answer.result).toMatchObject({ isError: false });
    expect(strict.frames.filter(({ type }) => type === 'invoke_tool')).toHaveLength(1);
  });
});

describe('tools/list', () => {
  it('returns each tool as registered: name, description and schema', async () => {
    verifies('003-mcp-tool-definitions', '003-forward-dynamic', '003-sessions-tools');
    const schemas = [
      { type: 'object', properties: { text: { type: 'string' } } },
      {
        type: 'object',
        properties: { n: { type: 'integer', minimum: 0 } },
        required: ['n'],
        additionalProperties: false,
      },
      {
        type: 'object',
        $defs: { tag: { enum: ['a', 'b', null] } },
        properties: { tags: { type: 'array', items: { $ref: '#/$defs/tag' } } },
        'x-own': { any: ['thing'] },
      },
    ];
    const tools = schemas.map((input_schema, n) => ({
      name: `tool_${n}`,
      path: `/tools/${n}`,
      description: `Tool ${n}: grüß 世界.`,
      input_schema,
    }));
    const { mcp_url } = await createSession(proxy.origin, { ...EXAMPLE, tools });
    for (const era of ERAS)
      expect(await listTools(mcp_url, { era })).toEqual(
        tools.map(({ name, description, input_schema }) => ({
          name,
          description,
          inputSchema: input_schema,
        })),
      );
  });

  it('isolates two sessions with tools of the same names', async () => {
    verifies('003-mcp-multi-session');
    const [one, two] = await Promise.all(
      ['one', 'two'].map((word) =>
        createSession(proxy.origin, {
          ...EXAMPLE,
          tools: [{ ...anyTool('same'), description: `Of ${word}.` }],
        }),
      ),
    );
    await using first = await openBridge(one!.bridge_url);
    await using second = await openBridge(two!.bridge_url);
    for (const [word, { mcp_url }, own] of [
      ['one', one!, first],
      ['two', two!, second],
    ] as const) {
      expect((await listTools(mcp_url)).map(({ description }) => description)).toEqual([`Of ${word}.`]);
      const call = callTool(mcp_url, 'same');
      own.send(resultFor(await own.next('invoke_tool'), word));
      expect(textOf((await call).answer)).toBe(`"${word}"`);
    }
    for (const own of [first, second])
      expect(own.frames.filter(({ type }) => type === 'invoke_tool')).toHaveLength(1);
  });
});

describe('without a protocol session', () => {
  it('each request is independent, with or without initialize, and DELETE ends nothing', async () => {
    verifies('003-mcp-stateless', '003-mcp-header-eras');
    const began = await postMcp(session.mcp_url, INITIALIZE);
    expect([began.status, began.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(began.answer.result).toMatchObject({
      capabilities: { tools: {} },
      serverInfo: { name: expect.any(String) as string },
    });
    const version = (await postMcp(session.mcp_url, INITIALIZE.replace('2025-11-25', '2025-03-26'))).answer;
    expect(version.result).toMatchObject({ protocolVersion: '2025-03-26' });
    for (const [url, headers] of [[session.mcp_url, {}] as const, byHeader('/v1/mcp')]) {
      const { status } = await ask(url, { method: 'DELETE', token: OPENCLAW_TOKEN, headers });
      expect(status).toBe(405);
      expect((await listTools(url, { headers })).length).toBe(1);
    }
    const discovered = await postMcp(
      session.mcp_url,
      listText('modern').replace('tools/list', 'server/discover'),
      { headers: modernHeaders('server/discover') },
    );
    expect(discovered.answer.result).toMatchObject({ capabilities: { tools: {} } });
    expect((await postMcp(session.mcp_url, request('ping'))).answer.result).toEqual({});
  });
});
