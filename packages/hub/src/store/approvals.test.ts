import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store, StoredApproval } from '../core/ports.ts';
import { openTestStore } from '../../../../test/kit/store.ts';

const clock = { now: () => 1_790_000_000_000, elapsed: () => 0 };

const approval = (changes: Partial<StoredApproval> = {}): StoredApproval => ({
  id: 'a1',
  digest: 'd1',
  caller: 'laptop',
  server: 'files',
  tool: 'delete',
  arguments: '{"path":"größe 🎉"}',
  state: 'open',
  askedAt: 1_790_000_000_000,
  decidedAt: undefined,
  ...changes,
});

describe('approvals in the store', () => {
  let folder: string;
  let store: Store;
  const reopen = (): Store => {
    store?.close();
    store = openTestStore(folder, clock);
    return store;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-approvals-'));
    reopen();
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  it('survive a restart, oldest first', () => {
    const later = approval({ id: 'a0', askedAt: 1_790_000_000_001, state: 'denied', decidedAt: 5 });
    const odd = approval({ id: 'z', tool: "'; DROP TABLE approvals; --", arguments: '\u0000', caller: '' });
    for (const each of [later, odd, approval()]) store.saveApproval(each);
    expect(reopen().loadApprovals()).toEqual([approval(), odd, later]);
  });

  it('update only their state, never the question', () => {
    store.saveApproval(approval());
    store.saveApproval(
      approval({ state: 'allowed', decidedAt: 7, arguments: '{"path":"another"}', digest: 'x' }),
    );
    expect(reopen().loadApprovals()).toEqual([approval({ state: 'allowed', decidedAt: 7 })]);
    store.saveApproval(approval({ state: 'used', decidedAt: 7 }));
    expect(reopen().loadApprovals()).toEqual([approval({ state: 'used', decidedAt: 7 })]);
  });

  it('can be removed, and removing an unknown id does nothing', () => {
    store.saveApproval(approval());
    store.deleteApproval('another');
    store.deleteApproval('a1');
    store.deleteApproval('a1');
    expect(reopen().loadApprovals()).toEqual([]);
  });

  it('store whole milliseconds', () => {
    store.saveApproval(approval({ askedAt: 1.5, decidedAt: 2.9 }));
    expect(store.loadApprovals()).toEqual([approval({ askedAt: 1, decidedAt: 2 })]);
  });
});
