import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { sendPieces } from './http-reply.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function receive(answer: (response: ServerResponse) => void): Promise<string> {
  server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  return Buffer.from(await response.arrayBuffer()).toString('latin1');
}

it('sends every piece in order, also repeated ones', async () => {
  const long = 'ab\u00ff\u0000'.repeat(1_000_000);
  const pieces = ['<', long, '|', '', long, '|', `${long}!`, '>'];
  const text = pieces.join('');
  const got = await receive((response) => {
    response.writeHead(200, ['content-length', String(text.length)]);
    sendPieces(response, pieces);
  });
  // Not with `toBe`, whose difference would be unreadable.
  expect(got === text).toBe(true);
});

it('sends nothing if a piece was not converted', async () => {
  const got = await receive((response) => {
    expect(() => sendPieces(response, ['a', '\u2028'])).toThrow(TypeError);
    response.end('nothing');
  });
  expect(got).toBe('nothing');
});
