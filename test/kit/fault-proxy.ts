/** A TCP proxy that injects network faults. The fault can be changed at any time. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** The direction of the bytes. */
export type Way = 'to-server' | 'to-client';

export type Fault =
  | { kind: 'none' }
  /** Delays all bytes by this time. */
  | { kind: 'latency'; ms: number }
  /** Forwards all bytes in pieces of this size. */
  | { kind: 'slice'; bytes: number }
  /** Resets or closes a connection after it has carried this many bytes in this direction, counted from now. */
  | { kind: 'reset' | 'close'; way: Way; after: number }
  /** Open connections carry no more bytes, and neither end is notified. New connections work. */
  | { kind: 'half-open' }
  /** Connections are accepted, but neither new nor open ones carry any bytes. */
  | { kind: 'black-hole' }
  /** Connections are refused. */
  | { kind: 'refuse' };

export interface FaultProxy extends AsyncDisposable {
  /** The target's address, through the proxy. */
  url: string;
  set(fault: Fault): Promise<void>;
  /** Resets all open connections. */
  resetAll(): void;
  /** Connections so far. */
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

/** A client's connection and the matching connection to the server. */
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
    // A failed or cut connection is cut on the other side too, unless the fault hides it.
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
