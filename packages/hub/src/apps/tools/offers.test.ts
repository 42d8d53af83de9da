import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bridgeBench } from '../../../../../../test/kit/bridge-bench.ts';
import { STRANGER } from '../../../core/client.ts';
import { createAppOffers } from './app-offers.ts';
import { createPreparedTools } from './prepared-tools.ts';
import { createSessionCatalog } from './session-catalog.ts';
import { createSessionNotices } from './session-notices.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const caller = { id: 'c', name: 'c', scopes: {} };
const TOOLS: ReadonlySet<'tools'> = new Set(['tools']);

const toolsChanged = (...names: string[]): object => ({
  type: 'tools_changed',
  tools: names.map((name) => ({ name })),
});

describe('what an app offers as a whole', () => {
  function offered() {
    const bench = bridgeBench();
    const published: [string, string[]][] = [];
    createAppOffers({
      book: bench.book,
      limits: { bridgeGraceMs: 1_000, maxToolsPerApp: 3, maxCatalogBytes: 1_000 },
      names: () => ['a'],
      publish: (app, { tools }) => published.push([app, tools.map(({ name }) => name)]),
    });
    return { ...bench, published };
  }

  it('is what its connected sessions offer, told once for what happens at once', () => {
    const { register, open, published } = offered();
    const [one, two] = [register('a', 'x', 'y'), register('a', 'y', 'z')];
    register('a', 'never_connected');
    open(one);
    open(two);
    vi.advanceTimersByTime(50);
    expect(published).toEqual([['a', ['y', 'z', 'x']]]);
  });

  it('is no more than a server may offer', () => {
    const { register, open, published } = offered();
    open(register('a', 'v', 'w', 'x', 'y'));
    vi.advanceTimersByTime(50);
    expect(published).toEqual([['a', ['v', 'w', 'x']]]);
  });

  it('stays while an app is reloaded, and goes when it does not come back', () => {
    const { register, open, links, published } = offered();
    const session = register('a', 'x');
    links.closed(open(session).link);
    vi.advanceTimersByTime(999);
    expect(published.at(-1)).toEqual(['a', ['x']]);
    const again = open(session);
    vi.advanceTimersByTime(5_000);
    expect(published.at(-1)).toEqual(['a', ['x']]);
    links.closed(again.link);
    vi.advanceTimersByTime(1_050);
    expect(published.at(-1)).toEqual(['a', []]);
  });

  it('is of the session that would be called, also while another may be back soon', () => {
    const { register, open, links, published } = offered();
    const [one, two] = [register('a', 'x', 'y'), register('a', 'z')];
    open(one);
    const { link } = open(two);
    vi.advanceTimersByTime(50);
    expect(published.at(-1)).toEqual(['a', ['z', 'x', 'y']]);
    links.closed(link);
    vi.advanceTimersByTime(50);
    expect(published.at(-1)).toEqual(['a', ['x', 'y', 'z']]);
  });

  it('goes at once with the session', () => {
    const { register, open, book, published } = offered();
    const session = register('a', 'x');
    open(session);
    book.remove('a', session.id);
    vi.advanceTimersByTime(50);
    expect(published.at(-1)).toEqual(['a', []]);
  });

  it('is nothing after a restart if the app does not come back in time', () => {
    const { published } = offered();
    vi.advanceTimersByTime(999);
    expect(published).toEqual([]);
    vi.advanceTimersByTime(51);
    expect(published).toEqual([['a', []]]);
  });

  it('is nothing of those who need no token', () => {
    const { register, open, published } = offered();
    open(register('anonymous', 'x'));
    vi.advanceTimersByTime(5_000);
    expect(published).toEqual([['a', []]]);
  });
});

describe('who listens to a session', () => {
  it('hears that its tools have changed, and of no other', () => {
    const { register, open, book } = bridgeBench();
    const notices = createSessionNotices(book);
    const [one, two] = [register('a'), register('a')];
    const heard: string[] = [];
    const listen = (session: string): (() => void) =>
      notices.add({ ...STRANGER, notify: (method) => heard.push(`${session} ${method}`) }, TOOLS, {
        caller,
        view: session,
      });
    const stop = listen(one.id);
    listen(two.id);
    const bridge = open(one);
    bridge.hello('tools_changed');
    bridge.say(toolsChanged('p'));
    bridge.say(toolsChanged('q'));
    vi.advanceTimersByTime(20);
    expect(heard).toEqual([`${one.id} notifications/tools/list_changed`]);
    stop();
    bridge.say(toolsChanged('r'));
    vi.advanceTimersByTime(20);
    expect(heard).toHaveLength(1);
  });
});

describe('the catalog of sessions', () => {
  it('shows each its own, cleaned, and nothing of one that has gone', () => {
    const { register, book } = bridgeBench();
    const catalog = createSessionCatalog(book, createPreparedTools(100));
    const session = register('a', 'x');
    expect(catalog.list(session.id)).toMatchObject([{ server: 'a', name: 'x', exposed: 'x' }]);
    expect(catalog.resolve(session.id, 'y')).toBeUndefined();
    expect(catalog.list(undefined)).toEqual([]);
    book.replaceTools(session.id, [
      { ...session.tools[0]!, description: `hidden\u{E0041}${'x'.repeat(200)}` },
    ]);
    const { raw } = catalog.resolve(session.id, 'x')!.definition;
    expect(raw).not.toContain('\u00f3\u00a0\u0081\u0081');
    expect(raw.length).toBeLessThan(200);
    book.remove('a', session.id);
    expect(catalog.list(session.id)).toEqual([]);
    expect(catalog.has(session.id)).toBe(false);
  });
});
