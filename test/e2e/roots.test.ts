/** The official file server, which replaces the folders of its configuration by the roots of its client. */
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
/** How often everybody tries to read everything, at the same time. */
const ROUNDS = 15;

const CONFIGURED = 'configured';
/** Each client's, and some that clients come to have. */
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
    // A connection that had to make room would begin with the configured folder again.
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

/** Whose files a client can read, all of them tried at once. */
async function readable(reader: Reader): Promise<string[]> {
  const texts = await Promise.all(FOLDERS.map((name) => reader.read(file(name))));
  expect(texts.map((text, index) => text ?? FOLDERS[index])).toEqual(FOLDERS);
  return FOLDERS.filter((_, index) => texts[index] !== undefined);
}

/** What everybody can read, tried many times by all at once; each list of folders that occurred. */
async function readMuch(readers: Readers): Promise<Record<string, string[]>> {
  const seen = Object.entries(readers).map(async ([name, reader]) => {
    const lists = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) lists.add((await readable(reader)).join(' '));
    return [name, [...lists]] as [string, string[]];
  });
  return Object.fromEntries(await Promise.all(seen));
}

/** Each reads its folder and no other. */
const own = (folders: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, [folder]]));

async function whenReads(readers: Readers, folders: Record<string, string>): Promise<void> {
  for (const [name, folder] of Object.entries(folders))
    await expect.poll(() => readable(readers[name]!), { timeout: 10_000 }).toEqual([folder]);
}

const OWN = {
  'host-http': 'host-http',
  'host-stdio': 'host-stdio',
  'guest-http': 'guest-http',
  'guest-stdio': 'guest-stdio',
};

it('with "pass" everybody reads the folder that is their root, and nobody that of another', async () => {
  await using hub = await start('pass');
  await using stack = new AsyncDisposableStack();
  const {
    'host-modern': hostModern,
    'guest-modern': guestModern,
    ...readers
  } = await openReaders(hub, stack);
  await whenReads(readers, OWN);
  // A server of the legacy era asks when it is connected to, which is when a modern client may not be there to be asked.
  const modern = { 'host-modern': hostModern!, 'guest-modern': guestModern! };
  const [seen, seenByModern] = await Promise.all([readMuch(readers), readMuch(modern)]);
  expect(seen).toEqual(own(OWN));
  for (const [name, lists] of Object.entries(seenByModern))
    for (const list of lists) expect([CONFIGURED, name, '']).toContain(list);

  // One changes its mind while the others go on, and has neither then nor later what is not its own.
  const { 'host-http': changing, ...others } = readers;
  const { 'host-http': _, ...ownOfOthers } = OWN;
  const [seenByOthers, seenByIt] = await Promise.all([
    readMuch(others),
    readMuch({ it: changing! }),
    changing!.setRoots([folder('host-modern')]),
  ]);
  expect(seenByOthers).toEqual(own(ownOfOthers));
  for (const list of seenByIt['it']!) expect(['host-http', 'host-modern', '']).toContain(list);
  await whenReads(readers, { ...OWN, 'host-http': 'host-modern' });

  // Two callers change places.
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
  await whenReads(readers, swapped);
  expect(await readMuch(readers)).toEqual(own(swapped));
});

it.each(['auto', 'never'])(
  'with "%s" roots alone change nothing: all share one server and its own folder',
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

it('with "auto" roots go along where a client has a connection of its own anyway, and with "never" they do not', async () => {
  for (const roots of ['auto', 'never']) {
    await using hub = await start(roots);
    await using stack = new AsyncDisposableStack();
    const able = { capabilities: { elicitation: {} } };
    const { 'host-modern': _1, 'guest-modern': _2, ...readers } = await openReaders(hub, stack, able);
    const expected =
      roots === 'auto' ? OWN : Object.fromEntries(Object.keys(OWN).map((name) => [name, CONFIGURED]));
    await whenReads(readers, expected);
    expect(await readMuch(readers)).toEqual(own(expected));
  }
});
