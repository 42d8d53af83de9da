/**
 * Servers over stdio that play the fixed exchange and cut their pipes. Each child is a small shell program that the
 * test controls, because starting a Node program thousands of times would take too long.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Era } from '../flags.ts';
import { createLineReader } from '../transports/lines.ts';
import { legOf, type HubMessage, type Leg } from './legs.ts';
import { Outgoing, takeCut, type Cut, type Size } from './outgoing.ts';
import { Script } from './script.ts';

const PROGRAM = fileURLToPath(new URL('./remote-controlled.sh', import.meta.url));

export interface PipeLane {
  command: string;
  args: string[];
  script: Script;
  /** Each cut applies once, to the next message of its leg. */
  cuts: Cut[];
  sizes: Map<Leg, Size>;
}

export interface PipeLanes extends AsyncDisposable {
  lanes: PipeLane[];
}

export async function openPipeLanes(count: number, era: Era): Promise<PipeLanes> {
  const sockets = new Set<Socket>();
  const byAddress = new Map<string, Lane>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    new Child(byAddress.get(socket.localAddress!)!, socket).start();
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < count; index++) {
    const address = `127.2.${100 + Math.floor(index / 100)}.${100 + (index % 100)}`;
    byAddress.set(address, new Lane([PROGRAM, address, String(port)], era));
  }
  return {
    lanes: [...byAddress.values()],
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

class Lane implements PipeLane {
  readonly command = 'bash';
  readonly args: string[];
  readonly script: Script;
  readonly sizes = new Map<Leg, Size>();
  cuts: Cut[] = [];

  constructor(args: string[], era: Era) {
    this.args = args;
    this.script = new Script(era);
  }
}

/** The hub's next message after a leg, if that is certain. */
const NEXT: Partial<Record<Leg, Record<Era, Leg>>> = {
  initialized: { legacy: 'call', modern: 'call' },
  discover: { legacy: 'call', modern: 'call' },
  call: { legacy: 'answer', modern: 'again' },
};

/** One process of a server. */
class Child {
  readonly #lane: Lane;
  readonly #socket: Socket;
  #isDead = false;
  /** Output that a stalled child holds back. */
  #held = '';

  constructor(lane: Lane, socket: Socket) {
    this.#lane = lane;
    this.#socket = socket;
  }

  start(): void {
    this.#socket.on(
      'data',
      createLineReader((line) => this.#onLine(line)),
    );
    this.#order('line');
  }

  #order(command: string): void {
    if (!this.#isDead) this.#socket.write(`${command}\n`);
  }

  #write(bytes: string): void {
    if (bytes !== '') this.#socket.write(`write ${bytes.length}\n${bytes}`, 'latin1');
  }

  #onLine(line: string): void {
    if (this.#isDead) return;
    // The call has ended for the hub; the held output comes now.
    this.#write(this.#held);
    this.#held = '';
    const message = JSON.parse(line) as HubMessage;
    const leg = legOf(message);
    const cut = takeCut(this.#lane.cuts, leg);
    if (cut?.side === 'in') return this.#die();
    const size: Size = { in: line.length + 1, out: 0, marks: [] };
    this.#lane.sizes.set(leg, size);
    const out = new Outgoing(
      (bytes) => this.#write(bytes),
      cut?.at ?? Infinity,
      () => {
        if (cut?.how === 'close') this.#die();
      },
    );
    this.#lane.script.receive(message, (text) => {
      this.#held += out.write(`${text}\n`);
      size.out = out.sent;
      size.marks.push(out.sent);
    });
    this.#goOn(leg);
  }

  /** Continues to read, unless the next message is to be cut by closing stdin. */
  #goOn(leg: Leg): void {
    const { cuts, script } = this.#lane;
    const next = NEXT[leg]?.[script.era];
    const deaf = cuts.find((cut) => cut.leg === next && cut.how === 'deaf');
    if (deaf === undefined) return this.#order('line');
    takeCut(cuts, deaf.leg);
    this.#order(`skip ${deaf.at}`);
  }

  #die(): void {
    this.#isDead = true;
    this.#socket.destroySoon();
  }
}
