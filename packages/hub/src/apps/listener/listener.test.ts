import { request } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { createAnswers } from './answers.ts';
import { createBridgeEndpoint } from './bridge-endpoint.ts';
import { createKeys } from './keys.ts';
import { checkGate, openProxyListener, type GateProfile, type ProxyListener } from './listener.ts';
import { createProxyRoutes, createSessionsApi } from './routes.ts';

const TOKEN = 'token-of-the-app';

let listener: ProxyListener;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  const keys = createKeys(
    { appToken: TOKEN, openClawToken: undefined, apps: [], takesAnonymous: false },
    sha256,
  );
  const fail = (): never => {
    throw new Error('database or disk is full');
  };
  const tooSoon = (): undefined => undefined;
  const onRejected = (): void => undefined;
  const answers = createAnswers(onRejected);
  listener = await openProxyListener({
    answers,
    host: '127.0.0.1',
    address: '127.0.0.1',
    port: 0,
    hosts: [],
    maxSockets: 100,
    requestMs: 1_000,
    keys,
    tooSoon,
    bridges: createBridgeEndpoint({
      maxFrameBytes: 1_000,
      connect: async () => ({ hear: () => undefined, closed: () => undefined }),
      onFailed: () => undefined,
    }),
    route: createProxyRoutes({
      answers,
      keys,
      tooSoon,
      metrics: fail,
      mcp: fail,
      sessions: createSessionsApi({
        answers,
        limits: DEFAULT_LIMITS,
        register: fail,
        remove: fail,
        addressOf: () => 'http://127.0.0.1',
      }),
    }),
    onRequest: onRejected,
    onRejected,
  });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await listener.close();
});

/** The client does not close its half by itself. */
function upgrade(path: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: listener.port, allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(
    [
      `GET ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${TOKEN}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n'),
  );
  return socket;
}

const PING = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125, 'p')]);

describe('proxy listener', () => {
  it('survives a session that cannot be removed', async () => {
    const asked = request({
      port: listener.port,
      method: 'DELETE',
      path: '/v1/chat/sessions/one',
      headers: { authorization: `Bearer ${TOKEN}` },
    }).end();
    const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(500);
  });

  it('closes a connection that it does not upgrade, even if the client keeps its half open', async () => {
    const socket = upgrade('/nothing/here');
    socket.resume();
    await once(socket, 'end');
    // A write to a connection that is closed on both sides is answered with a reset.
    const timer = setInterval(() => socket.write('x'), 5);
    await new Promise<void>((resolve) => void socket.on('close', () => resolve()));
    clearInterval(timer);
    expect(socket.destroyed).toBe(true);
  });

  it('answers pings of a bridge, and keeps one answer at most for a client that does not read', async () => {
    const socket = upgrade('/v1/chat/sessions/one/bridge');
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString('latin1')).toMatch(/^HTTP\/1\.1 101 /);
    socket.write(PING);
    const [pong] = (await once(socket, 'data')) as [Buffer];
    expect(pong.subarray(0, 2)).toEqual(Buffer.from([0x8a, 125]));
    socket.pause();
    const many = Buffer.concat(Array.from({ length: 4_000 }, () => PING));
    const rounds = 60;
    for (let round = 0; round < rounds; round++) if (!socket.write(many)) await once(socket, 'drain');
    const marked = Buffer.from(PING);
    marked.fill('q', 6);
    socket.write(marked);
    let bytes = 0;
    const last = Buffer.concat([Buffer.from([0x8a, 125]), Buffer.alloc(125, 'q')]);
    let tail = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      tail = Buffer.concat([tail, chunk]).subarray(-last.length);
      if (tail.equals(last)) socket.emit('answered');
    });
    socket.resume();
    await once(socket, 'answered');
    // The buffers of the kernel, not everything that was sent.
    expect(bytes).toBeLessThan(((rounds * many.length) / 4) * 3);
  });

  it('limits the time for the rest of a refused request', async () => {
    const socket = connect({ host: '127.0.0.1', port: listener.port });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('POST /nothing/here HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 404 /);
    const timer = setInterval(() => socket.write('x'), 50);
    await new Promise<void>((resolve) => void socket.on('close', () => resolve()));
    clearInterval(timer);
    expect(socket.destroyed).toBe(true);
  });
});

const DOOR: GateProfile = {
  port: 8000,
  address: '192.168.1.4',
  hosts: ['proxy.example.com', 'lan:8000'],
  isKnownOrigin: (origin) => origin === 'https://app.example.com',
};

const gate = (host?: string, origin?: string, fetchSite?: string): number | undefined =>
  checkGate({ host, origin, fetchSite }, DOOR)?.status;

describe('proxy gate', () => {
  it.each([
    '127.0.0.1:8000',
    '127.0.0.1',
    'localhost:8000',
    'LOCALHOST',
    '[::1]:8000',
    'Proxy.Example.com',
    '192.168.1.4:8000',
    'lan:8000',
  ])('accepts the host %s', (host) => expect(gate(host)).toBeUndefined());

  it.each([
    undefined,
    '',
    'evil.example',
    '127.0.0.1:8001',
    'localhost.evil.example',
    'proxy.example.com:8000',
    'lan',
    '127.0.0.2',
    '192.168.1.4:8001',
    '0.0.0.0:8000',
    'user@127.0.0.1:8000',
  ])('refuses the host %s', (host) => expect(gate(host)).toBe(403));

  it('accepts pages that an app has named, for any fetch site', () => {
    expect(gate('127.0.0.1', 'https://app.example.com', 'cross-site')).toBeUndefined();
  });

  it.each([
    'https://evil.example',
    'null',
    '',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'http://127.0.0.1:8000',
  ])('refuses a page of %s', (origin) => expect(gate('127.0.0.1', origin)).toBe(403));

  it.each(['cross-site', 'same-site', 'same-origin', ''])(
    'refuses a browser that hides the page (%s)',
    (site) => expect(gate('127.0.0.1', undefined, site)).toBe(403),
  );

  it('accepts an address typed into a browser', () => {
    expect(gate('127.0.0.1', undefined, 'none')).toBeUndefined();
  });
});
