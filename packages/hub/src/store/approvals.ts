import type { DatabaseSync } from 'node:sqlite';
import type { Store, StoredApproval } from '../core/ports.ts';
import { durably } from './durably.ts';

interface Row {
  readonly id: string;
  readonly digest: string;
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: string;
  readonly state: StoredApproval['state'];
  readonly asked_at: number;
  readonly decided_at: number | null;
}

export function approvalTable(
  db: DatabaseSync,
): Pick<Store, 'loadApprovals' | 'saveApproval' | 'deleteApproval'> {
  const select = db.prepare(
    'SELECT id, digest, caller, server, tool, arguments, state, asked_at, decided_at FROM approvals ORDER BY asked_at, id',
  );
  const upsert = db.prepare(
    `INSERT INTO approvals (id, digest, caller, server, tool, arguments, state, asked_at, decided_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, decided_at = excluded.decided_at`,
  );
  const remove = db.prepare('DELETE FROM approvals WHERE id = ?');
  return {
    loadApprovals: () => (select.all() as unknown as Row[]).map(toApproval),
    saveApproval(approval) {
      const { id, digest, caller, server, tool, state, askedAt, decidedAt } = approval;
      const decided = decidedAt === undefined ? null : Math.trunc(decidedAt);
      const asked = Math.trunc(askedAt);
      const write = (): unknown =>
        upsert.run(id, digest, caller, server, tool, approval.arguments, state, asked, decided);
      // An approval that was used must not come back with the power; a question that is lost is asked again.
      if (state === 'open') write();
      else durably(db, write);
    },
    deleteApproval(id) {
      remove.run(id);
    },
  };
}

const toApproval = ({ asked_at, decided_at, ...row }: Row): StoredApproval => ({
  ...row,
  askedAt: asked_at,
  decidedAt: decided_at ?? undefined,
});
