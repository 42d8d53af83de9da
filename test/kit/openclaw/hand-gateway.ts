/** As much of a gateway's socket as a test needs. What it writes at once arrives at once. */
import type { Duplex } from 'node:stream';
import type { Certificate } from '../certificate.ts';
import { frameOf } from './frames.ts';
import { openSocketServer } from './socket-server.ts';

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

/** `welcome` gives the texts that follow a request to be let in, `answer` those that follow any other. */
export async function openHandGateway(
  welcome: (id: string) => readonly string[],
  answer: (request: HandRequest) => readonly string[] = () => [],
  certificate?: Certificate,
): Promise<HandGateway> {
  const requests: HandRequest[] = [];
  const server = await openSocketServer((socket, text) => {
    const request = JSON.parse(text) as HandRequest;
    requests.push(request);
    const texts = request.method === 'connect' ? welcome(request.id) : answer(request);
    socket.write(Buffer.concat(texts.map(frameOf)));
  }, certificate);
  return {
    ...server,
    requests,
    say(text) {
      for (const socket of server.connections) socket.write(frameOf(text));
    },
  };
}
