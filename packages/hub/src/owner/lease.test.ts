import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { isLeaseHeld, takeLease } from './lease.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-lease-'));
  prepareStateFolder(home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const LEASE_MODULE = new URL('lease.ts', import.meta.url).href;

const startHolder = async () => {
  const script = `
    import { takeLease } from ${JSON.stringify(LEASE_MODULE)};
    takeLease(${JSON.stringify(home)});
    globalThis.gc();
    console.log('taken');
    setInterval(() => globalThis.gc(), 10);`;
  const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  return holder;
};

test('one holder at a time within a process; a released lease can be taken again', () => {
  const first = takeLease(home);
  expect(first).toBeDefined();
  expect(takeLease(home)).toBeUndefined();
  expect(isLeaseHeld(home)).toBe(true);
  // Neither look has freed the lock.
  expect(takeLease(home)).toBeUndefined();
  first?.release();
  first?.release();
  expect(isLeaseHeld(home)).toBe(false);
  const second = takeLease(home);
  expect(second).toBeDefined();
  // A second release of the first must not free what is now another's.
  first?.release();
  expect(isLeaseHeld(home)).toBe(true);
  second?.release();
});

test('a lease held by another process is freed when that process is killed', async () => {
  const holder = await startHolder();
  expect(takeLease(home)).toBeUndefined();
  expect(isLeaseHeld(home)).toBe(true);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lease = takeLease(home);
  expect(lease).toBeDefined();
  lease?.release();
});

test('a damaged or missing place is an error, not "held by another"', () => {
  writeFileSync(join(runFolder(home), 'lease.sqlite'), 'not a database '.repeat(100));
  expect(() => takeLease(home)).toThrow(expect.objectContaining({ name: 'PincerError', code: 'INTERNAL' }));
  expect(() => takeLease(join(home, 'nowhere'))).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
});
