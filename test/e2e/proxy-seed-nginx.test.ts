/** The proxy behind a real nginx: it upgrades WebSockets, forwards headers, and returns public addresses. */
import { describe, expect, it } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { textOf } from '../kit/messages.ts';
import { closeOf, openBridge, resultFor } from '../kit/proxy/bridge.ts';
import { callTool, listTools } from '../kit/proxy/mcp.ts';
import { startNginx } from '../kit/proxy/nginx.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy } from '../kit/proxy/proxy.ts';
import { createSession, deleteSession, register } from '../kit/proxy/sessions.ts';
import { connectSdk } from '../servers/sdk-clients.ts';
import { startSeedApp } from '../servers/seed-app.ts';
import { verifies } from '../verifies.ts';

describe.each([true, false])("behind nginx (forwards the client's Host: %s)", (keepsHost) => {
  it('sessions, bridge, calls by path and by header, and both close codes work', async () => {
    verifies('003-ops-reverse-proxy');
    const port = await freePort();
    const publicUrl = `http://localhost:${port}`;
    await using proxy = await startProxy({ config: { proxy: { publicUrl } } });
    await using _nginx = await startNginx({ port, upstream: proxy.origin, keepsHost });
    const { mcpSessionId: id, bridge_url, mcp_url } = await createSession(publicUrl);
    expect(bridge_url).toBe(`ws://localhost:${port}/v1/chat/sessions/${id}/bridge`);
    expect(mcp_url).toBe(`${publicUrl}/v1/mcp/${id}`);

    await using bridge = await openBridge(bridge_url);
    const headers = { 'MCP-Session-Id': id };
    for (const [url, own] of [
      [mcp_url, {}],
      [`${publicUrl}/v1/mcp`, headers],
      [`${publicUrl}/v1/mcp/`, headers],
    ] as const)
      for (const era of ['legacy', 'modern'] as const) {
        const call = callTool(url, 'echo_text', { text: 'hello' }, { era, headers: own });
        bridge.send(resultFor(await bridge.next('invoke_tool'), { echoed_text: url }));
        expect((await call).answer.result).toMatchObject({ structuredContent: { echoed_text: url } });
      }

    expect((await closeOf(bridge_url, { token: 'wrong' })).code).toBe(4401);
    expect((await closeOf(bridge_url.replace(id, 'nobody'))).code).toBe(4404);
    expect((await register(publicUrl, {}, { token: 'wrong' })).status).toBe(401);
    await expect(listTools(mcp_url, { token: 'wrong' })).rejects.toThrow('401');
    expect((await deleteSession(publicUrl, id)).status).toBe(200);
    expect((await bridge.closed).code).toBe(4404);

    await using app = await startSeedApp({
      url: publicUrl,
      token: APP_TOKEN,
      tools: { add: { description: 'Adds.', inputSchema: { type: 'object' }, run: () => ({ sum: 3 }) } },
    });
    await using client = await connectSdk('legacy', app.mcpUrl, {
      authorization: `Bearer ${OPENCLAW_TOKEN}`,
    });
    expect(await client.callTool('add', {})).toMatchObject({ structured: { sum: 3 } });
    expect(textOf((await callTool(app.mcpUrl, 'add')).answer)).toBe('{"sum":3}');
  });
});
