import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CLIENT_INFO, type Target, type ToolClient } from './tool-client.ts';

export async function connectSdkV2(
  target: Target,
  mode: NonNullable<VersionNegotiationOptions['mode']>,
): Promise<ToolClient> {
  const client = new Client(CLIENT_INFO, { versionNegotiation: { mode } });
  if ('url' in target) {
    const headers = { Authorization: `Bearer ${target.token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers } }),
    );
  } else await client.connect(new StdioClientTransport(target));
  return {
    version: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
