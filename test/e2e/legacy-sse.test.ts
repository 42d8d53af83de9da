/** A server of 2024-11-05 over HTTP+SSE. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFaultProxy, type FaultProxy } from '../kit/fault-proxy.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, INITIALIZE, structuredOf, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { httpServer } from '../kit/servers.ts';
import { whenInFlight } from '../kit/status.ts';
import { startHttpServer, type RunningServer } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

const UNKNOWN = { code: -32011, data: { outcome: 'outcome_unknown' } };

describe('the fixture', () => {
  it('is accepted as a server of 2024-11-05 by the SDK', async () => {
    await using server = await startHttpServer({ transport: 'sse' });
    const client = new Client({ name: 'oracle', version: '1' });
    // The deprecated transport is the subject of this test.
    // oxlint-disable-next-line typescript/no-deprecated
    await client.connect(new SSEClientTransport(new URL(server.url)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    const { content } = await client.callTool({ name: 'echo', arguments: { message: 'héllo' } });
    expect(content).toEqual([{ type: 'text', text: 'héllo' }]);
    await client.close();
  });
});

describe('a server of 2024-11-05', () => {
  let server: RunningServer;
  let proxy: FaultProxy;
  let hub: TestHub;

  beforeAll(async () => {
    server = await startHttpServer({ transport: 'sse' });
    proxy = await openFaultProxy(server.url);
    hub = await startHub({
      servers: { old: httpServer(proxy.url, { apiKey: 'key-1', requestTimeoutMs: 5_000 }) },
      config: { limits: { heartbeatMs: 500 } },
    });
  });
  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await server?.stop();
  });

  it('is found, listed and called in both eras, with its key', async () => {
    verifies('004-4.6-fallback', '004-4.6-old-transport');
    for (const era of ['legacy', 'modern'] as const) {
      expect(textOf(await hub.call('old__echo', { message: 'héllo' }, { era }))).toBe('héllo');
      const { transport, headers } = structuredOf(await hub.call('old__whoami', {}, { era }));
      expect([transport, (headers as Record<string, string>)['authorization']]).toEqual([
        'sse',
        'Bearer key-1',
      ]);
    }
    const refused = await hub.call('old__rpc_error', { code: -32077, message: 'go away' });
    expect(refused.error).toMatchObject({ code: -32077, message: 'go away' });
  });

  it('forwards progress and announces changed tools', async () => {
    verifies('004-15-old-server');
    await using client = hub.connect();
    const text = callText('old__progress', { meta: '"progressToken":"p"', args: '{"steps":3,"everyMs":20}' });
    const { messages } = await client.post(text);
    const said = messages.map((message) => JSON.parse(message) as { params?: { progress: number } });
    expect(said.slice(0, -1).map(({ params }) => params?.progress)).toEqual([1, 2, 3]);
    await hub.call('old__add_tool', { name: 'late' });
    expect(await eventually(async () => textOf(await hub.call('old__late')) === 'late')).toBe(true);
  });

  it('receives a cancellation', async () => {
    verifies('004-15-old-server');
    await using session = hub.connect();
    const { headers } = await session.post(INITIALIZE);
    const id = { 'mcp-session-id': String(headers['mcp-session-id']) };
    await using caller = hub.connect();
    const lost = caller.post(callText('old__slow', { id: '7', args: '{"ms":60000}' }), { headers: id });
    await whenInFlight(hub, 'old', 1);
    await session.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}', {
      headers: id,
    });
    await lost;
    const seen = async (): Promise<unknown> => structuredOf(await hub.call('old__cancelled'))['calls'];
    expect(await eventually(async () => ((await seen()) as unknown[]).length === 1)).toBe(true);
    expect(await seen()).toMatchObject([{ tool: 'slow', via: 'notification' }]);
  });

  it('works if its stream arrives late and in pieces', async () => {
    for (const fault of [{ kind: 'slice', bytes: 7 } as const, { kind: 'latency', ms: 30 } as const]) {
      await proxy.set(fault);
      const message = `${fault.kind} 🦀 ${'x'.repeat(2_000)}`;
      expect(textOf(await hub.call('old__echo', { message }))).toBe(message);
    }
    await proxy.set({ kind: 'none' });
  });

  it('ends its calls in flight at once when its connection breaks, and reconnects for the next', async () => {
    const lost = [hub.call('old__slow', { ms: 600_000 }), hub.call('old__slow', { ms: 600_000 })];
    await whenInFlight(hub, 'old', 2);
    proxy.resetAll();
    for (const each of lost) expect((await each).error).toMatchObject(UNKNOWN);
    expect(
      await eventually(async () => textOf(await hub.call('old__echo', { message: 'back' })) === 'back'),
    ).toBe(true);
  });

  it('detects a silently dead stream within a heartbeat', async () => {
    expect(textOf(await hub.call('old__echo', { message: 'before' }))).toBe('before');
    const { connections } = proxy;
    await proxy.set({ kind: 'half-open' });
    expect(await eventually(() => proxy.connections > connections)).toBe(true);
    expect(
      await eventually(async () => textOf(await hub.call('old__echo', { message: 'back' })) === 'back'),
    ).toBe(true);
  });
});
