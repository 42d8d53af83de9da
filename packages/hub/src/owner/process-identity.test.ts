import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareStarts, processStart, readGroup, readProcess } from './process-identity.ts';

function startSleeper(command = process.execPath, args = ['-e', 'setInterval(() => {}, 1000)']) {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, pid: child.pid ?? 0 };
}

test('a process has one start for all its life, and a later process has a later one', async () => {
  const own = processStart(process.pid);
  expect(own).toBeDefined();
  const { child, pid } = startSleeper();
  const start = processStart(pid);
  expect(start).toBeDefined();
  expect(processStart(pid)).toBe(start);
  expect(compareStarts(own ?? '', start ?? '')).toBeLessThan(0);
  expect(compareStarts(start ?? '', start ?? '')).toBe(0);
  expect(readProcess(pid)).toMatchObject({ pid, group: pid, zombie: false });
  expect(readGroup(pid).map((facts) => facts.pid)).toEqual([pid]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(processStart(pid)).toBeUndefined();
});

test('an invalid id has no process', () => {
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(processStart(pid)).toBeUndefined();
});

test.runIf(process.platform === 'linux')('starts of different boots cannot be compared', () => {
  expect(compareStarts('5@boot-a', '4@boot-b')).toBeNaN();
  expect(compareStarts('', '4@boot-b')).toBeNaN();
});

test.runIf(process.platform === 'linux')('reads a program whose name looks like fields', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-name-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'a) Z 1 (b');
  copyFileSync('/bin/sleep', program);
  const { child, pid } = startSleeper(program, ['30']);
  await once(child, 'spawn');
  expect(readProcess(pid)).toMatchObject({ pid, group: pid, zombie: false });
});

test.runIf(process.platform === 'linux')('a zombie does not count as running', async () => {
  // `sleep` replaces the shell and never collects the shell's child.
  const { child } = startSleeper('/bin/sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30']);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const zombie = Number(line.toString());
  await expect.poll(() => readProcess(zombie)?.zombie, { timeout: 5000 }).toBe(true);
  expect(processStart(zombie)).toBeUndefined();
});
