import { createServer, request } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGuard, type Guard } from './guard.ts';

const refused: string[] = [];
const visits: string[] = [];
const server = createServer((incoming, answer) => {
  visits.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? '-'}`);
  incoming.resume().on('end', () => answer.writeHead(201, { 'x-it': 'is' }).end('local'));
});
let place: string;
let open: Guard;
let closed: Guard;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  closed = await startGuard({ allow: new Set(), onRefused: (host) => refused.push(host) });
  open = await startGuard({ allow: new Set([place]), onRefused: () => undefined });
});
afterAll(() => {
  server.close();
  open.close();
  closed.close();
});

interface Answer {
  status: number;
  text: string;
}

function through(guard: Guard, path: string, method = 'GET'): Promise<Answer> {
  const [host, port] = guard.address.split(':');
  return new Promise((resolve, reject) => {
    const headers = { 'proxy-authorization': 'Basic x' };
    const outgoing = request({ host, port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    outgoing.on('error', reject).end(method === 'POST' ? 'body' : undefined);
  });
}

/** The answer to CONNECT, followed by the answer to a request through the tunnel. */
async function tunnel(guard: Guard, target: string): Promise<string> {
  const [host, port] = guard.address.split(':');
  const socket = connect({ host: host!, port: Number(port) });
  socket.setEncoding('latin1').write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.startsWith('HTTP/1.1 200') && !text.includes('local'))
      socket.write('GET /in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  }
  return text;
}

describe('a page', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
    '0.0.0.0',
  ])('cannot reach %s', async (host) => {
    const { port } = server.address() as AddressInfo;
    const before = refused.length;
    expect(await through(closed, `http://${host}:${port}/`)).toEqual({ status: 403, text: '' });
    expect(await tunnel(closed, `${host}:${port}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(refused).toHaveLength(before + 2);
  });

  it('cannot reach unknown names', async () => {
    expect((await through(closed, 'http://nothing.invalid/')).status).toBe(403);
    expect(await tunnel(closed, 'nothing.invalid:443')).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('reaches exactly the host and port that the person has allowed', async () => {
    expect(await through(open, `http://${place}/a?b`)).toEqual({ status: 201, text: 'local' });
    expect((await through(open, `http://${place}/post`, 'POST')).text).toBe('local');
    expect(await tunnel(open, place)).toContain('local');
    expect(visits).toEqual(['GET /a?b -', 'POST /post -', 'GET /in -']);
    expect((await through(open, 'http://127.0.0.1:1/')).status).toBe(403);
  });
});

it.each([
  ['an invalid status', 'HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n', ''],
  ['trailers without chunks', 'HTTP/1.1 200 OK\r\nTrailer: x\r\nContent-Length: 0\r\n\r\n', ''],
  ['another protocol', 'HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', ''],
  ['a response that is not HTTP', 'what\r\n\r\n', ''],
  ['requested trailers', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'Trailer: x\r\n'],
])('the guard survives a server or a page that sends %s', async (_, response, header) => {
  const hostile = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(response));
  });
  await once(hostile.listen(0, '127.0.0.1'), 'listening');
  const target = `127.0.0.1:${(hostile.address() as AddressInfo).port}`;
  const guard = await startGuard({ allow: new Set([target]), onRefused: () => undefined });
  const [host, port] = guard.address.split(':');
  const socket = connect({ host: host!, port: Number(port) });
  socket.write(
    `GET http://${target}/ HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 0\r\nConnection: close\r\n\r\n`,
  );
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 (?:200|502) /);
  guard.close();
  hostile.close();
});

it('the guard rejects requests that are not for a proxy', async () => {
  expect((await through(open, '/')).status).toBe(400);
  expect((await through(open, 'https://example.com/')).status).toBe(400);
});
