/** A pin store in memory, and trust on top of it. For unit tests. */
import { offerOf, defineTool } from './offer.ts';
import { sha256 } from './sha256.ts';
import { DEFAULT_LIMITS, type Limits } from '../../packages/hub/src/core/limits.ts';
import type { Offer } from '../../packages/hub/src/core/catalog/offer.ts';
import type { PinStore } from '../../packages/hub/src/core/trust/pins.ts';
import type { StoredPin } from '../../packages/hub/src/core/ports.ts';
import { createTrust, type Trust, type TrustedServer } from '../../packages/hub/src/core/trust/trust.ts';

export interface MemoryPins extends PinStore {
  /** As `origin/tool`. */
  names(): string[];
  /** Makes all further saves fail. */
  fail(): void;
  /** Loses a server's pins and marks them as doubtful. */
  lose(server: string): void;
}

export function memoryPins(): MemoryPins {
  let rows: StoredPin[] = [];
  let isBroken = false;
  let doubts: string[] = [];
  const keyOf = ({ server, origin, tool }: StoredPin): string => JSON.stringify([server, origin, tool]);
  return {
    loadPins: () => rows,
    savePins(pins) {
      if (isBroken) throw new Error('disk full');
      const replaced = new Set(pins.map(keyOf));
      rows = [...rows.filter((row) => !replaced.has(keyOf(row))), ...pins];
    },
    deletePins(server, origin) {
      rows = rows.filter((row) => row.server !== server || row.origin !== origin);
    },
    loadPinDoubts: () => doubts.map((server) => ({ server, origin: undefined })),
    settlePins: (server) => void (doubts = doubts.filter((each) => each !== server)),
    lose(server) {
      rows = rows.filter((row) => row.server !== server);
      doubts.push(server);
    },
    names: () => rows.map(({ origin, tool }) => `${origin}/${tool}`).toSorted(),
    fail() {
      isBroken = true;
    },
  };
}

export function trustOver(store: PinStore, limits: Partial<Limits> = {}): Trust {
  let time = 1_000;
  return createTrust({
    store,
    digest: sha256,
    now: () => time++,
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
}

export const trustedServer = (changes: Partial<TrustedServer> = {}): TrustedServer => ({
  name: 's',
  origin: 'here',
  trust: 'pin',
  toolFilter: {},
  ...changes,
});

/** An offer of tools, by name and description. */
export const offering = (tools: Readonly<Record<string, string | object>>): Offer =>
  offerOf({
    tools: Object.entries(tools).map(([name, said]) =>
      defineTool({ name, ...(typeof said === 'string' ? { description: said } : said) }),
    ),
  });

export const shownIn = ({ tools }: Offer): string[] => tools.map(({ name }) => name);
