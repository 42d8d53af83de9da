import type { DatabaseSync } from 'node:sqlite';
import type { Store, StoredCatalog } from '../core/ports.ts';
import type { ByteText } from '../core/wire/byte-text.ts';

interface Row {
  readonly server: string;
  readonly origin: string;
  readonly tools: Uint8Array;
}

export function catalogTable(db: DatabaseSync): Pick<Store, 'loadCatalogs' | 'saveCatalog'> {
  const select = db.prepare('SELECT server, origin, tools FROM catalogs ORDER BY server');
  const upsert = db.prepare(
    `INSERT INTO catalogs (server, origin, tools) VALUES (?, ?, ?)
     ON CONFLICT (server) DO UPDATE SET origin = excluded.origin, tools = excluded.tools`,
  );
  return {
    loadCatalogs: () => (select.all() as unknown as Row[]).map(toCatalog),
    saveCatalog({ server, origin, tools }) {
      upsert.run(server, origin, packTools(tools));
    },
  };
}

const toCatalog = ({ server, origin, tools }: Row): StoredCatalog => ({
  server,
  origin,
  tools: unpackTools(tools),
});

// A JSON array of the texts as strings: its escapes are ASCII, so every char code is still one byte.
const packTools = (tools: readonly ByteText[]): Buffer => Buffer.from(JSON.stringify(tools), 'latin1');

const unpackTools = (bytes: Uint8Array): ByteText[] =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')) as ByteText[];
