/** An approval store in memory that records its writes and can be made to fail. For unit tests. */
import type { Store, StoredApproval } from '../../packages/hub/src/core/ports.ts';

export class ApprovalStore implements Pick<Store, 'loadApprovals' | 'saveApproval' | 'deleteApproval'> {
  readonly rows = new Map<string, StoredApproval>();
  /** In order: `open a1`, `used a1`, `deleted a1`. */
  readonly written: string[] = [];
  fails: ((approval: StoredApproval) => boolean) | undefined;

  loadApprovals(): StoredApproval[] {
    return [...this.rows.values()];
  }

  saveApproval(approval: StoredApproval): void {
    if (this.fails?.(approval)) throw new Error('the disk is full');
    this.written.push(`${approval.state} ${approval.id}`);
    this.rows.set(approval.id, approval);
  }

  deleteApproval(id: string): void {
    this.written.push(`deleted ${id}`);
    this.rows.delete(id);
  }
}
