/** Servers over HTTP on raw sockets, each at its own address, that play the fixed exchange and cut connections. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Era } from '../flags.ts';
import { HttpAnswer, readRequest, type HttpRequest } from './http-answer.ts';
import { legOf, type HubMessage, type Leg } from './legs.ts';
import { Outgoing, takeCut, type Cut, type Size } from './outgoing.ts';
import { Script } from './script.ts';

export interface HttpManner {
  era: Era;
  body: 'json' | 'sse';
  /** How a body ends: by its length or chunks, or with the connection. */
  end: 'framed' | 'closed';
  /** True if events have ids and a stream can be resumed; a number is the status that refuses to resume. */
  ids?: true | number;
}

export interface HttpLane {
  url: string;
  script: Script;
  /** Each cut applies once, to the next request of its leg. */
  cuts: Cut[];
  sizes: Map<Leg, Size>;
}

export interface HttpLanes extends AsyncDisposable {
  lanes: HttpLane[];
  /** Stops listening and closes all connections. */
  leave(): void;
  /** Turns on or off that new connections are closed at once. */
  hangUp(isOn: boolean): void;
}

/** A larger body does not arrive at once: its rest is in flight when the connection is cut. */
const LARGE = 65_536;
/** Legacy answers have a session, which the hub ends at shutdown. */
const SESSION = 'mcp-session-id: s\r\n';

export async function openHttpLanes(count: number, manner: HttpManner): Promise<HttpLanes> {
  const sockets = new Set<Socket>();
  const byAddress = new Map<string, Lane>();
  let hangsUp = false;
  const server = createServer({ noDelay: true }, (socket) => {
    if (hangsUp) return void socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    byAddress.get(socket.localAddress!)!.serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < count; index++) {
    // All addresses have the same length, so the requests of all lanes do too.
    const address = `127.1.${100 + Math.floor(index / 100)}.${100 + (index % 100)}`;
    byAddress.set(address, new Lane(`http://${address}:${port}/m`, manner));
  }
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const leave = (): void => {
    server.close();
    cutAll();
  };
  return {
    lanes: [...byAddress.values()],
    leave,
    hangUp(isOn) {
      hangsUp = isOn;
      cutAll();
    },
    [Symbol.asyncDispose]: async () => leave(),
  };
}

class Lane implements HttpLane {
  readonly url: string;
  readonly script: Script;
  readonly sizes = new Map<Leg, Size>();
  cuts: Cut[] = [];
  readonly #manner: HttpManner;
  /** All events of the latest call, and where new ones go. */
  #events: string[] = [];
  #isAnswered = false;
  #carrier: HttpAnswer | undefined;

  constructor(url: string, manner: HttpManner) {
    this.url = url;
    this.#manner = manner;
    this.script = new Script(manner.era, manner.body === 'json');
  }

  serve(socket: Socket): void {
    let received = '';
    let isDead = false;
    let answer: HttpAnswer | undefined;
    socket.on('error', () => {});
    socket.on('close', () => {
      if (answer?.isDone === false && !isDead) answer.onAbandoned();
    });
    socket.on('data', (chunk) => {
      if (isDead) return;
      received += chunk.toString('latin1');
      for (let request = readRequest(received); request !== undefined; request = readRequest(received)) {
        received = received.slice(request.size);
        answer = this.#take(socket, request, () => (isDead = true));
      }
      const { length } = received;
      const early = this.cuts.find(({ side, at }) => side === 'in' && at >= LARGE && at <= length);
      if (early === undefined) return;
      takeCut(this.cuts, early.leg);
      isDead = true;
      socket.resetAndDestroy();
    });
  }

  #take(socket: Socket, request: HttpRequest, die: () => void): HttpAnswer | undefined {
    const { verb, head, body, size } = request;
    const message = verb === 'POST' ? (JSON.parse(body) as HubMessage) : {};
    const leg = verb === 'POST' ? legOf(message) : verb === 'GET' ? legOfGet(head) : 'other';
    const cut = takeCut(this.cuts, leg);
    if (cut?.side === 'in') {
      die();
      // As the operating system does for a program that closes a socket with unread bytes.
      if (cut.how === 'close') socket.resetAndDestroy();
      return undefined;
    }
    const write = (bytes: string): void => void socket.write(bytes, 'latin1');
    const out = new Outgoing(write, cut?.at ?? Infinity, () => {
      die();
      if (cut?.how === 'close') socket.destroySoon();
    });
    const known: Size = { in: size, out: 0, marks: [] };
    this.sizes.set(leg, known);
    const answer = new HttpAnswer(socket, out, this.#manner.end === 'framed', known);
    if (cut?.status !== undefined) answer.status(cut.status, 'no');
    else if (verb === 'POST') this.#post(leg, message, answer);
    else if (leg === 'resume') this.#resume(head, answer);
    else answer.status(verb === 'GET' ? 405 : 200);
    return answer;
  }

  #post(leg: Leg, message: HubMessage, answer: HttpAnswer): void {
    const isCall = leg === 'call' || leg === 'again';
    const isStream = isCall && this.#manner.body === 'sse';
    if (isCall) {
      this.#events = [];
      this.#isAnswered = false;
    }
    // 2026-07-28 transports: closing the stream cancels the request.
    if (this.script.era === 'modern') answer.onAbandoned = () => this.script.stop(message.id);
    if (isStream) {
      this.#carrier = answer;
      answer.open();
      if (this.#hasIds) answer.event('retry: 5\nid: 0\ndata:\n\n');
    }
    const isAnswered = this.script.receive(message, (text, isLast) => {
      if (!isStream)
        return answer.json(text, leg === 'initialize' && this.script.era === 'legacy' ? SESSION : '');
      const id = this.#hasIds ? `id: ${this.#events.length + 1}\n` : '';
      const event = `${id}data: ${text}\n\n`;
      this.#events.push(event);
      this.#carrier?.event(event);
      this.#isAnswered = isLast;
      if (isLast) this.#carrier?.end();
    });
    if (!isAnswered) answer.status(202);
  }

  /** Sends the events after the named one, and those to come. */
  #resume(head: string, answer: HttpAnswer): void {
    const { ids } = this.#manner;
    if (typeof ids === 'number') return answer.status(ids);
    const last = Number(/^last-event-id: (\d+)\r$/im.exec(`${head}\r`)?.[1]);
    const missed = this.#events.slice(last);
    this.#carrier = answer;
    answer.open();
    for (const event of missed) answer.event(event);
    if (this.#isAnswered) answer.end();
  }

  get #hasIds(): boolean {
    return this.#manner.ids !== undefined;
  }
}

const legOfGet = (head: string): Leg => (/^last-event-id:/im.test(head) ? 'resume' : 'listen');
