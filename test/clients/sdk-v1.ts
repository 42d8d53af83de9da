import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CLIENT_INFO, type Target, type ToolClient } from './tool-client.ts';

export async function connectSdkV1(target: Target): Promise<ToolClient> {
  const client = new Client(CLIENT_INFO);
  let version: string | undefined;
  if ('url' in target) {
    const headers = { Authorization: `Bearer ${target.token}` };
    const transport = new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers } });
    await client.connect(transport);
    version = transport.protocolVersion;
  } else await client.connect(new StdioClientTransport(target));
  return {
    version,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
