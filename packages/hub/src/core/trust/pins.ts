/** The accepted definitions, by server, origin and tool. */
import type { Store, StoredPin } from '../ports.ts';
import type { ByteText } from '../wire/byte-text.ts';

export type PinStore = Pick<Store, 'loadPins' | 'savePins' | 'deletePins' | 'loadPinDoubts' | 'settlePins'>;

/** The pins of one server at one origin. */
export interface Pins {
  find(tool: string): StoredPin | undefined;
  /** Their total size, measured by `pinBytes`. */
  readonly bytes: number;
  /** On disk on return. */
  save(accepted: readonly Accepted[]): void;
}

export interface Accepted {
  readonly tool: string;
  readonly digest: string;
  readonly definition: ByteText;
}

export interface PinBook {
  of(server: string, origin: string): Pins;
  /** Whether pins of this server may have been lost. */
  isDoubted(server: string, origin: string): boolean;
  /** A person has reviewed everything that the server offers. */
  settle(server: string): void;
}

/** Size of one pin besides its definition. */
const OVERHEAD_BYTES = 256;
export const pinBytes = (definition: ByteText): number => definition.length + OVERHEAD_BYTES;

/** Number of earlier origins whose pins are kept. Going back finds the old pins instead of a new first sight. */
const FORMER_ORIGINS = 1;

type Table = Map<string, StoredPin>;

export function createPinBook(store: PinStore, now: () => number): PinBook {
  const servers = new Map<string, Map<string, Table>>();
  for (const pin of store.loadPins()) tableOf(pin.server, pin.origin).set(pin.tool, pin);

  let doubts = store.loadPinDoubts();

  function tableOf(server: string, origin: string): Table {
    const origins = servers.get(server) ?? new Map<string, Table>();
    servers.set(server, origins);
    const table = origins.get(origin) ?? new Map<string, StoredPin>();
    origins.set(origin, table);
    return table;
  }

  function dropOldest(server: string, current: string): void {
    const origins = servers.get(server) ?? new Map<string, Table>();
    const former = [...origins].filter(([origin]) => origin !== current);
    for (const [origin] of former.toSorted(byNewest).slice(FORMER_ORIGINS)) {
      store.deletePins(server, origin);
      origins.delete(origin);
    }
  }

  return {
    isDoubted: (server, origin) =>
      doubts.some((doubt) => (doubt.server ?? server) === server && (doubt.origin ?? origin) === origin),
    settle(server) {
      if (!doubts.some((doubt) => doubt.server === server)) return;
      store.settlePins(server);
      doubts = store.loadPinDoubts();
    },
    of(server, origin) {
      if (servers.get(server)?.has(origin) !== true) dropOldest(server, origin);
      const table = tableOf(server, origin);
      return {
        find: (tool) => table.get(tool),
        get bytes() {
          return sum([...table.values()].map(({ definition }) => pinBytes(definition)));
        },
        save(accepted) {
          const pins = accepted.map((each) => ({ ...each, server, origin, acceptedAt: now() }));
          store.savePins(pins);
          for (const pin of pins) table.set(pin.tool, pin);
        },
      };
    },
  };
}

const newest = (table: Table): number =>
  [...table.values()].reduce((latest, { acceptedAt }) => Math.max(latest, acceptedAt), 0);

const byNewest = ([, a]: [string, Table], [, b]: [string, Table]): number => newest(b) - newest(a);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
