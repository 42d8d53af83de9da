/** Tests the fault proxy that other tests rely on. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openFaultProxy, type FaultProxy } from '../kit/fault-proxy.ts';
import { eventually } from '../kit/processes.ts';

const sockets = new Set<Socket>();
const echo = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {}).pipe(socket);
});
let proxy: FaultProxy;

beforeEach(async () => {
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await openFaultProxy(`http://127.0.0.1:${(echo.address() as AddressInfo).port}/mcp?x=1`);
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  for (const socket of sockets) socket.destroy();
  const closed = once(echo, 'close');
  echo.close();
  await closed;
});

interface Client {
  socket: Socket;
  chunks: string[];
  text(): string;
  end(): string | undefined;
}

async function open(): Promise<Client> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxy.url).port), noDelay: true });
  const chunks: string[] = [];
  let end: string | undefined;
  socket.on('data', (chunk) => void chunks.push(chunk.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => (end = error.code));
  socket.on('close', () => (end ??= 'closed'));
  await once(socket, 'connect');
  return { socket, chunks, text: () => chunks.join(''), end: () => end };
}

const becomes = async (condition: () => boolean): Promise<void> =>
  expect(await eventually(condition, 5_000, 2)).toBe(true);

it('forwards bytes unchanged, and counts them', async () => {
  const client = await open();
  client.socket.write('hello');
  await becomes(() => client.text() === 'hello');
  expect(proxy.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\?x=1$/);
  expect([proxy.connections, proxy.open, proxy.carried]).toEqual([1, 1, { 'to-server': 5, 'to-client': 5 }]);
  client.socket.end();
  await becomes(() => client.end() === 'closed' && proxy.open === 0);
});

it('delays all bytes', async () => {
  await proxy.set({ kind: 'latency', ms: 100 });
  const client = await open();
  const begunAt = performance.now();
  client.socket.write('hello');
  await becomes(() => client.text() === 'hello');
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(195);
});

it('splits all bytes into pieces', async () => {
  await proxy.set({ kind: 'slice', bytes: 3 });
  const client = await open();
  client.socket.write('abcdefghij');
  await becomes(() => client.text() === 'abcdefghij');
  expect(client.chunks.length).toBeGreaterThan(1);
});

it.each([
  ['reset', 'ECONNRESET'],
  ['close', 'closed'],
] as const)('ends a connection (%s) after so many bytes', async (kind, end) => {
  const client = await open();
  client.socket.write('before');
  await becomes(() => client.text() === 'before');
  await proxy.set({ kind, way: 'to-client', after: 4 });
  client.socket.write('abcdefgh');
  await becomes(() => client.end() !== undefined);
  expect(client.end()).toBe(end);
  if (kind === 'close') expect(client.text()).toBe('beforeabcd');
  expect(proxy.carried['to-client']).toBe(10);
});

it('ends a connection before a byte reaches the server', async () => {
  await proxy.set({ kind: 'reset', way: 'to-server', after: 0 });
  const client = await open();
  client.socket.write('x');
  await becomes(() => client.end() === 'ECONNRESET');
  expect(proxy.carried['to-server']).toBe(0);
});

it('silently stops open connections, while new ones work', async () => {
  const old = await open();
  old.socket.write('a');
  await becomes(() => old.text() === 'a');
  await proxy.set({ kind: 'half-open' });
  old.socket.write('b');
  const young = await open();
  young.socket.write('c');
  await becomes(() => young.text() === 'c');
  await proxy.set({ kind: 'none' });
  old.socket.write('d');
  await sleep(50);
  expect([old.text(), old.end()]).toEqual(['a', undefined]);
});

it('swallows all bytes, and new connections work afterwards', async () => {
  await proxy.set({ kind: 'black-hole' });
  const lost = await open();
  lost.socket.write('a');
  await sleep(50);
  expect([lost.text(), lost.end()]).toEqual(['', undefined]);
  await proxy.set({ kind: 'none' });
  const client = await open();
  client.socket.write('b');
  await becomes(() => client.text() === 'b');
});

it('refuses connections, and listens again at the same address', async () => {
  const client = await open();
  await proxy.set({ kind: 'refuse' });
  await becomes(() => client.end() === 'ECONNRESET');
  await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await proxy.set({ kind: 'none' });
  const back = await open();
  back.socket.write('b');
  await becomes(() => back.text() === 'b');
});
