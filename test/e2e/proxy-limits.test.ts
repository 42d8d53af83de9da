/**
 * Every limit of the app proxy: a value at the limit is accepted, one more is refused with a reason, and the next
 * request works.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callText, textOf } from '../kit/messages.ts';
import { openBridge, resultFor, type Frame } from '../kit/proxy/bridge.ts';
import { callTool, listTools, postMcp, type McpReply } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import {
  anyTool,
  createSession,
  deleteSession,
  EXAMPLE,
  refusalIn,
  register,
} from '../kit/proxy/sessions.ts';
import { sha256 } from '../kit/sha256.ts';
import { verifies } from '../verifies.ts';

const limits = {
  maxSessionsPerApp: 3,
  maxToolsPerSession: 4,
  maxSchemaBytes: 2_000,
  maxSchemaDepth: 8,
  maxCallsPerAppSession: 3,
  maxRegistrationBytes: 20_000,
  maxMessageBytes: 50_000,
  maxLabelChars: 20,
  maxToolDescriptionChars: 100,
};

const tools = [anyTool('any')];
const body = { ...EXAMPLE, tools };
const appOf = (name: string): object => ({ name, tokenHash: sha256(`${name}-secret`), origins: [] });
const apps = ['one', 'two', 'fast', 'slow'].map(appOf);
const ONE = 'one-secret';
const TWO = 'two-secret';

let proxy: TestProxy;
beforeAll(async () => {
  proxy = await startProxy({ config: { proxy: { apps } }, limits });
});
afterAll(() => proxy[Symbol.asyncDispose]());

describe('a registration', () => {
  it('beyond the sessions of one app returns 503; another app is not affected', async () => {
    verifies('003-limits-sizes');
    const made = [];
    for (let n = 0; n < limits.maxSessionsPerApp; n++)
      made.push(await createSession(proxy.origin, body, ONE));
    const told = await register(proxy.origin, body, { token: ONE });
    expect(told.status).toBe(503);
    expect(refusalIn(told)).toMatchObject({
      code: 'SERVER_BUSY',
      message: expect.stringContaining('3') as string,
    });
    await createSession(proxy.origin, body, TWO);
    await deleteSession(proxy.origin, made[0]!.mcpSessionId, ONE);
    await createSession(proxy.origin, body, ONE);
    for (const { mcp_url } of made.slice(1)) expect((await listTools(mcp_url)).length).toBe(1);
  });

  const nested = (depth: number): object => {
    let schema: object = { type: 'string' };
    for (let level = 1; level < depth; level += 2) schema = { type: 'object', properties: { a: schema } };
    return schema;
  };
  const described = (bytes: number): object => {
    const empty = JSON.stringify({ type: 'object', description: '' }).length;
    return { type: 'object', description: 'x'.repeat(bytes - empty) };
  };
  const withSchema = (input_schema: object): object => ({ ...EXAMPLE, tools: [{ name: 'a', input_schema }] });
  const padded = (bytes: number): string => JSON.stringify(body).padEnd(bytes, ' ');
  const toolsOf = (count: number): object => ({
    ...EXAMPLE,
    tools: Array.from({ length: count }, (_, n) => anyTool(`t${n}`)),
  });

  /** A value at the limit, a value above it, and the expected status and place. */
  const BOUNDS: [string, unknown, unknown, number, string][] = [
    ['tools', toolsOf(4), toolsOf(5), 400, 'tools: '],
    [
      'the bytes of a schema',
      withSchema(described(2_000)),
      withSchema(described(2_001)),
      400,
      'tools[0].input_schema: ',
    ],
    ['the depth of a schema', withSchema(nested(7)), withSchema(nested(9)), 400, 'tools[0].input_schema: '],
    ['a label', { ...body, chat_id: 'c'.repeat(20) }, { ...body, chat_id: 'c'.repeat(21) }, 400, 'chat_id: '],
    [
      'a description',
      { ...EXAMPLE, tools: [{ name: 'a', description: 'd'.repeat(100) }] },
      { ...EXAMPLE, tools: [{ name: 'a', description: 'd'.repeat(101) }] },
      400,
      'tools[0].description: ',
    ],
    ['the body', padded(20_000), padded(20_001), 413, 'body: '],
  ];
  // oxlint-disable-next-line max-params -- a row of the table
  it.each(BOUNDS)('enforces its limit of %s', async (_label, within, above, status, place) => {
    verifies('003-limits-sizes');
    const at = await register(proxy.origin, within, { token: TWO });
    expect([at.status, at.text]).toEqual([200, expect.stringContaining('mcpSessionId')]);
    const told = await register(proxy.origin, above, { token: TWO });
    expect(told.status).toBe(status);
    expect(refusalIn(told).message.startsWith(place), told.text).toBe(true);
    const { mcpSessionId } = JSON.parse(at.text) as { mcpSessionId: string };
    expect((await deleteSession(proxy.origin, mcpSessionId, TWO)).status).toBe(200);
  });
});

describe('calls', () => {
  it('in flight to one app are limited; one more is refused and not sent', async () => {
    verifies('003-limits-sizes');
    const { bridge_url, mcp_url, mcpSessionId } = await createSession(proxy.origin, body);
    await using bridge = await openBridge(bridge_url);
    const held: Promise<McpReply>[] = [];
    const invokes: Frame[] = [];
    for (let n = 0; n < limits.maxCallsPerAppSession; n++) {
      held.push(callTool(mcp_url, 'any', { n }));
      invokes.push(await bridge.next('invoke_tool'));
    }
    const { answer } = await callTool(mcp_url, 'any', { n: 'too many' });
    expect(answer.error).toMatchObject({
      code: -32010,
      data: { code: 'SERVER_BUSY', outcome: 'not_executed' },
    });
    bridge.send(resultFor(invokes[0]!, 'first'));
    expect(textOf((await held[0]!).answer)).toBe('"first"');
    const next = callTool(mcp_url, 'any', { n: 'next' });
    expect((await bridge.next('invoke_tool')).arguments).toEqual({ n: 'next' });
    for (const invoke of bridge.frames.filter(({ type }) => type === 'invoke_tool'))
      bridge.send(resultFor(invoke, 1));
    await Promise.all([...held, next]);
    expect(bridge.texts.join('')).not.toContain('too many');
    await deleteSession(proxy.origin, mcpSessionId);
  });

  it('have a limited size', async () => {
    const { bridge_url, mcp_url, mcpSessionId } = await createSession(proxy.origin, body);
    await using bridge = await openBridge(bridge_url);
    const text = callText('any', { args: '{"a":1}' });
    const largest = postMcp(mcp_url, text.padEnd(limits.maxMessageBytes, ' '));
    bridge.send(resultFor(await bridge.next('invoke_tool'), 'taken'));
    expect(textOf((await largest).answer)).toBe('"taken"');
    expect((await postMcp(mcp_url, text.padEnd(limits.maxMessageBytes + 1, ' '))).status).toBe(413);
    const next = callTool(mcp_url, 'any');
    bridge.send(resultFor(await bridge.next('invoke_tool'), 'next'));
    expect(textOf((await next).answer)).toBe('"next"');
    expect(bridge.frames.filter(({ type }) => type === 'invoke_tool')).toHaveLength(2);
    await deleteSession(proxy.origin, mcpSessionId);
  });
});

describe('rates', () => {
  const BURST = 20;

  it('of one credential: a burst, then 429 with the seconds to wait, then it works again', async () => {
    verifies('003-limits-rate');
    const rate = { appCredentialBurst: BURST, appCredentialPerSecond: 2, maxSessionsPerApp: 1_000 };
    await using own = await startProxy({ config: { proxy: { apps } }, limits: rate });
    const asked = await Promise.all(
      Array.from({ length: BURST * 2 }, () => register(own.origin, body, { token: ONE })),
    );
    const refused = asked.filter(({ status }) => status === 429);
    // On a slow machine some tokens are refilled meanwhile.
    expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(BURST);
    expect(refused.length).toBeGreaterThan(0);
    for (const told of refused) {
      expect(refusalIn(told)).toMatchObject({ code: 'RATE_LIMITED' });
      expect(told.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    // Other credentials are not affected.
    for (const token of [TWO, APP_TOKEN])
      expect((await register(own.origin, body, { token })).status).toBe(200);
    await sleep(Number(refused[0]!.headers.get('retry-after')) * 1_000);
    expect((await register(own.origin, body, { token: ONE })).status).toBe(200);
  });

  it("of OpenClaw's credential and of one session: 429, while another session is served", async () => {
    verifies('003-limits-rate');
    const rate = { appSessionBurst: BURST, appSessionPerSecond: 2, appCredentialBurst: BURST * 10 };
    await using own = await startProxy({ limits: { ...rate, appCredentialPerSecond: 1 } });
    const [busy, quiet] = [await createSession(own.origin, body), await createSession(own.origin, body)];
    const list = (url: string): Promise<McpReply> =>
      postMcp(url, '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}', { token: OPENCLAW_TOKEN });
    const asked = await Promise.all(Array.from({ length: BURST * 2 }, () => list(busy.mcp_url)));
    const refused = asked.filter(({ status }) => status === 429);
    expect(asked.length - refused.length).toBeGreaterThanOrEqual(BURST);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, answer } of refused) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(JSON.stringify(answer)).toContain('RATE_LIMITED');
    }
    expect((await list(quiet.mcp_url)).status).toBe(200);
    await sleep(Number(refused[0]!.headers.get('retry-after')) * 1_000);
    expect((await list(busy.mcp_url)).status).toBe(200);
    // Requests without a valid token count against no rate.
    for (let n = 0; n < BURST * 2; n++)
      expect((await postMcp(quiet.mcp_url, '{}', { token: 'wrong' })).status).toBe(401);
    expect((await list(quiet.mcp_url)).status).toBe(200);
  });
});
