/** `pincer mcp-server` as a program, started by the official client. */
import { Client, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CLIENT_INFO } from '../clients/tool-client.ts';
import { ENTRY } from './hub.ts';
import { type Orderer, ordererOf } from './openclaw/order.ts';
import type { Program } from './stdio.ts';

export interface McpServer extends Orderer, AsyncDisposable {
  client: Client;
  pid: number;
}

export const mcpServerProgram = (env: Record<string, string>, args: readonly string[] = []) =>
  ({ command: process.execPath, args: [ENTRY, 'mcp-server', ...args], env }) satisfies Program;

export async function startMcpServer(
  env: Record<string, string>,
  mode: VersionNegotiationOptions['mode'] = 'auto',
): Promise<McpServer> {
  const transport = new StdioClientTransport({ ...mcpServerProgram(env), stderr: 'ignore' });
  const client = new Client(CLIENT_INFO, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    ...ordererOf(client),
    client,
    pid: transport.pid!,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
