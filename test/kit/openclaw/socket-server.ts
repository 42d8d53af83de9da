/** A WebSocket server with a gateway's greeting. The test sends everything else. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from '../certificate.ts';
import { eventText } from './gateway-texts.ts';
import { createFrameReader, frameOf } from './frames.ts';

export interface SocketServer extends AsyncDisposable {
  readonly url: string;
  readonly connections: ReadonlySet<Duplex>;
}

const KEY_END = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** `onText` receives each text with the arrival time of its last byte. Uses TLS if a certificate is given. */
export async function openSocketServer(
  onText: (socket: Duplex, text: string, atMs: number) => void,
  certificate?: Certificate,
): Promise<SocketServer> {
  const connections = new Set<Duplex>();
  const server = certificate === undefined ? createServer() : createTlsServer(certificate);
  server.on('upgrade', ({ headers }, socket: Duplex) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${KEY_END}`).digest('base64');
    connections.add(socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(socket));
    socket.write(
      `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.write(frameOf(eventText('connect.challenge', { nonce: 'n', ts: 1 })));
    socket.on(
      'data',
      createFrameReader({
        onText: (text, atMs) => onText(socket, text, atMs),
        onClose: () => void socket.end(),
      }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `${certificate === undefined ? 'ws' : 'wss'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
