/** Servers that nobody here wrote, on ports of their own: the hub connects, lists, calls and says goodbye. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAsker, type Place } from '../clients/asker.ts';
import { EVERYTHING } from '../clients/everything.ts';
import { freePort, startForeignServer, type ForeignServer } from '../clients/foreign-server.ts';
import { playwright } from '../clients/foreign-servers.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { listsOf } from '../clients/lists.ts';
import { startHub } from '../kit/hub.ts';
import { structuredOf, textOf } from '../kit/messages.ts';
import { descendants, eventually } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { servePage } from '../kit/web-page.ts';

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
    // It serves the name that it prints and no other.
    origin: `http://localhost:${port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The entry of a hub's configuration, and the same for a client of the SDK. */
interface Way {
  entry: object;
  place: Place;
}

const streamable = (origin: string): Way => ({
  entry: { url: `${origin}/mcp` },
  place: { url: `${origin}/mcp` },
});

describe('server-everything over Streamable HTTP', () => {
  it('lists what it lists by itself, answers, and hears that the session ends', async () => {
    await using everything = await startEverything('streamableHttp', 'listening on port');
    const { entry, place } = streamable(everything.origin);
    await using hub = await startHub({ servers: { everything: entry } });
    {
      await using direct = await connectAsker(place);
      await using through = await connectAsker({ url: `${hub.url}/everything`, token: hub.token });
      const own = await listsOf(direct);
      expect(own.tools).toHaveLength(13);
      expect(await listsOf(through)).toEqual(own);
    }
    const weather = await hub.call('everything__get-structured-content', { location: 'Chicago' });
    expect(structuredOf(weather)).toEqual(JSON.parse(textOf(weather)));
    const ended = (): number => everything.server.printed().split('session termination request').length - 1;
    expect(ended()).toBe(0);
    await hub.stop();
    expect(await eventually(() => ended() === 1)).toBe(true);
  });
});

describe('Playwright over its own port', () => {
  it('reads a page, and closes its browser when the hub goes', async () => {
    await using page = await servePage('<title>Quay</title><h1>Ships today</h1>');
    await using browser = await startPlaywright();
    const { entry, place } = streamable(browser.origin);
    await using hub = await startHub({ servers: { browser: entry } });
    {
      await using direct = await connectAsker(place);
      await using through = await connectAsker({ url: `${hub.url}/browser`, token: hub.token });
      const own = await listsOf(direct);
      expect(own.tools).toHaveLength(25);
      expect(await listsOf(through)).toEqual(own);
    }
    await hub.call('browser__browser_navigate', { url: page.url });
    const snapshot = textOf(await hub.call('browser__browser_snapshot'));
    expect(snapshot).toContain('heading "Ships today"');
    expect(descendants(browser.server.pid).length).toBeGreaterThan(0);
    await hub.stop();
    expect(await eventually(() => descendants(browser.server.pid).length === 0)).toBe(true);
  });
});
