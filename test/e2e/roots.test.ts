/** The official file server, which replaces its configured folders by its client's roots. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeGuestHome } from '../kit/guest-home.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { descendants } from '../kit/processes.ts';
import { openReader, type Reader, type ReaderOptions } from '../kit/reader.ts';

const SERVER = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
/** How often all clients try to read all folders, at the same time. */
const ROUNDS = 15;

const CONFIGURED = 'configured';
/** Each client's folder, and some that clients get later. */
const FOLDERS = [
  CONFIGURED,
  'host-http',
  'host-stdio',
  'guest-http',
  'guest-stdio',
  'host-modern',
  'guest-modern',
];

let base: string;
const folder = (name: string): string => join(base, name);
const file = (name: string): string => join(base, name, 'secret.txt');

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-roots-')));
  for (const name of FOLDERS) {
    mkdirSync(folder(name));
    writeFileSync(file(name), name);
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const start = (roots: string): Promise<TestHub> =>
  startHub({
    servers: { files: { command: process.execPath, args: [SERVER, folder(CONFIGURED)], roots } },
    // An evicted connection would start with the configured folder again.
    config: { limits: { maxOwnConnections: 64 } },
  });

type Readers = Record<string, Reader>;

/** Clients of both callers on both wires, each with its own folder as root. */
async function openReaders(
  hub: TestHub,
  stack: AsyncDisposableStack,
  more: Partial<ReaderOptions> = {},
): Promise<Readers> {
  const { value } = await hub.control('POST', 'tokens', { name: 'guest' });
  const { token } = value as { token: string };
  const host = { token: hub.token, home: hub.home };
  const guest = { token, home: makeGuestHome(hub, token) };
  const kinds: Record<string, Omit<ReaderOptions, 'roots'>> = {
    'host-http': { ...host, era: 'legacy', wire: 'http' },
    'host-stdio': { ...host, era: 'legacy', wire: 'stdio' },
    'guest-http': { ...guest, era: 'legacy', wire: 'http' },
    'guest-stdio': { ...guest, era: 'legacy', wire: 'stdio' },
    'host-modern': { ...host, era: 'modern', wire: 'http' },
    'guest-modern': { ...guest, era: 'modern', wire: 'http' },
  };
  const readers: Readers = {};
  for (const [name, kind] of Object.entries(kinds))
    readers[name] = stack.use(await openReader(hub, { ...kind, roots: [folder(name)], ...more }));
  return readers;
}

/** The folders that a client can read, all tried at once. */
async function readable(reader: Reader): Promise<string[]> {
  const texts = await Promise.all(FOLDERS.map((name) => reader.read(file(name))));
  expect(texts.map((text, index) => text ?? FOLDERS[index])).toEqual(FOLDERS);
  return FOLDERS.filter((_, index) => texts[index] !== undefined);
}

/** What each client can read, tried many times by all at once. Returns each distinct list of folders. */
async function readMuch(readers: Readers): Promise<Record<string, string[]>> {
  const seen = Object.entries(readers).map(async ([name, reader]) => {
    const lists = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) lists.add((await readable(reader)).join(' '));
    return [name, [...lists]] as [string, string[]];
  });
  return Object.fromEntries(await Promise.all(seen));
}

/** Each client reads only its own folder. */
const own = (folders: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, [folder]]));

const OWN = Object.fromEntries(FOLDERS.slice(1).map((name) => [name, name]));

it('with "pass" each client reads only its own root, from the first call on', async () => {
  await using hub = await start('pass');
  await using stack = new AsyncDisposableStack();
  const readers = await openReaders(hub, stack);
  expect(await readMuch(readers)).toEqual(own(OWN));

  // One client changes its root while the others continue. It may read the old root until it has announced the
  // change.
  const { 'host-http': changing, ...others } = readers;
  const ownOfOthers = Object.fromEntries(Object.entries(OWN).filter(([name]) => name !== 'host-http'));
  const [seenByOthers, seenByIt] = await Promise.all([
    readMuch(others),
    readMuch({ it: changing! }),
    changing!.setRoots([folder('host-modern')]),
  ]);
  expect(seenByOthers).toEqual(own(ownOfOthers));
  for (const list of seenByIt['it']!) expect(['host-http', 'host-modern', '']).toContain(list);
  expect(await readMuch(readers)).toEqual(own({ ...OWN, 'host-http': 'host-modern' }));

  // Two callers swap their roots.
  await Promise.all([
    readers['host-stdio']!.setRoots([folder('guest-http')]),
    readers['guest-http']!.setRoots([folder('host-stdio')]),
  ]);
  const swapped = {
    ...OWN,
    'host-http': 'host-modern',
    'host-stdio': 'guest-http',
    'guest-http': 'host-stdio',
  };
  expect(await readMuch(readers)).toEqual(own(swapped));
});

it('with "pass" two modern clients of one caller read their own roots in turn', async () => {
  await using hub = await start('pass');
  await using stack = new AsyncDisposableStack();
  const modern = { token: hub.token, home: hub.home, era: 'modern', wire: 'http' } as const;
  const first = stack.use(await openReader(hub, { ...modern, roots: [folder('host-http')] }));
  const second = stack.use(await openReader(hub, { ...modern, roots: [folder('guest-http')] }));
  for (let round = 0; round < 3; round++) {
    expect(await readable(first)).toEqual(['host-http']);
    expect(await readable(second)).toEqual(['guest-http']);
  }
});

it.each(['auto', 'never'])(
  'with "%s" roots change nothing: all share one server and its configured folder',
  async (roots) => {
    await using hub = await start(roots);
    await using stack = new AsyncDisposableStack();
    const readers = await openReaders(hub, stack);
    const all = Object.fromEntries(Object.keys(readers).map((name) => [name, CONFIGURED]));
    expect(await readMuch(readers)).toEqual(own(all));
    await Promise.all(
      [readers['host-http']!, readers['guest-stdio']!].map((reader) =>
        reader.setRoots([folder('host-http')]),
      ),
    );
    expect(await readMuch(readers)).toEqual(own(all));
    for (const reader of Object.values(readers)) expect(reader.asked()).toBe(0);
    expect(descendants(hub.pid)).toHaveLength(1);
  },
);

it('with "auto" roots are passed only to a client\'s own connection, and with "never" not at all', async () => {
  for (const roots of ['auto', 'never']) {
    await using hub = await start(roots);
    await using stack = new AsyncDisposableStack();
    const able = { capabilities: { elicitation: {} } };
    const readers = await openReaders(hub, stack, able);
    const expected =
      roots === 'auto' ? OWN : Object.fromEntries(Object.keys(OWN).map((name) => [name, CONFIGURED]));
    expect(await readMuch(readers)).toEqual(own(expected));
  }
});
