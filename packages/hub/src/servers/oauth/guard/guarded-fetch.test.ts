import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Bounds } from './bounds.ts';
import { createGuardedFetch, type Resolve } from './guarded-fetch.ts';

const INSIDE: Bounds = { allowsPrivate: true, named: new Set() };
const OPEN: Bounds = { allowsPrivate: false, named: new Set() };
const limits = { signInDocumentMs: 2_000, maxSignInDocumentBytes: 1_024 };
const what = 'The document';

const servers: Server[] = [];
let connections = 0;

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).on('connection', () => connections++);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  connections = 0;
});

const fetch = createGuardedFetch({ limits });

describe('a guarded fetch', () => {
  it('returns status, headers and text, and whether it came from a private address', async () => {
    const base = await serve((request, response) => {
      response.setHeader('x-method', `${request.method}`).end('{"a":"ü"}');
    });
    const answer = await fetch(`${base}/x`, INSIDE, { what });
    expect(answer).toMatchObject({ status: 200, text: '{"a":"ü"}', isFromPrivate: true });
    expect(answer.headers['x-method']).toBe('GET');
  });

  it('sends a body and headers', async () => {
    const base = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(`${request.headers['content-type']} ${body}`));
    });
    const answer = await fetch(base, INSIDE, {
      what,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1',
    });
    expect(answer.text).toBe('application/x-www-form-urlencoded a=1');
  });

  it('follows no redirect', async () => {
    const canary = await serve((_request, response) => response.end('secret'));
    const base = await serve((_request, response) => response.writeHead(302, { location: canary }).end());
    await expect(fetch(base, INSIDE, { what })).rejects.toThrow(/follows no redirects/);
    expect(connections).toBe(1);
  });

  it('limits the size of the answer', async () => {
    const base = await serve((_request, response) => {
      response.write('x'.repeat(1_000));
      response.end('x'.repeat(1_000));
    });
    await expect(fetch(base, INSIDE, { what })).rejects.toThrow(/larger than 1024 bytes/);
  });

  it('limits the time for the head and for the body', async () => {
    const brief = createGuardedFetch({ limits: { ...limits, signInDocumentMs: 100 } });
    const silent = await serve(() => undefined);
    const slow = await serve((_request, response) => void response.write('{'));
    await expect(brief(silent, INSIDE, { what })).rejects.toThrow(/within 100 ms/);
    await expect(brief(slow, INSIDE, { what })).rejects.toThrow(/within 100 ms/);
  });

  it('does not connect to a private address for a public server', async () => {
    const base = await serve((_request, response) => response.end('secret'));
    await expect(fetch(base, OPEN, { what })).rejects.toThrow(/private network/);
    expect(connections).toBe(0);
  });

  it.each([
    ['all', ['127.0.0.1']],
    ['one of them', ['1.1.1.1', '127.0.0.1']],
    ['a mapped one', ['::ffff:7f00:1']],
    ['the metadata address of clouds', ['169.254.169.254']],
  ])('does not connect to a name that resolves to private addresses: %s', async (_which, addresses) => {
    const base = await serve((_request, response) => response.end('secret'));
    const resolve: Resolve = (_host, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    const rebound = createGuardedFetch({ limits, resolve });
    const url = `https://rebound.example.com:${new URL(base).port}/`;
    await expect(rebound(url, OPEN, { what })).rejects.toThrow(/private network/);
    expect(connections).toBe(0);
  });

  it('resolves the name for each request', async () => {
    const base = await serve((_request, response) => response.end('secret'));
    const answers = ['192.168.0.1', '127.0.0.1'];
    const resolve: Resolve = (_host, done) => done(null, [{ address: answers.shift()!, family: 4 }]);
    const rebound = createGuardedFetch({ limits, resolve });
    const url = `https://rebound.example.com:${new URL(base).port}/`;
    for (let round = 0; round < 2; round++)
      await expect(rebound(url, OPEN, { what })).rejects.toThrow(/private network/);
    expect(answers).toEqual([]);
    expect(connections).toBe(0);
  });

  it('names an unreachable server', async () => {
    const base = await serve(() => undefined);
    servers.splice(0)[0]!.close();
    await expect(fetch(base, INSIDE, { what })).rejects.toThrow(
      /The document could not be fetched from http.*ECONNREFUSED/,
    );
  });
});
