import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../../../test/kit/processes.ts';
import type { Child, ChildEvents, SpawnOptions } from '../core/ports.ts';
import { SPAWN_LIMITS } from './end-processes.ts';
import { type Journal, openJournal } from './journal.ts';
import { type ChildFolders, neutralFolder, openChildFolders } from './neutral-folder.ts';
import { processStart } from './process-identity.ts';
import { type Children, createSpawn, trackChildren } from './spawn.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';

let home = '';
let journal: Journal;
let folders: ChildFolders;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-spawn-'));
  prepareStateFolder(home);
  journal = openJournal(home);
  folders = openChildFolders(home);
});
afterEach(() => {
  journal.close();
  rmSync(home, { recursive: true, force: true });
});

const QUICK = { ...SPAWN_LIMITS, stdinEndMs: 200, termMs: 400, lastOutputMs: 100 };

/** Starts a child and records its events. */
function start(options: Partial<SpawnOptions>, over: Journal = journal, limits = QUICK) {
  const exit = Promise.withResolvers<string>();
  const events = { stdout: '', stderr: '', drains: 0, exits: 0, exit: exit.promise };
  const handlers = {
    onStdout: (chunk: string): void => void (events.stdout += chunk),
    onStderr: (chunk: string): void => void (events.stderr += chunk),
    onDrain: (): void => void (events.drains += 1),
    onExit: (reason: string): void => {
      events.exits += 1;
      exit.resolve(reason);
    },
  };
  const defaults = { command: process.execPath, args: [], cwd: undefined, env: {} };
  const child: Child = createSpawn(over, folders, limits)({ ...defaults, ...options }, handlers);
  onTestFinished(() => child.stop());
  return { child, events };
}

const run = (code: string, env: Record<string, string> = {}) => start({ args: ['-e', code], env });

const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { timeout: 5000 }).toBe(true);

const journalLines = (): unknown[] =>
  readFileSync(join(runFolder(home), 'children.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

test('passes bytes both ways unchanged and in order, with exactly the given environment', async () => {
  const { child, events } = run(
    `process.stdout.write(JSON.stringify(Object.keys(process.env)) + '\\n'); process.stdin.pipe(process.stdout);`,
    { ONLY: '1' },
  );
  const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));
  for (let index = 0; index < 100; index += 1) expect(child.write(bytes)).toBe(true);
  expect(child.unsent).toBe(25_600);
  // On a busy machine a start takes longer than a stop waits.
  await until(() => events.stdout !== '');
  await child.stop();
  expect(events.stdout).toBe(`["ONLY"]\n${bytes.repeat(100)}`);
  expect(await events.exit).toBe('exited with code 0');
  expect([events.exits, child.write('late'), child.unsent]).toEqual([1, false, 0]);
});

test('reports an exit once, with its code, after all output', async () => {
  const { events } = run(
    `require('fs').writeSync(2, 'why'); require('fs').writeSync(1, 'x'.repeat(60000) + 'END'); process.exit(3);`,
  );
  expect(await events.exit).toBe('exited with code 3');
  expect([events.stdout.length, events.stdout.slice(-3), events.stderr]).toEqual([60_003, 'END', 'why']);
});

test('reports the exit to a paused receiver after the rest of the output', async () => {
  const { child, events } = run(`require('fs').writeSync(1, 'x'.repeat(60000)); process.exit(0);`);
  child.pause();
  await until(() => processStart(child.pid) === undefined);
  await new Promise((resolve) => setTimeout(resolve, QUICK.lastOutputMs + 200));
  expect([events.stdout, events.exits]).toEqual(['', 0]);
  child.resume();
  expect([events.stdout.length, events.exits]).toEqual([60_000, 1]);
});

test('a pause holds back output until the resume', async () => {
  const { child, events } = run(`process.stdin.pipe(process.stdout);`);
  child.write('a');
  await until(() => events.stdout === 'a');
  child.pause();
  child.write('b');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(events.stdout).toBe('a');
  child.resume();
  await until(() => events.stdout === 'ab');
});

test('names the signal', async () => {
  const { child, events } = run(`process.stdin.resume();`);
  process.kill(child.pid, 'SIGKILL');
  expect(await events.exit).toBe('was ended by SIGKILL');
});

test('reports once why a child could not be started, without a pid', async () => {
  const file = join(home, 'plain');
  writeFileSync(file, 'text', { mode: 0o600 });
  const cases: [Partial<SpawnOptions>, string][] = [
    [{ command: 'no-such-command-here' }, 'could not be started: no such command "no-such-command-here"'],
    [{ cwd: join(home, 'gone') }, `could not be started: no such folder "${join(home, 'gone')}"`],
    [{ command: file }, 'could not be started: permission denied'],
    [{ args: ['x'.repeat(3_000_000)] }, 'could not be started: its arguments and environment are too long'],
    [{ args: ['secret\0'] }, 'could not be started: ERR_INVALID_ARG_VALUE'],
  ];
  for (const [options, reason] of cases) {
    const { child, events } = start(options);
    expect([child.pid, events.exits, child.write('x')]).toEqual([0, 0, false]);
    await child.stop();
    expect([await events.exit, events.exits]).toEqual([reason, 1]);
  }
  expect(journalLines()).toEqual([]);
});

test('a child that does not read: write returns false, unsent grows, and a drain follows when it reads', async () => {
  const { child, events } =
    run(`process.on('SIGUSR2', () => process.stdin.resume()); setInterval(() => {}, 1000);
    console.log('ready');`);
  await until(() => events.stdout !== '');
  const block = 'x'.repeat(50_000);
  while (child.write(block)) await new Promise((resolve) => setImmediate(resolve));
  const before = child.unsent;
  expect(child.write(block)).toBe(false);
  expect(child.unsent).toBe(before + 50_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(events.drains).toBe(0);
  expect(child.unsent).toBeGreaterThan(50_000);
  process.kill(child.pid, 'SIGUSR2');
  await until(() => events.drains === 1 && child.unsent === 0);
  expect(child.write('x')).toBe(true);
});

test('a large write is followed by a drain even if the child reads it at once', async () => {
  const { child, events } = run(`process.stdin.resume();`);
  expect(child.write('x'.repeat(200_000))).toBe(false);
  await until(() => events.drains === 1);
});

test('ends a child that closes its input or output, because it cannot serve any more', async () => {
  const deaf = run(`require('fs').closeSync(0); console.log('closed'); setInterval(() => {}, 1000);`);
  await until(() => deaf.events.stdout !== '');
  deaf.child.write('lost');
  expect(await deaf.events.exit).toBe('was ended by SIGTERM');
  const mute = run(`process.stdout.end(); require('fs').closeSync(1); setInterval(() => {}, 1000);`);
  expect(await mute.events.exit).toBe('was ended by SIGTERM');
});

const STUBBORN = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
const grandchild = (stdout: string): string => `
  const grandchild = require('node:child_process').spawn(
    process.execPath, ['-e', ${JSON.stringify(STUBBORN)} + "require('fs').writeSync(2, process.pid + '')"],
    { stdio: ['ignore', '${stdout}', 'inherit'] });`;

test('stop ends a stubborn child with its stubborn grandchild and updates the journal', async () => {
  const { child, events } = run(STUBBORN + grandchild('ignore'));
  await until(() => events.stderr !== '');
  expect(journalLines()).toMatchObject([{ started: child.pid, command: process.execPath }]);
  await Promise.all([child.stop(), child.stop()]);
  expect(await events.exit).toBe('was ended by SIGKILL');
  expect([child.pid, Number(events.stderr)].map(processStart)).toEqual([undefined, undefined]);
  expect(journalLines()).toMatchObject([{ started: child.pid }, { ended: child.pid }]);
});

test('a grandchild that holds the output open delays the exit only briefly and is ended', async () => {
  const code = `${grandchild('inherit')} process.stdin.on('data', () => { console.log('bye'); process.exit(7); });`;
  // On a busy machine the exit is reported late. The grandchild must run until then.
  const { child, events } = start({ args: ['-e', code] }, journal, { ...QUICK, termMs: 2_000 });
  await until(() => events.stderr !== '');
  const pid = Number(events.stderr);
  child.write('go');
  expect(await events.exit).toBe('exited with code 7');
  expect(events.stdout).toBe('bye\n');
  expect(processStart(pid)).toBeDefined();
  await until(() => processStart(pid) === undefined);
  await until(() => journalLines().length === 2);
});

test('does not run a child that cannot be written into the journal', async () => {
  const broken = {
    ...journal,
    started: () => {
      throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
    },
  };
  const { child, events } = start({ args: ['-e', `setInterval(() => {}, 1000)`] }, broken);
  expect(await events.exit).toBe('could not be started: the journal of children cannot be written (ENOSPC)');
  expect(processStart(child.pid)).toBeUndefined();
});

test('without a folder, a child runs in its own empty folder, which is removed with it', async () => {
  const { events } = run(`console.log(process.cwd(), require('fs').readdirSync('.').length)`);
  await events.exit;
  const [folder = '', count] = events.stdout.trim().split(' ');
  expect(folder.startsWith(realpathSync(neutralFolder(home)))).toBe(true);
  expect(count).toBe('0');
  await until(() => !existsSync(folder));
});

test.each([
  [{ cwd: 'sub' }, 'its folder "sub" is not an absolute path'],
  [{ command: './server.js' }, '"./server.js" is a relative path, and no "cwd" is configured'],
  [{ command: 'bin/server' }, '"bin/server" is a relative path'],
])(
  'refuses a relative path, %o, because it would depend on where the hub was started',
  async (options, reason) => {
    const { child, events } = start(options);
    expect(child.pid).toBe(0);
    expect(await events.exit).toContain(`could not be started: ${reason}`);
  },
);

test('resolves a relative command against the configured folder', async () => {
  writeFileSync(join(home, 'tool.sh'), '#!/bin/sh\npwd\n', { mode: 0o755 });
  const { events } = start({ command: './tool.sh', cwd: home });
  await events.exit;
  expect(events.stdout.trim()).toBe(realpathSync(home));
});

describe('tracked children', () => {
  const SLEEPER = 'setInterval(() => undefined, 1000); process.stdout.write("up")';

  let children: Children;

  beforeEach(() => {
    children = trackChildren(createSpawn(journal, folders));
  });

  async function startTracked(code: string): Promise<Child> {
    const up = Promise.withResolvers<void>();
    const events: ChildEvents = {
      onStdout: () => up.resolve(),
      onStderr: () => undefined,
      onDrain: () => undefined,
      onExit: () => up.resolve(),
    };
    const options = { command: process.execPath, args: ['-e', code], cwd: undefined, env: {} };
    const child = children.spawn(options, events);
    await up.promise;
    return child;
  }

  test('ends every child, including one that hangs while it is being ended', async () => {
    const [plain, stopped] = [await startTracked(SLEEPER), await startTracked(SLEEPER)];
    process.kill(stopped.pid, 'SIGSTOP');
    void stopped.stop();
    await children.endAll();
    expect([plain, stopped].map(({ pid }) => isAlive(pid))).toEqual([false, false]);
  });

  test('does not wait for ended children', async () => {
    await startTracked('process.exit(0)');
    await startTracked('process.exit(1)');
    await children.endAll();
    await children.endAll();
  });
});
