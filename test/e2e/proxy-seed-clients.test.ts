/** Common MCP clients: the official ones of both eras, and a hub, with the entries that the document shows. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHub } from '../kit/hub.ts';
import { listTools } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { startSeedApp, type SeedApp } from '../servers/seed-app.ts';
import { verifies } from '../verifies.ts';

let proxy: TestProxy;
let app: SeedApp;
beforeAll(async () => {
  proxy = await startProxy();
  const any = {
    description: 'Gives back what it gets.',
    inputSchema: { type: 'object' },
    run: (args: unknown) => args,
  };
  app = await startSeedApp({ url: proxy.origin, token: APP_TOKEN, tools: { any } });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

/** The header-routed example of the seed, verbatim. */
const EXAMPLE_CONFIG = `{
"mcpServers": {
"otakuroom-chat-mcp": {
"transport": "http",
"url": "https://your-proxy-host.example.com/v1/mcp",
"headers": {
"Authorization": "Bearer \${OPENCLAW_PROXY_OPENCLAW_TOKEN}",
"MCP-Session-Id": "\${SESSION_ID}"
}
}
}
}`;

/** As read by a client that substitutes variables; only the host is ours. */
function exampleEntry(): { url: string; headers: Record<string, string> } {
  const text = EXAMPLE_CONFIG.replace('https://your-proxy-host.example.com', proxy.origin)
    .replace('${OPENCLAW_PROXY_OPENCLAW_TOKEN}', OPENCLAW_TOKEN)
    .replace('${SESSION_ID}', app.sessionId);
  const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, ReturnType<typeof exampleEntry>> };
  return mcpServers['otakuroom-chat-mcp']!;
}

const INFO = { name: 'client-of-the-test', version: '1.0.0' };

it('v1 and v2 by path', async () => {
  verifies('003-openclaw-url-config');
  const requestInit = { headers: { Authorization: `Bearer ${OPENCLAW_TOKEN}` } };
  const legacy = new LegacyClient(INFO);
  await legacy.connect(new LegacyHttp(new URL(app.mcpUrl), { requestInit }));
  expect(await legacy.callTool({ name: 'any', arguments: { by: 'v1' } })).toMatchObject({
    structuredContent: { by: 'v1' },
  });
  await legacy.close();
  for (const versionNegotiation of [{ mode: { pin: '2026-07-28' } }, { mode: 'auto' }] as const) {
    const modern = new ModernClient(INFO, { versionNegotiation });
    await modern.connect(new ModernHttp(new URL(app.mcpUrl), { requestInit }));
    expect(await modern.callTool({ name: 'any', arguments: { by: 'v2' } })).toMatchObject({
      structuredContent: { by: 'v2' },
    });
    await modern.close();
  }
});

it.each(['', '/'])(
  'v1 and v2 with the example of the document, with "%s" at the end of its URL',
  async (slash) => {
    verifies('003-openclaw-header-config');
    const { url: text, headers } = exampleEntry();
    const url = new URL(`${text}${slash}`);
    const requestInit = { headers };
    const legacy = new LegacyClient(INFO);
    await legacy.connect(new LegacyHttp(url, { requestInit }));
    expect((await legacy.listTools()).tools.map(({ name }) => name)).toEqual(['any']);
    expect(await legacy.callTool({ name: 'any', arguments: { by: 'v1' } })).toMatchObject({
      structuredContent: { by: 'v1' },
    });
    await legacy.close();
    const modern = new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await modern.connect(new ModernHttp(url, { requestInit }));
    expect((await modern.listTools()).tools.map(({ name }) => name)).toEqual(['any']);
    expect(await modern.callTool({ name: 'any', arguments: { by: 'v2' } })).toMatchObject({
      structuredContent: { by: 'v2' },
    });
    await modern.close();
    // Closing a client ended no session.
    expect((await listTools(app.mcpUrl)).length).toBe(1);
  },
);

it("a hub with such an entry calls the app's tools", async () => {
  verifies('003-openclaw-header-config', '003-openclaw-url-config');
  const { url, headers } = exampleEntry();
  const { Authorization } = headers as { Authorization: string };
  await using hub = await startHub({
    servers: { header: { url, headers }, path: { url: app.mcpUrl, headers: { Authorization } } },
  });
  for (const server of ['header', 'path'])
    for (const era of ['legacy', 'modern'] as const) {
      const answer = await hub.call(`${server}__any`, { by: server }, { era });
      expect(answer.result).toMatchObject({ structuredContent: { by: server } });
    }
});
