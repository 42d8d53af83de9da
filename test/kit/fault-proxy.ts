/** A TCP proxy that does to connections what networks do; which harm it does can be changed at any time. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Bytes from the client to the server, or the other way. */
export type Way = 'to-server' | 'to-client';

export type Fault =
  | { kind: 'none' }
  /** Everything comes this much later. */
  | { kind: 'latency'; ms: number }
  /** Everything comes in pieces of so many bytes. */
  | { kind: 'slice'; bytes: number }
  /** A connection is reset, or closed, once it has carried so many bytes that way, counted from now on. */
  | { kind: 'reset' | 'close'; way: Way; after: number }
  /** Connections that are open now carry nothing more, and neither end hears of it; new ones work. */
  | { kind: 'half-open' }
  /** Connections are taken, and nothing is ever heard on them, nor on those that are open. */
  | { kind: 'black-hole' }
  /** Nobody is there. */
  | { kind: 'refuse' };

export interface FaultProxy extends AsyncDisposable {
  /** The target's address, through the proxy. */
  url: string;
  set(fault: Fault): Promise<void>;
  /** Resets all connections that are open. */
  resetAll(): void;
  /** So far. */
  readonly connections: number;
  readonly open: number;
  readonly carried: Record<Way, number>;
}

export async function openFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const state: State = { fault: { kind: 'none' }, carried: { 'to-server': 0, 'to-client': 0 } };
  const links = new Set<Link>();
  let connections = 0;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    connections++;
    const link = new Link(client, connect({ host: hostname, port: Number(port), noDelay: true }), state);
    links.add(link);
    client.on('close', () => links.delete(link));
  });
  const { port: own } = await listen(server, 0);
  const url = new URL(target);
  url.port = String(own);
  const resetAll = (): void => {
    for (const link of links) link.reset();
  };
  const leave = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    resetAll();
    await closed;
  };
  return {
    url: url.href,
    async set(fault) {
      state.fault = fault;
      for (const link of links) link.startCounting();
      if (fault.kind === 'half-open') for (const link of links) link.isDead = true;
      if (fault.kind === 'refuse') await leave();
      else if (!server.listening) await listen(server, own);
    },
    resetAll,
    get connections() {
      return connections;
    },
    get open() {
      return links.size;
    },
    carried: state.carried,
    [Symbol.asyncDispose]: leave,
  };
}

async function listen(server: Server, port: number): Promise<AddressInfo> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

interface State {
  fault: Fault;
  carried: Record<Way, number>;
}

/** One connection of a client, and the one to the server that belongs to it. */
class Link {
  isDead = false;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #state: State;
  #counted: Record<Way, number> = { 'to-server': 0, 'to-client': 0 };

  constructor(client: Socket, server: Socket, state: State) {
    this.#client = client;
    this.#server = server;
    this.#state = state;
    this.#carry(client, server, 'to-server');
    this.#carry(server, client, 'to-client');
  }

  startCounting(): void {
    this.#counted = { 'to-server': 0, 'to-client': 0 };
  }

  reset(): void {
    this.isDead = true;
    this.#client.resetAndDestroy();
    this.#server.resetAndDestroy();
  }

  #carry(from: Socket, to: Socket, way: Way): void {
    let last = Promise.resolve();
    const later = (what: () => Promise<void> | void): void => void (last = last.then(what));
    from.on('data', (chunk) => {
      const arrived = performance.now();
      later(() => this.#forward(chunk, to, way, arrived));
    });
    from.on('end', () => later(() => void (this.#isMute || to.end())));
    // A connection that could not be made, or was cut, is cut on the other side too, unless nobody is to hear of it.
    from.on('error', () => {});
    from.on('close', (hadError) =>
      later(() => void (this.#isMute || (hadError ? to.resetAndDestroy() : to.destroySoon()))),
    );
  }

  get #isMute(): boolean {
    return this.isDead || this.#state.fault.kind === 'black-hole';
  }

  // oxlint-disable-next-line max-params -- one chunk on its way
  async #forward(chunk: Buffer, to: Socket, way: Way, arrived: number): Promise<void> {
    const { fault } = this.#state;
    if (fault.kind === 'latency') await sleep(Math.max(0, arrived + fault.ms - performance.now()));
    if (fault.kind !== 'slice') return this.#write(chunk, to, way);
    for (let start = 0; start < chunk.length; start += fault.bytes) {
      this.#write(chunk.subarray(start, start + fault.bytes), to, way);
      await nextTurn();
    }
  }

  #write(chunk: Buffer, to: Socket, way: Way): void {
    if (this.#isMute) {
      this.isDead = true;
      return;
    }
    const { fault, carried } = this.#state;
    const isCut = (fault.kind === 'reset' || fault.kind === 'close') && fault.way === way;
    const room = isCut ? fault.after - this.#counted[way] : Infinity;
    const piece = chunk.subarray(0, Math.max(0, room));
    carried[way] += piece.length;
    this.#counted[way] += piece.length;
    if (!to.destroyed && piece.length > 0) to.write(piece);
    if (!isCut || chunk.length < room) return;
    if (fault.kind === 'reset') return this.reset();
    this.isDead = true;
    this.#client.destroySoon();
    this.#server.destroySoon();
  }
}
