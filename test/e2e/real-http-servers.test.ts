/** Third-party servers on their own ports: the hub connects, lists, calls and disconnects. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAsker, type Place } from '../clients/asker.ts';
import { EVERYTHING } from '../clients/everything.ts';
import { startForeignServer, type ForeignServer } from '../clients/foreign-server.ts';
import { playwright } from '../clients/foreign-servers.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { listsOf } from '../clients/lists.ts';
import { freePort } from '../kit/free-port.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { structuredOf, textOf } from '../kit/messages.ts';
import { descendants, eventually } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { servePage } from '../kit/web-page.ts';
import { verifies } from '../verifies.ts';

const folder = temporaryFolder('real-http');

beforeAll(installClients, INSTALL_MS);
afterAll(() => folder[Symbol.dispose]());

interface Listening extends AsyncDisposable {
  server: ForeignServer;
  origin: string;
}

async function startEverything(mode: string, ready: string): Promise<Listening> {
  const port = await freePort();
  const program = { ...EVERYTHING, args: [...EVERYTHING.args, mode], env: { PORT: String(port) } };
  const server = await startForeignServer(program, { cwd: folder.path, ready });
  return {
    server,
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function startPlaywright(): Promise<Listening> {
  const program = playwright(folder.path, '--host', '127.0.0.1', '--port', '0');
  const server = await startForeignServer(program, { cwd: folder.path, ready: 'Listening on' });
  const port = /Listening on \S+:(\d+)/.exec(server.printed())?.[1];
  return {
    server,
    // It serves only the host name that it prints.
    origin: `http://localhost:${port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The address of a server, for the hub, and for a client that connects to it directly. */
const streamable = (origin: string): { url: string; place: Place } => ({
  url: `${origin}/mcp`,
  place: { url: `${origin}/mcp` },
});
const sse = (origin: string): { url: string; place: Place } => ({
  url: `${origin}/sse`,
  place: { sse: `${origin}/sse` },
});

async function expectSameLists(hub: TestHub, server: string, place: Place): Promise<void> {
  await using direct = await connectAsker(place);
  await using through = await connectAsker({ url: `${hub.url}/${server}`, token: hub.token });
  const own = await listsOf(direct);
  expect(own.tools.length).toBeGreaterThan(10);
  expect(await listsOf(through)).toEqual(own);
}

interface Mode {
  argument: string;
  ready: string;
  way: typeof streamable;
  /** What the server prints when a client disconnects. */
  goodbye: string;
  /** The SDK's client closes an open stream, but ends no session. */
  ofClient: number;
}

describe.each<[transport: string, mode: Mode]>([
  [
    'Streamable HTTP',
    {
      argument: 'streamableHttp',
      ready: 'listening on port',
      way: streamable,
      goodbye: 'session termination request',
      ofClient: 0,
    },
  ],
  [
    'HTTP+SSE',
    { argument: 'sse', ready: 'running on port', way: sse, goodbye: 'Client Disconnected', ofClient: 1 },
  ],
])('server-everything over %s', (_transport, { argument, ready, way, goodbye, ofClient }) => {
  it('lists the same through the hub as directly, answers, and learns that the hub disconnects', async () => {
    verifies('004-15-real-servers');
    await using everything = await startEverything(argument, ready);
    const { url, place } = way(everything.origin);
    await using hub = await startHub({ servers: { everything: { url } } });
    await expectSameLists(hub, 'everything', place);
    const weather = await hub.call('everything__get-structured-content', { location: 'Chicago' });
    expect(structuredOf(weather)).toEqual(JSON.parse(textOf(weather)));
    const goodbyes = (): number => everything.server.printed().split(goodbye).length - 1;
    expect(await eventually(() => goodbyes() === ofClient)).toBe(true);
    await hub.stop();
    expect(await eventually(() => goodbyes() === ofClient + 1)).toBe(true);
  });
});

describe.each([
  ['Streamable HTTP', streamable],
  ['HTTP+SSE', sse],
])('Playwright on its own port, over %s', (_transport, way) => {
  it('reads a page, and closes its browser when the hub disconnects', async () => {
    await using page = await servePage('<title>Quay</title><h1>Ships today</h1>');
    await using browser = await startPlaywright();
    const { url, place } = way(browser.origin);
    await using hub = await startHub({ servers: { browser: { url } } });
    await expectSameLists(hub, 'browser', place);
    await hub.call('browser__browser_navigate', { url: page.url });
    const snapshot = textOf(await hub.call('browser__browser_snapshot'));
    expect(snapshot).toContain('heading "Ships today"');
    expect(descendants(browser.server.pid).length).toBeGreaterThan(0);
    await hub.stop();
    expect(await eventually(() => descendants(browser.server.pid).length === 0)).toBe(true);
  });
});
