/**
 * Damaged, truncated, deleted and old files of the state folder: the hub starts, reports the damage, and accepts no
 * tool automatically.
 */
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../kit/cli.ts';
import { isDeep } from '../kit/depth.ts';
import { overwritePage, pagesOf } from '../kit/filled-store.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { listText, parseAnswer } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';

const SHIFTING = fileURLToPath(new URL('../servers/shifting.ts', import.meta.url));

let folder: string;
let home: string;
let offered: string;
let token: string;

const file = (name: string): string => join(home, name);

function offer(tools: Record<string, string>): void {
  const list = Object.entries(tools).map(([name, description]) => ({
    name,
    description,
    inputSchema: { type: 'object' },
  }));
  writeFileSync(`${offered}.new`, JSON.stringify({ tools: list }));
  renameSync(`${offered}.new`, offered);
}

const start = (config: object = {}): Promise<TestHub> =>
  startHub({
    home,
    // Starts known servers at once instead of after a delay.
    config: { limits: { knownStartMs: 1 }, ...config },
    servers: { bank: { command: process.execPath, args: [SHIFTING, offered, 'Use it.'] } },
  });

async function listed(hub: TestHub, by = token): Promise<string[]> {
  const { messages } = await hub.connect(by).post(listText());
  const { result } = parseAnswer(messages.at(-1)!);
  return (result!['tools'] as { name: string }[]).map(({ name }) => name).toSorted();
}

/** The stored list is shown until the server is connected. */
const expectListed = (hub: TestHub, names: string[], by = token): Promise<void> =>
  expect.poll(() => listed(hub, by), { timeout: 10_000 }).toEqual(names);

interface Incident {
  file: string;
  part: string;
  message: string;
  hint: string;
}

const incidents = async (hub: TestHub): Promise<Incident[]> =>
  ((await hub.control('GET', 'status')).value as { store: { incidents: Incident[] } }).store.incidents;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-store-'));
  home = join(folder, 'filled');
  offered = join(folder, 'offered.json');
  offer({ pay: 'Pays.', transfer: 'Transfers.' });
  await using hub = await start();
  token = ((await hub.control('POST', 'tokens', { name: 'laptop' })).value as { token: string }).token;
  expect(await eventually(async () => (await listed(hub)).length === 2)).toBe(true);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'));
  cpSync(join(folder, 'filled'), home, { recursive: true });
  offer({ pay: 'Pays.', transfer: 'Transfers.' });
});

const pageOf = (table: string): number =>
  pagesOf(file('state.sqlite')).find((page) => page.table === table)!.page;
const cut = (length: number): void => truncateSync(file('state.sqlite'), length);

describe('a hub that finds state.sqlite', () => {
  it.each([
    [
      'with its pins overwritten by zeroes',
      'pins',
      () => overwritePage(file('state.sqlite'), pageOf('pins'), 'zeroes'),
    ],
    [
      'with its approvals overwritten',
      'approvals',
      () => overwritePage(file('state.sqlite'), pageOf('approvals'), 'random'),
    ],
    [
      'with its sessions of apps overwritten',
      'app_sessions',
      () => overwritePage(file('state.sqlite'), pageOf('app_sessions'), 'random'),
    ],
    ['without its first page', 'schema', () => overwritePage(file('state.sqlite'), 1, 'random')],
    ['cut off in the middle', undefined, () => cut(statSync(file('state.sqlite')).size / 2)],
    ['empty', 'file', () => cut(0)],
    ['deleted', 'file', () => rmSync(file('state.sqlite'))],
  ])('%s starts, names the damaged part, and accepts nothing automatically', async (_how, part, damage) => {
    damage();
    offer({ pay: 'Pays.', transfer: 'Transfers everything to somebody else.' });
    await using hub = await start();
    // The token works, unchanged tools are listed, and changed ones are held.
    await expectListed(hub, ['bank__pay']);
    const found = await incidents(hub);
    if (part !== undefined) expect(found.map((each) => each.part)).toContain(part);
    expect(found[0]?.file).toBe(file('state.sqlite'));
    const inJson = JSON.stringify(found[0]!.message).slice(1, -1);
    expect(hub.stderr()).toContain(inJson);
    if (part !== 'pins') return;
    expect((await runCli(['doctor', '--json'], home)).stdout).toContain(inJson);
    expect((await runCli(['status', '--json'], home)).stdout).toContain(inJson);
    expect((await runCli(['status'], home)).stdout).toContain(found[0]!.message);
  });

  it('deleted together with its replica holds all tools until they are accepted', async () => {
    rmSync(file('state.sqlite'));
    rmSync(file('state.replica.json'));
    await using hub = await start();
    await expectListed(hub, [], hub.token);
    expect((await runCli(['accept'], home)).stdout).toContain('pin may have been lost');
    expect((await runCli(['accept', 'bank', '--yes'], home)).code).toBe(0);
    await expectListed(hub, ['bank__pay', 'bank__transfer'], hub.token);
  });

  it('from an earlier day continues with what came later', async () => {
    copyFileSync(file('state.sqlite'), file('old'));
    offer({ pay: 'Pays.', transfer: 'Transfers.', later: 'Came later.' });
    {
      await using hub = await start();
      expect(await eventually(async () => (await listed(hub)).includes('bank__later'))).toBe(true);
    }
    renameSync(file('old'), file('state.sqlite'));
    offer({ pay: 'Pays.', transfer: 'Transfers.', later: 'Came later, and has changed.' });
    await using hub = await start();
    await expectListed(hub, ['bank__pay', 'bank__transfer']);
    expect((await incidents(hub))[0]?.message).toContain('older');
  });
});

/** One hub for each page. `store/damage.test.ts` tests the store itself with every page. */
it.runIf(isDeep)(
  'each page overwritten in turn, and 20 cuts: a hub starts, and keeps its decisions',
  async () => {
    const CUTS = 20;
    const filler = Array.from({ length: 60 }, (_, index) => [
      `tool-${index}`,
      // Some are longer than a page.
      `Tool ${index}. ${'d'.repeat(index % 7 === 0 ? 6_000 : 200)}`,
    ]);
    const tools = { pay: 'Pays.', ...Object.fromEntries(filler) } as Record<string, string>;
    const original = home;
    offer({ ...tools, transfer: 'Transfers.' });
    {
      await using hub = await start();
      for (let index = 0; index < 40; index += 1)
        await hub.control('POST', 'tokens', { name: `device-${index}` });
      expect(await eventually(async () => (await listed(hub)).length === 62)).toBe(true);
    }
    offer({ ...tools, transfer: 'Transfers everything to somebody else.' });
    const { size } = statSync(file('state.sqlite'));
    const damages = [
      ...pagesOf(file('state.sqlite')).map(({ page, table }) => ({
        what: `page ${page} of ${table}`,
        damage: () => overwritePage(file('state.sqlite'), page, page % 2 === 0 ? 'zeroes' : 'random'),
      })),
      ...Array.from({ length: CUTS }, (_, index) => ({
        what: `${index} of ${CUTS}`,
        damage: () => cut(Math.floor((size * index) / CUTS)),
      })),
    ];
    const unchanged = Object.keys(tools).map((name) => `bank__${name}`);
    for (const { what, damage } of damages) {
      home = mkdtempSync(join(folder, 'home-'));
      cpSync(original, home, { recursive: true });
      damage();
      await using hub = await start();
      await expectListed(hub, unchanged.toSorted());
      expect((await hub.control('GET', 'tokens')).value, what).toHaveLength(41);
      expect(await incidents(hub), what).not.toEqual([]);
    }
  },
  1_200_000,
);

it('damage in the cache of offers affects neither tokens nor pins', async () => {
  for (const { page } of pagesOf(file('cache.sqlite'))) overwritePage(file('cache.sqlite'), page, 'random');
  offer({ pay: 'Pays.', transfer: 'Transfers everything to somebody else.' });
  await using hub = await start();
  await expectListed(hub, ['bank__pay']);
  expect(await incidents(hub)).toMatchObject([{ part: 'catalogs' }]);
});

it.each([
  ['deleted', (path: string) => rmSync(path)],
  ['cut off', (path: string) => truncateSync(path, 4_096)],
])('files %s while the hub runs are written again, and nothing is lost', async (_how, damage) => {
  {
    await using hub = await start();
    await hub.call('bank__pay', {});
    for (const name of ['state.sqlite', 'cache.sqlite', 'calls.sqlite']) damage(file(name));
    const named = async (): Promise<string[]> =>
      [...new Set((await incidents(hub)).map((each) => basename(each.file)))].toSorted();
    await expect.poll(named, { timeout: 10_000 }).toEqual(['cache.sqlite', 'calls.sqlite', 'state.sqlite']);
    await expectListed(hub, ['bank__pay', 'bank__transfer']);
    expect((await runCli(['status'], home)).stdout).toContain('while the hub ran');
  }
  offer({ pay: 'Pays.', transfer: 'Transfers everything to somebody else.' });
  await using hub = await start();
  expect(await incidents(hub)).toEqual([]);
  await expectListed(hub, ['bank__pay']);
});

it('unnoticed damage is found while the hub is idle', async () => {
  await using hub = await start({ store: { checkHours: 0.0003 } });
  await expectListed(hub, ['bank__pay', 'bank__transfer']);
  for (const name of ['state.sqlite', 'calls.sqlite']) {
    const [page] = pagesOf(file(name)).filter(({ table }) => table === 'credentials' || table === 'calls');
    overwritePage(file(name), page!.page, 'random');
  }
  const named = async (): Promise<string[]> =>
    (await incidents(hub))
      .filter(({ message }) => message.includes('by a check'))
      .map((each) => basename(each.file));
  await expect.poll(named, { timeout: 20_000 }).toEqual(['state.sqlite', 'calls.sqlite']);
  expect((await incidents(hub))[0]?.message).toContain('nothing is lost');
});

it('doctor names damaged files while no hub runs', async () => {
  overwritePage(file('state.sqlite'), pageOf('pins'), 'random');
  const damaged = await runCli(['doctor'], home);
  expect(damaged.code).toBe(1);
  expect(damaged.stdout).toContain('state.sqlite is damaged');
  rmSync(file('state.sqlite'));
  expect((await runCli(['doctor', '--json'], home)).stdout).toContain('STORE_DAMAGED');
  rmSync(file('calls.sqlite'));
  expect((await runCli(['doctor'], home)).stdout).toContain('calls.sqlite is gone or empty');
});
