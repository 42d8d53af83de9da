/** The last offer of each server in original bytes. The catalog gets the part that may be listed. */
import type { Catalog } from './catalog.ts';
import { isSameOffer, readRawOffer, toRawOffer, type Offer } from './offer.ts';
import type { Store } from '../ports.ts';
import type { Trust, TrustedServer } from '../trust/trust.ts';

export interface OfferBook {
  /** Sets the servers. Changed settings cause a new review; a changed origin drops the offer. */
  configure(servers: readonly TrustedServer[]): void;
  /** Loads the offers of an earlier run that belong to these servers. */
  restore(): void;
  offered(server: string, offer: Offer): void;
  /** Accepts one held tool or all of them, as offered now. Returns their names. */
  accept(server: string, tool?: string, seen?: ReadonlySet<string>): readonly string[];
}

export interface OfferBookParts {
  readonly catalog: Catalog;
  readonly trust: Trust;
  readonly store: Pick<Store, 'loadCatalogs' | 'saveCatalog'>;
}

export function createOfferBook({ catalog, trust, store }: OfferBookParts): OfferBook {
  let servers: ReadonlyMap<string, TrustedServer> = new Map();
  const latest = new Map<string, { readonly origin: string; readonly offer: Offer }>();

  const list = (server: TrustedServer, offer: Offer): boolean =>
    catalog.put(server.name, trust.review(server, offer));

  function forget(name: string): void {
    latest.delete(name);
    trust.forget(name);
    catalog.forget(name);
  }

  function reviewAgain(name: string): void {
    const server = servers.get(name);
    const known = latest.get(name);
    if (known === undefined) return;
    if (server?.origin === known.origin) list(server, known.offer);
    else forget(name);
  }

  return {
    configure(next) {
      servers = new Map(next.map((server) => [server.name, server]));
      for (const name of latest.keys()) reviewAgain(name);
    },
    restore() {
      for (const { server: name, origin, offer } of store.loadCatalogs()) {
        const server = servers.get(name);
        if (server?.origin !== origin) continue;
        const known = readRawOffer(offer);
        latest.set(name, { origin, offer: known });
        list(server, known);
      }
    },
    offered(name, offer) {
      const server = servers.get(name);
      if (server === undefined) return;
      const { origin } = server;
      const before = latest.get(name);
      latest.set(name, { origin, offer });
      list(server, offer);
      if (before?.origin !== origin || !isSameOffer(before.offer, offer))
        store.saveCatalog({ server: name, origin, offer: toRawOffer(offer) });
    },
    accept(name, tool, seen) {
      const names = trust.accept(name, tool, seen);
      reviewAgain(name);
      return names;
    },
  };
}
