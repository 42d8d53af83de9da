import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRelay, type Relay } from './relay.ts';

let target: Server;
let targetHost: string;
let relay: Relay;
/** What came to the target. */
let heard: IncomingMessage[];
let answer: Parameters<typeof createServer>[1];

beforeEach(async () => {
  heard = [];
  target = createServer((incoming, response) => {
    heard.push(incoming);
    answer?.(incoming, response);
  });
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  targetHost = `127.0.0.1:${(target.address() as AddressInfo).port}`;
  relay = await startRelay(`http://${targetHost}`, 'secret');
});

afterEach(async () => {
  await relay[Symbol.asyncDispose]();
  target.close();
  target.closeAllConnections();
});

async function ask(
  headers: Record<string, string>,
  body = '',
): Promise<{ response: IncomingMessage; text: string }> {
  const outgoing = request(`${relay.origin}/mcp?a=1`, { method: 'POST', headers }).end(Buffer.from(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { response, text };
}

describe('the relay', () => {
  it('adds the token and changes nothing else', async () => {
    answer = (incoming, response) => {
      response.writeHead(418, { 'X-Kind': 'pot' });
      incoming.pipe(response);
    };
    const { response, text } = await ask({ 'Mcp-Name': 'ä', 'X-Odd': 'a,  b' }, 'hello');
    expect([response.statusCode, response.headers['x-kind'], text]).toEqual([418, 'pot', 'hello']);
    const [{ method, url, rawHeaders, headers }] = heard as [IncomingMessage];
    expect([method, url, headers.authorization]).toEqual(['POST', '/mcp?a=1', 'Bearer secret']);
    expect(rawHeaders).toEqual(expect.arrayContaining(['Mcp-Name', 'ä', 'X-Odd', 'a,  b']));
  });

  it('moves its own name to the target and leaves a foreign one', async () => {
    answer = (_incoming, response) => response.end();
    const own = new URL(relay.origin);
    await ask({ Host: own.host, Origin: own.origin });
    await ask({ Host: 'evil.example.com', Origin: 'http://evil.example.com' });
    expect(heard.map(({ headers }) => [headers.host, headers.origin])).toEqual([
      [targetHost, `http://${targetHost}`],
      ['evil.example.com', 'http://evil.example.com'],
    ]);
  });

  it('passes each piece on as it comes, and the end of either side to the other', async () => {
    const closed = Promise.withResolvers<void>();
    answer = (_incoming, response) => {
      response.on('close', closed.resolve);
      response.write('first');
    };
    const outgoing = request(`${relay.origin}/`, { method: 'POST' }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const [piece] = (await once(response, 'data')) as [Buffer];
    expect(piece.toString()).toBe('first');
    outgoing.destroy();
    await closed.promise;

    answer = (_incoming, broken) => {
      broken.write('first');
      setTimeout(() => broken.destroy(), 50);
    };
    await expect(ask({})).rejects.toThrow('aborted');
  });
});
