/** As much of a gateway's socket as a test needs. What it writes at once arrives at once. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface HandRequest {
  readonly id: string;
  readonly method: string;
  readonly params: object;
}

export interface HandGateway extends AsyncDisposable {
  readonly url: string;
  /** Of all connections, in the order in which they came. */
  readonly requests: HandRequest[];
  readonly connections: ReadonlySet<Duplex>;
  /** On all connections. */
  say(text: string): void;
}

const KEY_END = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const CHALLENGE = { type: 'event', event: 'connect.challenge', payload: { nonce: 'n', ts: 1 } };

/** `welcome` gives the texts that follow a request to be let in, `answer` those that follow any other. */
export async function openHandGateway(
  welcome: (id: string) => readonly string[],
  answer: (request: HandRequest) => readonly string[] = () => [],
): Promise<HandGateway> {
  const requests: HandRequest[] = [];
  const connections = new Set<Duplex>();
  const server = createServer();
  server.on('upgrade', ({ headers }, socket: Duplex) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${KEY_END}`).digest('base64');
    connections.add(socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(socket));
    socket.write(
      `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.write(frameOf(JSON.stringify(CHALLENGE)));
    socket.on('data', (bytes: Buffer) => {
      for (const text of textsOf(bytes)) {
        if (text === undefined) return void socket.end();
        const request = JSON.parse(text) as HandRequest;
        requests.push(request);
        const texts = request.method === 'connect' ? welcome(request.id) : answer(request);
        socket.write(Buffer.concat(texts.map(frameOf)));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections,
    say(text) {
      for (const socket of connections) socket.write(frameOf(text));
    },
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? [body.length] : [126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([0x81, ...length]), body]);
}

/** Of whole frames, as short ones come; undefined: the connection is to end. */
function* textsOf(bytes: Buffer): Generator<string | undefined> {
  for (let at = 0; at < bytes.length;) {
    if ((bytes[at]! & 15) !== 1) return yield undefined;
    const short = bytes[at + 1]! & 127;
    const [size, begin] = short < 126 ? [short, at + 2] : [bytes.readUInt16BE(at + 2), at + 4];
    const mask = bytes.subarray(begin, begin + 4);
    const body = bytes.subarray(begin + 4, begin + 4 + size);
    yield Buffer.from(body.map((byte, index) => byte ^ mask[index % 4]!)).toString();
    at = begin + 4 + size;
  }
}
