/** Calls of an app's tool over HTTP: one independent POST each, in either era. */
import { connect, exchange } from '../load/exchange.ts';
import type { Session } from '../load/target.ts';
import { type AppResult, echoIn } from './echo-result.ts';
import { ECHO } from './tools.ts';

export type Era = 'modern' | 'legacy';

export interface HttpTarget {
  url: string;
  token: string;
  era: Era;
}

const META = 'io.modelcontextprotocol/';
const MODERN = '2026-07-28';
const ENVELOPE = {
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientInfo`]: { name: 'bench', version: '1.0.0' },
  [`${META}clientCapabilities`]: {},
};

const HEADERS: Record<Era, Record<string, string>> = {
  legacy: { 'mcp-protocol-version': '2025-11-25' },
  modern: { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': ECHO },
};

export function openHttpSession({ url, token, era }: HttpTarget): Session {
  const address = new URL(url);
  const client = connect(address);
  const path = address.pathname;
  const headers = {
    ...HEADERS[era],
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const meta = era === 'modern' ? { _meta: ENVELOPE } : {};
  let lastId = 0;
  return {
    async call(text) {
      lastId += 1;
      const params = { name: ECHO, arguments: { text }, ...meta };
      const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params });
      const reply = await exchange(client, { path, method: 'POST', headers, body });
      if (reply.status !== 200) throw new Error(`HTTP ${reply.status} ${reply.body.slice(0, 200)}`);
      return echoIn(JSON.parse(reply.body) as AppResult, lastId);
    },
    close: () => client.destroy(),
  };
}
