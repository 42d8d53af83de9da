/** What each server offered last, as it came; the catalog gets what of it may be shown. */
import type { Catalog } from './catalog.ts';
import { isSameOffer, readRawOffer, toRawOffer, type Offer } from './offer.ts';
import type { Store } from '../ports.ts';
import type { Trust, TrustedServer } from '../trust/trust.ts';

export interface OfferBook {
  /** The servers that there are. One whose settings have changed is looked at anew; one that is another now is forgotten. */
  configure(servers: readonly TrustedServer[]): void;
  /** What was heard in an earlier life, as far as it is of these servers. */
  restore(): void;
  offered(server: string, offer: Offer): void;
  /** Accepts what is offered now, of one tool or of all that wait; gives back their names. */
  accept(server: string, tool?: string, seen?: ReadonlySet<string>): readonly string[];
}

export interface OfferBookParts {
  readonly catalog: Catalog;
  readonly trust: Trust;
  readonly store: Pick<Store, 'loadCatalogs' | 'saveCatalog'>;
}

export function createOfferBook({ catalog, trust, store }: OfferBookParts): OfferBook {
  let servers: ReadonlyMap<string, TrustedServer> = new Map();
  const heard = new Map<string, { readonly origin: string; readonly offer: Offer }>();

  const show = (server: TrustedServer, offer: Offer): boolean =>
    catalog.put(server.name, trust.review(server, offer));

  function forget(name: string): void {
    heard.delete(name);
    trust.forget(name);
    catalog.forget(name);
  }

  function lookAgain(name: string): void {
    const server = servers.get(name);
    const known = heard.get(name);
    if (known === undefined) return;
    if (server?.origin === known.origin) show(server, known.offer);
    else forget(name);
  }

  return {
    configure(next) {
      servers = new Map(next.map((server) => [server.name, server]));
      for (const name of heard.keys()) lookAgain(name);
    },
    restore() {
      for (const { server: name, origin, offer } of store.loadCatalogs()) {
        const server = servers.get(name);
        if (server?.origin !== origin) continue;
        const known = readRawOffer(offer);
        heard.set(name, { origin, offer: known });
        show(server, known);
      }
    },
    offered(name, offer) {
      const server = servers.get(name);
      if (server === undefined) return;
      const { origin } = server;
      const before = heard.get(name);
      heard.set(name, { origin, offer });
      show(server, offer);
      if (before?.origin !== origin || !isSameOffer(before.offer, offer))
        store.saveCatalog({ server: name, origin, offer: toRawOffer(offer) });
    },
    accept(name, tool, seen) {
      const names = trust.accept(name, tool, seen);
      lookAgain(name);
      return names;
    },
  };
}
