/**
 * A full or read-only disk: calls continue, nothing runs whose approval cannot be written, and the error names the
 * file.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../kit/cli.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { textOf } from '../kit/messages.ts';
import { stdioServer } from '../kit/servers.ts';

let folder: string;
let home: string;

/**
 * A small separate disk. Only root may mount one; as another user, run the tests in `unshare --map-root-user
 * --mount`.
 */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'pincer-test', folder]);
  home = join(folder, 'home');
});
afterEach(() => {
  execFileSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true });
});

/** Leaves no byte free. */
function fill(): void {
  const file = openSync(join(folder, 'filler'), 'a');
  for (const size of [65_536, 4_096])
    try {
      for (;;) if (writeSync(file, Buffer.alloc(size)) < size) break;
    } catch {
      // The disk is full.
    }
  closeSync(file);
}

const start = (): Promise<TestHub> =>
  startHub({
    home,
    servers: { free: stdioServer(), asked: stdioServer({}, { policy: { '*': 'ask' } }) },
    config: { limits: { approvalWaitMs: 100 }, policy: { notify: false } },
  });

interface Report {
  store: { incidents: { file: string; message: string; hint: string; isOpen: boolean }[] };
}
const failing = async (hub: TestHub): Promise<Report['store']['incidents']> =>
  ((await hub.control('GET', 'status')).value as Report).store.incidents.filter(({ isOpen }) => isOpen);

it('a full disk stops only calls that need an approval', async () => {
  await using hub = await start();
  expect(textOf(await hub.call('free__echo', { message: 'before' }))).toBe('before');
  fill();
  for (let index = 0; index < 30; index += 1)
    expect(textOf(await hub.call('free__echo', { message: `full ${index} ${'x'.repeat(1_500)}` }))).toContain(
      'full',
    );
  await expect
    .poll(async () => (await failing(hub)).map(({ file }) => file), { timeout: 10_000 })
    .toContain(join(home, 'calls.sqlite'));
  const [incident] = await failing(hub);
  expect(incident!.message).toContain('the disk is full');
  expect(incident!.hint).toContain('Free some space');
  expect(hub.stderr()).toContain('the disk is full');
  // A call whose approval cannot be written must not run; some small ones may still fit.
  const refused = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      hub.call('asked__echo', { message: `${index}${'y'.repeat(3_000)}` }),
    ),
  );
  expect(refused.map(({ error }) => (error?.data as { code?: string } | undefined)?.code)).toContain(
    'STORE_UNWRITABLE',
  );
  expect(refused.every(({ error }) => error !== undefined)).toBe(true);
  const token = await runCli(['token', 'add', 'laptop', '--json'], home);
  expect(token.code).toBe(1);
  expect(token.stdout).toContain('STORE_UNWRITABLE');
  expect(token.stdout).toContain('state.sqlite');

  rmSync(join(folder, 'filler'));
  expect((await runCli(['token', 'add', 'laptop'], home)).code).toBe(0);
  await hub.call('free__echo', { message: 'after' });
  await expect.poll(() => failing(hub), { timeout: 10_000 }).toEqual([]);
});

it('a hub whose folder is read-only or full names the file, and what to do', async () => {
  {
    await using hub = await start();
    await hub.call('free__echo', { message: 'x' });
  }
  execFileSync('mount', ['-o', 'remount,ro', folder]);
  const readOnly = await runCli(['up', '--port', '0'], home);
  expect(readOnly.code).toBe(1);
  expect(readOnly.stderr).toContain(home);
  expect(readOnly.stderr).toContain('read-only');
  const doctor = await runCli(['doctor', '--json'], home);
  expect(doctor.stdout).toContain('STORE_UNWRITABLE');
  execFileSync('mount', ['-o', 'remount,rw', folder]);
  fill();
  const full = await runCli(['up', '--port', '0'], home);
  expect(full.code).toBe(1);
  expect(full.stderr).toMatch(/disk is full/);
  expect(full.stderr).toContain(home);
});
