import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { PING_TEXT, type BridgeSocket } from '../../core/app-bridge.ts';
import { createBridgeEndpoint } from './bridge-endpoint.ts';

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

/** Frame types (RFC 6455, 5.2): text and close. */
const [TEXT, CLOSE] = [0x81, 0x88];

/** The types of the frames that arrive. */
async function framesOf(say: (wire: BridgeSocket) => void): Promise<number[]> {
  const endpoint = createBridgeEndpoint({
    maxFrameBytes: 1_000,
    connect(_key, _id, wire) {
      setImmediate(say, wire);
      return Promise.resolve({ hear: () => undefined, closed: () => undefined });
    },
    onFailed: () => undefined,
  });
  const server = createServer().on('upgrade', (request, socket, head) =>
    endpoint.open({ request, socket, head }, { app: 'a', credential: '' }, 'id'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => (bytes = Buffer.concat([bytes, chunk])));
  socket.write(HANDSHAKE);
  // It never sends a close frame and is terminated in the end; everything has arrived by then.
  await once(socket, 'close');
  server.close();
  const frames: number[] = [];
  for (let at = bytes.indexOf('\r\n\r\n') + 4; at < bytes.length; at += 2 + bytes[at + 1]!)
    frames.push(bytes[at]!);
  return frames;
}

it('sends frames and pings of a bridge in order', async () => {
  const frames = await framesOf((wire) => {
    wire.send(PING_TEXT);
    wire.ping();
    wire.send('{}');
    wire.close(4409, 'bye');
  });
  expect(frames).toEqual([TEXT, TEXT, TEXT, CLOSE]);
});

it('sends nothing after a close frame, not even a ping', async () => {
  const frames = await framesOf((wire) => {
    wire.close(4409, 'bye');
    wire.ping();
    wire.send('{}');
  });
  expect(frames).toEqual([CLOSE]);
});
