/** What OpenClaw can read of the secrets that servers are used with: nothing. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ENTRY } from '../kit/hub.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { whenOffered } from '../kit/openclaw/offered.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { whenListed, withServers } from '../kit/openclaw/plugin.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const SECRET = 'upstream-5f0c1e7b9a3d4486';
let operator: Operator;

/** Who does not know the secret is not let in; who does is told so. */
const upstream = createServer((request, response) => {
  void (async () => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method } = (await json(request)) as { id?: number; method: string };
    if (request.headers.authorization !== `Bearer ${SECRET}`) return response.writeHead(403).end();
    if (id === undefined) return response.writeHead(202).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(method) }));
  })();
});

function answerTo(method: string): object {
  const capabilities = { tools: {} };
  const serverInfo = { name: 'keyed', version: '1' };
  if (method === 'initialize') return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo } };
  const tools = [{ name: 'greet', inputSchema: { type: 'object' } }];
  if (method === 'tools/list') return { result: { tools } };
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: 'let in' }] } };
  return { error: { code: -32601, message: 'Method not found' } };
}

const keepSecret = (name: string, value: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const env = { ...profile.env, PINCER_HOME: '' };
    const child = execFile(process.execPath, [ENTRY, 'secret', 'set', name], { env }, (error) =>
      error === null ? resolve() : reject(error),
    );
    child.stdin!.end(value);
  });

beforeAll(async () => {
  operator = await host.operator();
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
});
afterAll(async () => {
  withServers(profile, { keyed: undefined });
  await whenListed(profile, ['keyed'], false);
  await whenApplied(host);
  await operator[Symbol.asyncDispose]();
  upstream.closeAllConnections();
  upstream.close();
});

test('a server is used with a secret that stands in no file of the profile', async () => {
  await keepSecret('KEYED', SECRET);
  const { port } = upstream.address() as AddressInfo;
  withServers(profile, { keyed: { url: `http://127.0.0.1:${port}/mcp`, apiKey: '$secret:KEYED' } });
  await whenOffered(host, operator, 'keyed__greet');
  expect(await operator.chat('agent:main:secrets', 'call:keyed__greet {}')).toBe('RESULT(let in)');
  const files = readdirSync(profile.folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  expect(files.length).toBeGreaterThan(10);
  const readable = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes('/node_modules/') && readFileSync(path).includes(SECRET));
  expect(readable).toEqual([]);
  expect(host.gateway().log()).not.toContain(SECRET);
});
