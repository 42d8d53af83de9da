import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from '../../../../test/kit/processes.ts';
import type { Child, ChildEvents } from '../core/ports.ts';
import { createNursery, type Nursery } from './nursery.ts';
import { openJournal, type Journal } from './journal.ts';
import { openChildFolders } from './neutral-folder.ts';
import { createSpawn } from './spawn.ts';
import { prepareStateFolder } from './state-folder.ts';

const SLEEPER = 'setInterval(() => undefined, 1000); process.stdout.write("up")';

let home: string;
let journal: Journal;
let nursery: Nursery;

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'pincer-nursery-')), 'home');
  prepareStateFolder(home);
  journal = openJournal(home);
  nursery = createNursery(createSpawn(journal, openChildFolders(home)));
});
afterEach(() => {
  journal.close();
  rmSync(join(home, '..'), { recursive: true, force: true });
});

async function start(code: string): Promise<Child> {
  const up = Promise.withResolvers<void>();
  const events: ChildEvents = {
    onStdout: () => up.resolve(),
    onStderr: () => undefined,
    onDrain: () => undefined,
    onExit: () => up.resolve(),
  };
  const options = { command: process.execPath, args: ['-e', code], cwd: undefined, env: {} };
  const child = nursery.spawn(options, events);
  await up.promise;
  return child;
}

it('ends every child, also one that hangs and that somebody has begun to end', async () => {
  const [plain, stopped] = [await start(SLEEPER), await start(SLEEPER)];
  process.kill(stopped.pid, 'SIGSTOP');
  void stopped.stop();
  await nursery.endAll();
  expect([plain, stopped].map(({ pid }) => isAlive(pid))).toEqual([false, false]);
});

it('waits for nobody who is gone', async () => {
  await start('process.exit(0)');
  await start('process.exit(1)');
  await nursery.endAll();
  await nursery.endAll();
});
