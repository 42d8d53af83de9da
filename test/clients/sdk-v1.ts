import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CLIENT_INFO, type Target, type ToolClient } from './tool-client.ts';

export async function connectSdkV1(target: Target): Promise<ToolClient> {
  const client = new Client(CLIENT_INFO);
  const transport = openTransport(target);
  let version: string | undefined;
  // The client tells nobody but its transport.
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (agreed) => {
    version = agreed;
    tell?.(agreed);
  };
  await client.connect(transport);
  return {
    version,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function openTransport(target: Target): Transport {
  if (!('url' in target)) return new StdioClientTransport(target);
  const headers = { Authorization: `Bearer ${target.token}` };
  return new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers } });
}
