import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { endLeftovers, openJournal } from './journal.ts';
import { processStart } from './process-identity.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';
import { SPAWN_LIMITS } from './end-processes.ts';

let home = '';
let file = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-journal-'));
  file = join(runFolder(home), 'children.jsonl');
  prepareStateFolder(home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const QUICK = { ...SPAWN_LIMITS, termMs: 200 };

const endWithTest = (pid: number): void =>
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Already ended.
    }
  });

function startSleeper(): number {
  const sleeper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
  onTestFinished(() => void sleeper.kill('SIGKILL'));
  return sleeper.pid ?? 0;
}

const moduleUrl = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);

const STUBBORN = `process.on('SIGTERM', () => {}); process.stdin.on('end', () => {}).resume(); setInterval(() => {}, 1000);`;
const GRANDCHILD = `
  const { spawn } = require('node:child_process');
  const grandchild = spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)} + 'console.log(1)'],
    { stdio: ['ignore', 'pipe', 'ignore'] });
  grandchild.stdout.once('data', () => console.log(grandchild.pid));`;
/** Exits when its stdin ends, as servers do, and leaves its own child behind. */
const CARELESS = `${GRANDCHILD} process.stdin.on('end', () => process.exit(0)).resume();`;

/** An owner with two children that have one child each. Returns all pids: child, grandchild, child, grandchild. */
async function startOwner() {
  const script = `
    import { openJournal } from ${moduleUrl('journal.ts')};
    import { createSpawn } from ${moduleUrl('spawn.ts')};
    import { openChildFolders } from ${moduleUrl('neutral-folder.ts')};
    const home = ${JSON.stringify(home)};
    const spawn = createSpawn(openJournal(home), openChildFolders(home));
    const start = (code) => new Promise((resolve) => {
      const child = spawn(
        { command: process.execPath, args: ['-e', code], cwd: undefined, env: {} },
        { onStdout: (text) => resolve([child.pid, Number(text)]), onStderr() {}, onDrain() {}, onExit() {} });
    });
    const pids = await Promise.all([start(${JSON.stringify(STUBBORN + GRANDCHILD)}), start(${JSON.stringify(CARELESS)})]);
    console.log(JSON.stringify(pids.flat()));`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  const pids = JSON.parse(line.toString()) as [number, number, number, number];
  pids.forEach(endWithTest);
  return { owner, pids };
}

test('ends what a killed owner left: stubborn children, grandchildren, groups without their leader', async () => {
  const { owner, pids } = await startOwner();
  const [stubborn, stubbornGrandchild, careless, orphan] = pids;
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  await expect.poll(() => processStart(careless), { timeout: 5000 }).toBeUndefined();
  const living = [stubborn, stubbornGrandchild, orphan];
  expect(living.map(processStart)).not.toContain(undefined);

  const ended = await endLeftovers(home, QUICK);
  expect(new Set(ended.map((leftover) => leftover.pid))).toEqual(new Set([stubborn, careless]));
  expect(ended[0]?.command).toBe(process.execPath);
  expect(pids.map(processStart)).toEqual([undefined, undefined, undefined, undefined]);
  expect(statSync(file).size).toBe(0);
  expect(await endLeftovers(home, QUICK)).toEqual([]);
}, 20_000);

test('spares a process that only reuses the id of a former child', async () => {
  const pid = startSleeper();
  const start = processStart(pid) ?? '';
  const [ticks, boot] = start.split('@');
  // Earlier and later starts, another boot, no start: none of them matches this process.
  const wrong = [`${Number(ticks) - 1}@${boot}`, `${Number(ticks) + 1}@${boot}`, `${ticks}@other`, '', 'x'];
  for (const other of wrong) {
    writeFileSync(file, `${JSON.stringify({ started: pid, start: other, command: 'x' })}\n`);
    expect(await endLeftovers(home, QUICK), other).toEqual([]);
  }
  expect(processStart(pid)).toBe(start);
});

test('skips damaged and dangerous lines', async () => {
  const pid = startSleeper();
  const ended = startSleeper();
  const journal = openJournal(home);
  journal.started(ended, 'ended');
  journal.ended(ended);
  journal.close();
  const start = processStart(process.pid);
  const dangerous = [0, 1, -1, process.pid].map((started) =>
    JSON.stringify({ started, start, command: 'x' }),
  );
  writeFileSync(file, ['null', '7', '{"started":', '', ...dangerous, '{"started":99'].join('\n'), {
    flag: 'a',
  });
  // Follows a line without an end.
  const next = openJournal(home);
  next.started(pid, 'sleeper');
  next.close();
  next.ended(pid);

  expect(await endLeftovers(home, QUICK)).toEqual([{ pid, command: 'sleeper' }]);
  expect(processStart(pid)).toBeUndefined();
  expect(processStart(ended)).toBeDefined();
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('a missing journal means no leftovers, and the journal is private', async () => {
  expect(await endLeftovers(home)).toEqual([]);
  openJournal(home).close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the journal is compacted, and entries of running children stay', async () => {
  const journal = openJournal(home);
  const many = 5_000;
  for (let run = 0; run < many; run++) {
    journal.started(process.pid, 'x'.repeat(50));
    journal.ended(process.pid);
  }
  expect(statSync(file).size).toBeLessThan(512 * 1024);
  const pid = startSleeper();
  journal.started(pid, 'sleeper');
  for (let run = 0; run < many; run++) {
    journal.started(process.pid, 'x'.repeat(50));
    journal.ended(process.pid);
  }
  journal.close();
  expect(await endLeftovers(home, QUICK)).toEqual([{ pid, command: 'sleeper' }]);
});
