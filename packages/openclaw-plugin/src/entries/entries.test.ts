import { describe, expect, it, vi } from 'vitest';
import { HandConfig, HandHub, HOME, open, status } from '../../../../test/kit/hand-entries.ts';
import { ownEntries, portInEntries } from './entries.ts';

/** So much besides our entries that they may go in one write. */
const LARGE = { gateway: { note: 'x'.repeat(4_000) } };

const HOUR_MS = 60 * 60_000;

describe('the entries', () => {
  it('are written at once, with a credential each and a deadline that is longer than any call', async () => {
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

  it('are not written again, nor credentials asked for, as long as nothing changes', async () => {
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

  it('have no credential where everybody signs in for themselves', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    await entries.reconcile(hub, status('a'));
    const perCaller = status({ name: 'a', auth: { kind: 'oauth', isPerCaller: true } });
    expect(await entries.reconcile(hub, perCaller)).toMatchObject({ changed: ['a'] });
    expect(Object.keys(config.servers['a']!.headers)).toEqual(['x-pincer-managed']);
    expect(ownEntries(config.file, HOME)).toMatchObject([{ key: 'a', isPerCaller: true, token: undefined }]);
    expect(await entries.reconcile(hub, perCaller)).toMatchObject({ changed: [], kept: ['a'] });
  });

  it('are not written again while the host has not read them yet', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    config.isSlow = true;
    await entries.reconcile(hub, status('a'));
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ changed: [], kept: ['a'] });
    expect(config.writes).toBe(1);
  });

  it('follow servers that come and go while the host has not read what was written', async () => {
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

  it('go with their servers, and their credentials a day later, since conversations end sessions by them', async () => {
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

  it('that go right before a sweep keep their credentials for a day', async () => {
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

  it('are left alone, and so are the credentials, by one that was stopped', async () => {
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

  it('keep their credentials over a new start of gateway and hub', async () => {
    const [config, hub] = [new HandConfig(), new HandHub(1)];
    await open(config).entries.reconcile(hub, status('a'));
    const again = new HandHub(2);
    again.tokens.set('openclaw:a', hub.tokens.get('openclaw:a')!);
    expect(await open(config).entries.reconcile(again, status('a'))).toMatchObject({ changed: [] });
    expect(config.writes).toBe(1);
  });

  it('get new credentials from a hub that does not know theirs, also while the gateway runs', async () => {
    const config = new HandConfig();
    const { entries } = open(config);
    await entries.reconcile(new HandHub(1), status('a'));
    const other = new HandHub(2);
    expect(await entries.reconcile(other, status('a'))).toMatchObject({ changed: ['a'] });
    expect(config.servers['a']!.headers['Authorization']).toBe(`Bearer ${other.tokens.get('openclaw:a')}`);
  });

  it('get new credentials where the hub is at another port: somebody else may have heard the old ones', async () => {
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

  it('follow the newest status, one write after the other', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    await Promise.all([status('a'), status('b'), status('c')].map((each) => entries.reconcile(hub, each)));
    expect(Object.keys(config.servers)).toEqual(['c']);
    expect(config.writes).toBe(1);
    await entries.reconcile(hub, status('d'));
    expect(Object.keys(config.servers)).toEqual(['d']);
  });

  it('are written the next time where the host has refused', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    config.failure = new Error('The file is read-only.');
    await expect(entries.reconcile(hub, status('a'))).rejects.toThrow('read-only');
    config.failure = undefined;
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ changed: ['a'] });
  });

  it('are there once where somebody else writes at the same time', async () => {
    const [config, hub] = [new HandConfig(), new HandHub()];
    const { entries } = open(config);
    config.isSlow = true;
    config.lateFailure = Object.assign(new Error('Config was written, but …'), {
      name: 'ConfigWritePostCommitError',
    });
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ kept: ['a'] });
    expect(config.writes).toBe(1);
  });

  it('are not there for a server that was never heard, nor for one that a person has disconnected', async () => {
    const [config, hub] = [new HandConfig(LARGE), new HandHub()];
    const { entries } = open(config);
    const unheard = { name: 'a', tools: 0, isStale: false };
    for (const state of ['connecting', 'backoff', 'failed', 'needs-sign-in']) {
      await entries.reconcile(hub, status({ ...unheard, state }));
      expect(config.servers, state).toEqual({});
    }
    // One that is started when it is asked needs somebody who asks.
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

  it('follow what a person edits in mcp.servers', async () => {
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

  it('get another credential where somebody has revoked theirs, once they are told to forget', async () => {
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

  it("say once which of them had to make way for somebody else's", async () => {
    const [config, hub] = [new HandConfig({ mcp: { servers: { a: {} } } }), new HandHub()];
    const { entries, warnings } = open(config);
    const clashes = [{ server: 'a', taken: 'a', key: 'a-pincer' }];
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ clashes });
    expect(await entries.reconcile(hub, status('a'))).toMatchObject({ clashes });
    expect(warnings).toEqual([expect.stringContaining('a-pincer__<tool>')]);
  });
});

describe('what is known of the last run', () => {
  it('is which tools belong to which server, and the port of the hub', async () => {
    const config = new HandConfig();
    expect(portInEntries(config.file, HOME)).toBeUndefined();
    await open(config).entries.reconcile(new HandHub(1, 8799), status({ name: 'b', prefix: 'bee' }));
    expect(ownEntries(config.file, HOME)).toMatchObject([{ key: 'bee', server: 'b' }]);
    expect(portInEntries(config.file, HOME)).toBe(8799);
  });
});
