import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bridgeBench } from '../../../../../test/kit/bridge-bench.ts';
import { STRANGER } from '../../core/client.ts';
import type { Session } from '../directory/session-directory.ts';
import { createAppOffers } from './app-offers.ts';
import { createPreparedTools } from './prepared-tools.ts';
import { createSessionCatalog, createSessionNotices } from './session-catalog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const caller = { id: 'c', name: 'c', scopes: {} };
const TOOLS: ReadonlySet<'tools'> = new Set(['tools']);

const toolsChanged = (...names: string[]): object => ({
  type: 'tools_changed',
  tools: names.map((name) => ({ name })),
});

describe('offer of an app', () => {
  function offered() {
    const bench = bridgeBench();
    const published: [string, string[]][] = [];
    createAppOffers({
      directory: bench.directory,
      limits: { bridgeGraceMs: 1_000, maxToolsPerApp: 3, maxCatalogBytes: 1_000 },
      names: () => ['a'],
      onFailed: (error) => bench.failures.push(error),
      publish: (app, { tools }) => published.push([app, tools.map(({ name }) => name)]),
    });
    return { ...bench, published };
  }

  it('has the tools of its connected sessions, published once for simultaneous changes', async () => {
    const { register, open, published } = offered();
    const [one, two] = [await register('a', 'x', 'y'), await register('a', 'y', 'z')];
    await register('a', 'never_connected');
    await open(one);
    await open(two);
    await vi.advanceTimersByTimeAsync(50);
    expect(published).toEqual([['a', ['y', 'z', 'x']]]);
  });

  it('is limited like the offer of a server', async () => {
    const { register, open, published } = offered();
    await open(await register('a', 'v', 'w', 'x', 'y'));
    await vi.advanceTimersByTimeAsync(50);
    expect(published).toEqual([['a', ['v', 'w', 'x']]]);
  });

  it('stays while the app reloads, and ends if it does not return', async () => {
    const { register, open, bridges, published } = offered();
    const session = await register('a', 'x');
    bridges.closed((await open(session)).connection);
    await vi.advanceTimersByTimeAsync(999);
    expect(published.at(-1)).toEqual(['a', ['x']]);
    const again = await open(session);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(published.at(-1)).toEqual(['a', ['x']]);
    bridges.closed(again.connection);
    await vi.advanceTimersByTimeAsync(1_050);
    expect(published.at(-1)).toEqual(['a', []]);
  });

  it('is that of the session that would be called', async () => {
    const { register, open, bridges, published } = offered();
    const [one, two] = [await register('a', 'x', 'y'), await register('a', 'z')];
    await open(one);
    const { connection } = await open(two);
    await vi.advanceTimersByTimeAsync(50);
    expect(published.at(-1)).toEqual(['a', ['z', 'x', 'y']]);
    bridges.closed(connection);
    await vi.advanceTimersByTimeAsync(50);
    expect(published.at(-1)).toEqual(['a', ['x', 'y', 'z']]);
  });

  it('ends at once with the session', async () => {
    const { register, open, directory, published } = offered();
    const session = await register('a', 'x');
    await open(session);
    await directory.remove('a', session.id);
    await vi.advanceTimersByTimeAsync(50);
    expect(published.at(-1)).toEqual(['a', []]);
  });

  it('is empty after a restart if the app does not return in time', async () => {
    const { published } = offered();
    await vi.advanceTimersByTimeAsync(999);
    expect(published).toEqual([]);
    await vi.advanceTimersByTimeAsync(51);
    expect(published).toEqual([['a', []]]);
  });

  it('has nothing of anonymous apps', async () => {
    const { register, open, published } = offered();
    await open(await register('anonymous', 'x'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(published).toEqual([['a', []]]);
  });
});

describe('listener of a session', () => {
  it('is notified of changed tools of its own session only', async () => {
    const { register, open, directory } = bridgeBench();
    const notices = createSessionNotices(directory);
    const [one, two] = [await register('a'), await register('a')];
    const received: string[] = [];
    const listen = (session: Session): (() => void) =>
      notices.add({ ...STRANGER, notify: (method) => received.push(`${session.id} ${method}`) }, TOOLS, {
        caller,
        view: session,
      });
    const stop = listen(one);
    listen(two);
    const bridge = await open(one);
    bridge.hello('tools_changed');
    bridge.say(toolsChanged('p'));
    bridge.say(toolsChanged('q'));
    await vi.advanceTimersByTimeAsync(20);
    expect(received).toEqual([`${one.id} notifications/tools/list_changed`]);
    stop();
    bridge.say(toolsChanged('r'));
    await vi.advanceTimersByTimeAsync(20);
    expect(received).toHaveLength(1);
  });
});

describe('catalog of sessions', () => {
  it('shows each session its own cleaned tools, and nothing after its end', async () => {
    const { register, open, directory } = bridgeBench();
    const catalog = createSessionCatalog(directory, createPreparedTools(100));
    const session = await register('a', 'x');
    expect(catalog.list(session)).toMatchObject([{ server: 'a', name: 'x', exposed: 'x' }]);
    expect(catalog.resolve(session, 'y')).toBeUndefined();
    expect(catalog.list(undefined)).toEqual([]);
    const { connection } = await open(session);
    await directory.replaceTools(connection.lease, [
      { ...session.tools[0]!, description: `hidden\u{E0041}${'x'.repeat(200)}` },
    ]);
    const { raw } = catalog.resolve(session, 'x')!.definition;
    expect(raw).not.toContain('\u00f3\u00a0\u0081\u0081');
    expect(raw.length).toBeLessThan(200);
    await directory.remove('a', session.id);
    expect(catalog.list(session)).toEqual([]);
  });
});
