import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseHead, request } from './http.ts';

const running: (() => void)[] = [];
afterEach(() => running.splice(0).forEach((stop) => stop()));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?a=b`;
}

const get = (url: string, more: Partial<Parameters<typeof request>[0]> = {}) =>
  request({ method: 'GET', url, token: 'secret', ...more });

describe('request', () => {
  it('sends method, path, token and body, and returns the answer', async () => {
    const url = await serve((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = `${incoming.method} ${incoming.url} ${incoming.headers.authorization} ${Buffer.concat(chunks).toString()}`;
        response
          .writeHead(201, {
            'content-type': 'text/plain; charset=utf-8',
            'content-length': Buffer.byteLength(text),
          })
          .end(text);
      });
    });
    const body = Buffer.from('héllo').toString('latin1');
    const answer = await request({ method: 'POST', url, token: 'secret', body });
    expect(answer).toMatchObject({ status: 201, type: 'text/plain' });
    expect(Buffer.from(answer.body, 'latin1').toString()).toBe('POST /path?a=b Bearer secret héllo');
  });

  it('passes on the pieces of a stream as they arrive', async () => {
    const url = await serve((_incoming, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      setTimeout(() => response.end('data: 2\n\n'), 30);
    });
    const pieces: string[] = [];
    const answer = await get(url, { onData: (piece) => pieces.push(piece) });
    expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n']);
    expect(answer).toMatchObject({ type: 'text/event-stream', length: undefined });
  });

  it('reports that nothing was sent if the connection is refused', async () => {
    const url = await serve(() => undefined);
    running.splice(0).forEach((stop) => stop());
    await expect(get(url)).rejects.toMatchObject({ code: 'HUB_UNREACHABLE', data: { sent: false } });
  });

  it('fails if the connection breaks before or during the answer', async () => {
    const before = await serve((incoming) => incoming.socket.destroy());
    await expect(get(before)).rejects.toMatchObject({ code: 'HUB_UNREACHABLE', data: { sent: true } });
    const within = await serve((incoming, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('12345', () => incoming.socket.destroy());
    });
    await expect(get(within)).rejects.toMatchObject({ code: 'HUB_UNREACHABLE' });
  });

  it('fails after the timeout', async () => {
    const url = await serve(() => undefined);
    await expect(get(url, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
  });
});

describe('parseHead', () => {
  it('returns undefined for an incomplete head', () => {
    expect(parseHead('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n')).toBeUndefined();
  });

  it('reads status, type and length, and returns the rest', () => {
    const text =
      'HTTP/1.1 404 Not Found\r\nCONTENT-TYPE: application/json; charset=utf-8\r\nContent-Length:3\r\n\r\nabc';
    expect(parseHead(text)).toEqual({
      head: { status: 404, type: 'application/json', length: 3 },
      rest: 'abc',
    });
  });

  it('accepts a head without headers', () => {
    expect(parseHead('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toEqual({
      head: { status: 101, type: '', length: undefined },
      rest: '',
    });
  });
});
