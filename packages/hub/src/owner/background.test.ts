import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findHub } from './hub-file.ts';
import { ensureHub } from './background.ts';
import { processStart } from './process-identity.ts';
import { runFolder } from './state-folder.ts';

let home = '';
let entry = '';
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-background-'));
  home = join(folder, 'home');
  entry = join(folder, 'entry.mjs');
});
afterEach(() => {
  const hub = findHub(home);
  if (hub !== undefined) process.kill(hub.pid, 'SIGKILL');
  rmSync(join(home, '..'), { recursive: true, force: true });
});

const moduleUrl = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);

/** The relevant part of a hub: takes the lease or exits, needs a moment, writes its file. */
const writeEntry = (onLease = ''): void =>
  writeFileSync(
    entry,
    `
    import { appendFileSync } from 'node:fs';
    import { takeLease } from ${moduleUrl('lease.ts')};
    import { describeThisHub, writeHubFile } from ${moduleUrl('hub-file.ts')};
    const home = process.env.PINCER_HOME;
    appendFileSync(home + '/starts', process.argv.slice(2).join(' ') + '\\n');
    if (takeLease(home) === undefined) { console.error('another hub runs'); process.exit(1); }
    ${onLease}
    setTimeout(() => {
      const endpoints = { mcp: 'm', control: 'c', health: 'h' };
      writeHubFile(home, describeThisHub({ version: '0', mode: 'background', endpoints }));
    }, 300);
    setTimeout(() => process.exit(), 20_000);`,
  );

const starts = (): string[] => readFileSync(join(home, 'starts'), 'utf8').trim().split('\n');

test('two concurrent starts end with the same hub, and a third one finds it', async () => {
  writeEntry();
  const options = { home, launch: { entry } };
  const [first, second] = await Promise.all([ensureHub(options), ensureHub(options)]);
  expect(first).toEqual(second);
  expect(processStart(first.pid)).toBe(first.processStart);
  // The late one may not have noticed yet.
  await expect.poll(starts).toEqual(['up --background', 'up --background']);
  expect(await ensureHub({ home, launch: { entry: 'not-needed' } })).toEqual(first);
  expect(statSync(join(runFolder(home), 'hub.log')).mode & 0o777).toBe(0o600);
}, 20_000);

test('reports a hub that fails to start at once, with the end of its log', async () => {
  writeFileSync(entry, `console.error('line one'); console.error('config.json: bad'); process.exit(2);`);
  const before = performance.now();
  await expect(ensureHub({ home, launch: { entry } })).rejects.toMatchObject({
    code: 'HUB_UNREACHABLE',
    message: 'The hub started in the background exited with code 2.',
    hint: expect.stringContaining('line one\nconfig.json: bad'),
  });
  expect(performance.now() - before).toBeLessThan(10_000);
}, 20_000);

test('starts a hub again that dies once during its start', async () => {
  writeEntry(`import { existsSync, writeFileSync } from 'node:fs';
    if (!existsSync(home + '/tried')) { writeFileSync(home + '/tried', ''); process.kill(process.pid, 'SIGKILL'); }`);
  const hub = await ensureHub({ home, launch: { entry } });
  expect(processStart(hub.pid)).toBe(hub.processStart);
  expect(starts()).toHaveLength(2);
}, 20_000);

test('reports a hub that does not come up within the wait', async () => {
  writeFileSync(
    entry,
    `import { writeFileSync } from 'node:fs';
    writeFileSync(process.env.PINCER_HOME + '/pid', String(process.pid));
    setTimeout(() => {}, 20_000);`,
  );
  await expect(ensureHub({ home, launch: { entry }, waitMs: 800 })).rejects.toMatchObject({
    code: 'HUB_UNREACHABLE',
    message: 'The hub did not come up in the background within 800 ms.',
    hint: expect.stringContaining('hub.log is empty'),
  });
  process.kill(Number(readFileSync(join(home, 'pid'), 'utf8')), 'SIGKILL');
}, 20_000);
