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

async function startHolder() {
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
}

test('has one holder at a time within a process, and can be taken again after its release', () => {
  const first = takeLease(home);
  expect(first).toBeDefined();
  expect(takeLease(home)).toBeUndefined();
  expect(isLeaseHeld(home)).toBe(true);
  // Neither check has freed the lock.
  expect(takeLease(home)).toBeUndefined();
  first?.release();
  first?.release();
  expect(isLeaseHeld(home)).toBe(false);
  const second = takeLease(home);
  expect(second).toBeDefined();
  // A second release must not free the lease of another holder.
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

test('exactly one of several concurrent takers gets the lease', async () => {
  const rounds = Array.from({ length: 16 }, (_, index) => join(home, String(index)));
  rounds.forEach(prepareStateFolder);
  // Leases are kept to the end: a late taker must find the round's winner.
  const script = `
    import { takeLease } from ${JSON.stringify(LEASE_MODULE)};
    let at = ${Date.now() + 500};
    const got = ${JSON.stringify(rounds)}.map((round) => {
      at += 125;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, at - Date.now() - 5));
      while (Date.now() < at);
      return takeLease(round) === undefined ? 0 : 1;
    });
    console.log(JSON.stringify(got));
    process.stdin.resume();`;
  const takers = [1, 2].map(() => {
    const taker = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void taker.kill('SIGKILL'));
    return taker;
  });
  const lines = await Promise.all(takers.map((taker) => once(taker.stdout, 'data')));
  const got = lines.map(([line]) => JSON.parse(String(line)) as number[]);
  const winners = rounds.map((_, round) => got.reduce((sum, taker) => sum + (taker[round] ?? 0), 0));
  expect(winners).toEqual(rounds.map(() => 1));
}, 20_000);

test('a damaged or missing file is an error, not "held by another"', () => {
  writeFileSync(join(runFolder(home), 'lease.sqlite'), 'not a database '.repeat(100));
  expect(() => takeLease(home)).toThrow(expect.objectContaining({ name: 'PincerError', code: 'INTERNAL' }));
  expect(() => takeLease(join(home, 'nowhere'))).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
});
