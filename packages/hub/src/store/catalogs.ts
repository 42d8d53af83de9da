/** cache.sqlite: the last offers of servers. The hub asks servers again if it is lost, so failures are only reported. */
import type { RawOffer } from '../core/catalog/offer.ts';
import type { Clock, Store, StoredCatalog } from '../core/ports.ts';
import type { Incidents } from './incidents.ts';
import { type Codec, Collection, put } from './rows/table.ts';
import { openRowFile, type RowFile } from './rows/row-file.ts';
import { CACHE_SCHEMA } from './schema.ts';

const CATALOGS: Codec<StoredCatalog> = {
  table: 'catalogs',
  columns: ['server', 'origin', 'offer'],
  keys: 1,
  keyOf: ({ server }) => [server],
  toRow: ({ server, origin, offer }) => [server, origin, pack(offer)],
  fromRow: ([server, origin, offer]) => ({
    server: server as string,
    origin: origin as string,
    offer: unpack(offer as Uint8Array),
  }),
};

export interface CatalogCache extends Pick<Store, 'loadCatalogs' | 'saveCatalog' | 'close'> {
  rewrite(what: string): void;
  pageBytes: RowFile['pageBytes'];
}

export function openCatalogCache(path: string, clock: Clock, incidents: Incidents): CatalogCache {
  const catalogs = new Collection(CATALOGS);
  const file = openRowFile(path, {
    schema: CACHE_SCHEMA,
    collections: [catalogs],
    now: () => clock.now(),
    onRewritten: (movedTo) => report('was damaged while the hub ran', movedTo),
  });
  if (file.damage !== undefined) report('was damaged', file.damage.movedTo);

  function report(what: string, movedTo: string | undefined): void {
    incidents.add({
      file: path,
      part: 'catalogs',
      message: `${path} ${what}. It only holds the last offers of servers, and the hub asks them again.`,
      hint: 'You need not do anything. Check the disk if it happens again.',
      movedTo,
    });
  }

  return {
    loadCatalogs: () => catalogs.all().toSorted((a, b) => (a.server < b.server ? -1 : 1)),
    saveCatalog(catalog) {
      try {
        file.apply([put(catalogs, catalog)]);
        incidents.worked(path);
      } catch (error) {
        incidents.failed(path, error);
      }
    },
    rewrite: (what) => report(what, file.rewrite()),
    pageBytes: file.pageBytes,
    close: file.close,
  };
}

// JSON with the texts as strings: its escapes are ASCII, so every char code is still one byte.
const pack = ({ about, tools, prompts, resources, templates }: RawOffer): Buffer =>
  Buffer.from(JSON.stringify({ about, tools, prompts, resources, templates }), 'latin1');

const unpack = (bytes: Uint8Array): RawOffer =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')) as RawOffer;
