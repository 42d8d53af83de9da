import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCredentialNames } from './credential-names.ts';
import { openTestStore } from '../../../../test/kit/store.ts';

it('reads token names while a hub runs, and from a missing or damaged file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-names-'));
  const path = join(folder, 'state.sqlite');
  try {
    expect(readCredentialNames(path)).toEqual(new Set());
    const store = openTestStore(folder, { now: () => 0, elapsed: () => 0 });
    store.saveCredential({ id: '1', name: 'laptop', tokenHash: 'ab', scopes: {}, createdAt: 1 });
    expect(readCredentialNames(path)).toEqual(new Set(['laptop']));
    store.close();
    writeFileSync(path, 'no database, and long enough to be sure of it'.repeat(50));
    expect(readCredentialNames(path)).toEqual(new Set());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
