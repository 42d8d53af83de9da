import { describe, expect, it, vi } from 'vitest';
import { HandConfig, HandHub, HOME, open, status } from '../../../../test/kit/fake-config.ts';
import { ownEntries, portInEntries } from './entries.ts';

/** Enough other content that our entries may be removed in one write. */
const LARGE = { gateway: { note: 'x'.repeat(4_000) } };

const HOUR_MS = 60 * 60_000;

describe('entries', () => {
  it('are written together, each with a credential and a timeout longer than any call', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    expect(await entries.reconcile(hub, status('a', { name: 'b', prefix: 'bee' }))).toEqual({
      changed: ['a', 'bee'],
      kept: [],
      clashes: [],
    });
    expect(config.writes).toBe(1);
    expect(config.servers['a']).toMatchObject({
      url: 'http://127.0.0.1:8765/mcp/a',
      headers: { Authorization: `Bearer ${hub.tokens.get('openclaw:a')}` },
    });
    expect(config.servers['a']!.requestTimeoutMs).toBeGreaterThan(60_000);
    expect(config.servers['bee']).toMatchObject({
      headers: { Authorization: `Bearer ${hub.tokens.get('openclaw:b')}` },
    });
  });

  it('are not written, and credentials not requested, while nothing changes', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a'));
    const asked = hub.asked.length;
    expect(await entries.reconcile(hub, status({ name: 'a', state: 'backoff', tools: 9 }))).toMatchObject({
      changed: [],
      kept: ['a'],
    });
    expect(config.writes).toBe(1);
    expect(hub.asked).toHaveLength(asked);
  });

  it('have no credential if each person signs in', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a'));
    const perCaller = status({ name: 'a', auth: { kind: 'oauth', isPerCaller: true } });
    expect(await entries.reconcile(hub, perCaller)).toMatchObject({ changed: ['a'] });
    expect(Object.keys(config.servers['a']!.headers)).toEqual(['x-pincer-managed']);
    expect(ownEntries(config.file, HOME)).toMatchObject([{ key: 'a', isPerCaller: true, token: undefined }]);
    expect(await entries.reconcile(hub, perCaller)).toMatchObject({ changed: [], kept: ['a'] });
  });

  it('are not written again before the host has read them', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    config.isSlow = true;
    await entries.reconcile(hub, status('a'));
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ changed: [], kept: ['a'] });
    expect(config.writes).toBe(1);
  });

  it('follow added and removed servers before the host has read the file', async () => {
    const [config, hub] = [new HandConfig(LARGE), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a'));
    config.isSlow = true;
    const written: string[][] = [];
    for (const servers of [['a', 'b'], ['a'], ['b'], ['a']]) {
      await entries.reconcile(hub, status(...servers));
      written.push(Object.keys(config.servers));
    }
    expect(written).toEqual([['a', 'b'], ['a'], ['b'], ['a']]);
    await entries.reconcile(hub, status('a'));
    expect(config.writes).toBe(5);
  });

  it('are removed with their servers, and their credentials a day later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const [config, hub] = [new HandConfig({ mcp: { servers: { mine: {} } } }), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a', 'b', 'c'));
    const next = status('a', { name: 'b', state: 'disabled' });
    expect(await entries.reconcile(hub, next)).toMatchObject({ changed: ['b', 'c'] });
    expect(Object.keys(config.servers)).toEqual(['mine', 'a']);
    hub.tokens.set('laptop', 'x').set('openclaw:c:telegram:7', 'y');
    await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
    expect([...hub.tokens.keys()]).toContain('openclaw:b');
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect([...hub.tokens.keys()]).toEqual(['openclaw:a', 'laptop', 'openclaw:c:telegram:7']);
    vi.useRealTimers();
  });

  it('keep their credentials for a day if they are removed right before a sweep', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a', 'b'));
    await vi.advanceTimersByTimeAsync(30 * HOUR_MS - 1);
    await entries.reconcile(hub, status('a'));
    await vi.advanceTimersByTimeAsync(23 * HOUR_MS);
    expect([...hub.tokens.keys()]).toContain('openclaw:b');
    vi.useRealTimers();
  });

  it('are not touched after a stop, and neither are credentials', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const [config, hub] = [new HandConfig(), new HandHub()];
    const [{ entries: before }, { entries: after }] = [open(config), open(config)];
    await before.reconcile(hub, status('a'));
    const late = before.reconcile(hub, status('late'));
    before.stop();
    expect(await late).toMatchObject({ changed: [] });
    await after.reconcile(hub, status('a', 'b'));
    await vi.advanceTimersByTimeAsync(23 * HOUR_MS);
    const { tokens } = hub;
    await after.reconcile(hub, status('a', 'b', 'c'));
    await vi.advanceTimersByTimeAsync(48 * HOUR_MS);
    expect([...tokens.keys()]).toEqual(['openclaw:a', 'openclaw:b', 'openclaw:c']);
    expect(Object.keys(config.servers)).toEqual(['a', 'b', 'c']);
    vi.useRealTimers();
  });

  it('keep their credentials across a restart of gateway and hub', async () => {
    const [config, hub] = [new HandConfig(), new HandHub(1)];
    await open(config).entries.reconcile(hub, status('a'));
    const again = new HandHub(2);
    again.tokens.set('openclaw:a', hub.tokens.get('openclaw:a')!);
    expect(await open(config).entries.reconcile(again, status('a'))).toMatchObject({ changed: [] });
    expect(config.writes).toBe(1);
  });

  it('get new credentials from a hub that does not know theirs, even while the gateway runs', async () => {
    const config = new HandConfig();
    const { entries } = open(config);
    await entries.reconcile(new HandHub(1), status('a'));
    const other = new HandHub(2);
    expect(await entries.reconcile(other, status('a'))).toMatchObject({ changed: ['a'] });
    expect(config.servers['a']!.headers['Authorization']).toBe(`Bearer ${other.tokens.get('openclaw:a')}`);
  });

  it('get new credentials if the hub has another port, because another process may have the old ones', async () => {
    const [config, hub] = [new HandConfig(), new HandHub(1, 8765)];
    await open(config).entries.reconcile(hub, status('a'));
    const before = hub.tokens.get('openclaw:a')!;
    const moved = new HandHub(2, 8799);
    moved.tokens.set('openclaw:a', before);
    expect(await open(config).entries.reconcile(moved, status('a'))).toMatchObject({ changed: ['a'] });
    expect(moved.tokens.get('openclaw:a')).not.toBe(before);
    expect(config.servers['a']).toMatchObject({
      url: 'http://127.0.0.1:8799/mcp/a',
      headers: { Authorization: `Bearer ${moved.tokens.get('openclaw:a')}` },
    });
  });

  it('follow the newest status, one write at a time', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    await Promise.all([status('a'), status('b'), status('c')].map((each) => entries.reconcile(hub, each)));
    expect(Object.keys(config.servers)).toEqual(['c']);
    expect(config.writes).toBe(1);
    await entries.reconcile(hub, status('d'));
    expect(Object.keys(config.servers)).toEqual(['d']);
  });

  it('are written the next time if the host refused', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    config.failure = new Error('The file is read-only.');
    await expect(entries.reconcile(hub, status('a'))).rejects.toThrow('read-only');
    config.failure = undefined;
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ changed: ['a'] });
  });

  it('exist once if another process writes at the same time', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    config.isSlow = true;
    config.lateFailure = Object.assign(new Error('Config was written, but …'), {
      name: 'ConfigWritePostCommitError',
    });
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ kept: ['a'] });
    expect(config.writes).toBe(1);
  });

  it('do not exist for servers that were never reached or are disconnected', async () => {
    const [config, hub] = [new HandConfig(LARGE), new HandHub()];
    const { entries } = open(config);
    const unheard = { name: 'a', tools: 0, isStale: false };
    for (const state of ['connecting', 'backoff', 'failed', 'needs-sign-in']) {
      await entries.reconcile(hub, status({ ...unheard, state }));
      expect(config.servers, state).toEqual({});
    }
    // An idle server needs a request to start.
    await entries.reconcile(hub, status({ ...unheard, state: 'idle' }));
    await entries.reconcile(hub, status({ ...unheard, state: 'connecting' }));
    expect(Object.keys(config.servers)).toEqual(['a']);
    await entries.reconcile(hub, status({ ...unheard, state: 'backoff' }));
    expect(config.servers).toEqual({});
    await entries.reconcile(hub, status({ ...unheard, state: 'backoff', isStale: true }));
    expect(Object.keys(config.servers)).toEqual(['a']);
    await entries.reconcile(hub, status({ name: 'a', state: 'stopped', tools: 2 }));
    expect(config.servers).toEqual({});
  });

  it('follow edits of mcp.servers by a person', async () => {
    const [config, hub] = [new HandConfig({ ...LARGE, mcp: { servers: {} } }), new HandHub()];
    const { entries } = open(config);
    expect(entries.recheck()).toBeUndefined();
    await entries.reconcile(hub, status('a'));
    const ours = config.servers['a'];
    const edit = (servers: object): void =>
      void (config.inForce = config.file = { ...LARGE, mcp: { servers } });

    edit({});
    expect(await entries.recheck()).toMatchObject({ changed: ['a'] });
    expect(config.servers).toEqual({ a: ours });

    edit({
      a: {
        ...ours,
        url: 'http://127.0.0.1:1/mcp/a',
        headers: { ...ours!.headers, Authorization: 'x' },
        cwd: '/x',
      },
    });
    await entries.recheck();
    expect(config.servers).toEqual({ a: { ...ours, cwd: '/x' } });

    edit({ a: { command: 'mine' } });
    expect(await entries.recheck()).toMatchObject({ changed: ['a-pincer'] });
    expect(entries.clashes()).toEqual([{ server: 'a', taken: 'a', key: 'a-pincer' }]);

    edit({ 'a-pincer': config.servers['a-pincer'] });
    await entries.recheck();
    expect(config.servers).toEqual({ a: ours });
    expect(entries.clashes()).toEqual([]);
  });

  it('get another credential after `forget`, if theirs was revoked', async () => {
    const [config, hub] = [new HandConfig(LARGE), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a'));
    const before = config.servers['a'];
    hub.tokens.clear();
    await entries.recheck();
    expect(config.servers['a']).toEqual(before);
    entries.forget();
    expect(await entries.recheck()).toMatchObject({ changed: ['a'] });
    expect(config.servers['a']!.headers['Authorization']).toBe(`Bearer ${hub.tokens.get('openclaw:a')}`);
    entries.forget();
    expect(await entries.recheck()).toMatchObject({ changed: [], kept: ['a'] });
  });

  it('warn once about another key because of an entry of a person', async () => {
    const [config, hub] = [new HandConfig({ mcp: { servers: { a: {} } } }), new HandHub()];
    const { entries, warnings } = open(config);
    const clashes = [{ server: 'a', taken: 'a', key: 'a-pincer' }];
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ clashes });
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ clashes });
    expect(warnings).toEqual([expect.stringContaining('a-pincer__<tool>')]);
  });
});

describe('entries of the last run', () => {
  it('tell which tools belong to which server, and the port of the hub', async () => {
    const config = new HandConfig();
    expect(portInEntries(config.file, HOME)).toBeUndefined();
    await open(config).entries.reconcile(new HandHub(1, 8799), status({ name: 'b', prefix: 'bee' }));
    expect(ownEntries(config.file, HOME)).toMatchObject([{ key: 'bee', server: 'b' }]);
    expect(portInEntries(config.file, HOME)).toBe(8799);
  });
});
