/** The official client as one who asks any method and gets the result as it came. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema, type ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type { Program } from '../kit/stdio.ts';
import { CLIENT_INFO } from './tool-client.ts';

export type Place = { url: string; token?: string } | { sse: string } | Program;

export interface Asker extends AsyncDisposable {
  ask(method: string, params?: object, options?: RequestOptions): Promise<Record<string, unknown>>;
  /** What the server has asked so far, by method. */
  asked: string[];
}

export interface AskerOptions {
  capabilities?: ClientCapabilities;
  /** What the server gets to hear when it asks something. */
  answers?: Record<string, object>;
}

export async function connectAsker(
  place: Place,
  { capabilities = {}, answers = {} }: AskerOptions = {},
): Promise<Asker> {
  const client = new Client(CLIENT_INFO, { capabilities });
  const asked: string[] = [];
  client.fallbackRequestHandler = async ({ method }) => {
    asked.push(method);
    return { ...answers[method] };
  };
  await client.connect(openTransport(place));
  return {
    ask: (method, params = {}, options) =>
      client.request({ method, params: { ...params } }, ResultSchema, options),
    asked,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function openTransport(place: Place): Transport {
  // oxlint-disable-next-line typescript/no-deprecated -- old servers speak nothing else
  if ('sse' in place) return new SSEClientTransport(new URL(place.sse));
  if (!('url' in place)) return new StdioClientTransport({ ...place, stderr: 'ignore' });
  const headers = { ...(place.token !== undefined && { Authorization: `Bearer ${place.token}` }) };
  return new StreamableHTTPClientTransport(new URL(place.url), { requestInit: { headers } });
}
