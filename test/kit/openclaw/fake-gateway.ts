/** As much of a gateway's socket as a test needs. Texts written together arrive together. */
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
  /** Requests of all connections, in order of arrival. */
  readonly requests: HandRequest[];
  readonly connections: ReadonlySet<Duplex>;
  /** Sends a text on all connections. */
  say(text: string): void;
}

/** `welcome` returns the texts that follow a `connect` request, `answer` those that follow any other. */
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
