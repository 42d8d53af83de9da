import type { DatabaseSync } from 'node:sqlite';
import type { Scopes } from '../core/caller.ts';
import type { Store, StoredCredential } from '../core/ports.ts';
import { durably } from './durably.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly token_hash: string;
  readonly scopes: string;
  readonly created_at: number;
}

type CredentialTable = Pick<Store, 'loadCredentials' | 'saveCredential' | 'deleteCredential'>;

export function credentialTable(db: DatabaseSync): CredentialTable {
  const select = db.prepare('SELECT * FROM credentials ORDER BY created_at, id');
  const remove = db.prepare('DELETE FROM credentials WHERE id = ?');
  const upsert = db.prepare(
    `INSERT INTO credentials (id, name, token_hash, scopes, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, token_hash = excluded.token_hash,
       scopes = excluded.scopes, created_at = excluded.created_at`,
  );

  return {
    loadCredentials: () => (select.all() as unknown as Row[]).map(toCredential),
    saveCredential({ id, name, tokenHash, scopes, createdAt }) {
      durably(db, () => upsert.run(id, name, tokenHash, JSON.stringify(scopes), createdAt));
    },
    // A power cut must not bring a revoked credential back.
    deleteCredential: (id) => durably(db, () => remove.run(id)).changes > 0,
  };
}

const toCredential = (row: Row): StoredCredential => ({
  id: row.id,
  name: row.name,
  tokenHash: row.token_hash,
  scopes: JSON.parse(row.scopes) as Scopes,
  createdAt: row.created_at,
});
