import type { DatabaseSync } from 'node:sqlite';
import type { RawOffer } from '../core/catalog/offer.ts';
import type { Store, StoredCatalog } from '../core/ports.ts';

interface Row {
  readonly server: string;
  readonly origin: string;
  readonly offer: Uint8Array;
}

export function catalogTable(db: DatabaseSync): Pick<Store, 'loadCatalogs' | 'saveCatalog'> {
  const select = db.prepare('SELECT server, origin, offer FROM catalogs ORDER BY server');
  const upsert = db.prepare(
    `INSERT INTO catalogs (server, origin, offer) VALUES (?, ?, ?)
     ON CONFLICT (server) DO UPDATE SET origin = excluded.origin, offer = excluded.offer`,
  );
  return {
    loadCatalogs: () => (select.all() as unknown as Row[]).map(toCatalog),
    saveCatalog({ server, origin, offer }) {
      upsert.run(server, origin, pack(offer));
    },
  };
}

const toCatalog = ({ server, origin, offer }: Row): StoredCatalog => ({
  server,
  origin,
  offer: unpack(offer),
});

// JSON with the texts as strings: its escapes are ASCII, so every char code is still one byte.
const pack = ({ about, tools, prompts, resources, templates }: RawOffer): Buffer =>
  Buffer.from(JSON.stringify({ about, tools, prompts, resources, templates }), 'latin1');

const unpack = (bytes: Uint8Array): RawOffer =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')) as RawOffer;
