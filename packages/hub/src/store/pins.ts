import type { DatabaseSync } from 'node:sqlite';
import type { Store, StoredPin } from '../core/ports.ts';
import { atomically } from './atomically.ts';

interface Row {
  readonly server: string;
  readonly origin: string;
  readonly tool: string;
  readonly digest: string;
  readonly definition: Uint8Array;
  readonly accepted_at: number;
}

export function pinTable(db: DatabaseSync): Pick<Store, 'loadPins' | 'savePins' | 'deletePins'> {
  const select = db.prepare('SELECT server, origin, tool, digest, definition, accepted_at FROM pins');
  const upsert = db.prepare(
    `INSERT INTO pins (server, origin, tool, digest, definition, accepted_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (server, origin, tool) DO UPDATE SET
       digest = excluded.digest, definition = excluded.definition, accepted_at = excluded.accepted_at`,
  );
  const remove = db.prepare('DELETE FROM pins WHERE server = ? AND origin = ?');
  return {
    loadPins: () => (select.all() as unknown as Row[]).map(toPin),
    savePins(pins) {
      if (pins.length === 0) return;
      atomically(db, () => {
        for (const { server, origin, tool, digest, definition, acceptedAt } of pins)
          upsert.run(server, origin, tool, digest, Buffer.from(definition, 'latin1'), Math.trunc(acceptedAt));
      });
    },
    deletePins(server, origin) {
      remove.run(server, origin);
    },
  };
}

const toPin = ({ server, origin, tool, digest, definition, accepted_at }: Row): StoredPin => ({
  server,
  origin,
  tool,
  digest,
  definition: Buffer.from(definition.buffer, definition.byteOffset, definition.byteLength).toString('latin1'),
  acceptedAt: accepted_at,
});
