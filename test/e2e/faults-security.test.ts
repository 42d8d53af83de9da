/** Each row of "Security Considerations" in seed 004, section 14, except sign-in. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFaultProxy } from '../kit/fault-proxy.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { textOf } from '../kit/messages.ts';
import { openFaultyServer, type FaultyServer } from '../kit/faulty-server.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { serverStatus, whenState } from '../kit/status.ts';
import { verifies } from '../verifies.ts';

const NOT_EXECUTED = { code: -32010, data: { outcome: 'not_executed' } };

let faulty: FaultyServer;
let other: FaultyServer;

beforeEach(async () => {
  faulty = await openFaultyServer();
  other = await openFaultyServer();
});
afterEach(async () => {
  await faulty[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const bearersOf = ({ seen }: FaultyServer): string[] => [
  ...new Set(seen.map(({ headers }) => headers.authorization ?? '')),
];

describe('1. HTTPS only for remote servers (localhost exempt for dev)', () => {
  it.each(['http://example.com/mcp', 'http://127.example.com/mcp', 'ws://127.0.0.1/mcp'])(
    '%s is refused before anything is sent',
    async (url) => {
      await using hub = await startHub({ servers: { web: { url } }, ready: false });
      await whenState(hub, 'web', 'failed');
      const { value } = await hub.control('GET', 'status');
      expect(JSON.stringify(value)).toContain('servers.web.url');
    },
  );

  it('and a redirect to another origin is reported, and not followed', async () => {
    verifies('004-5.5-https');
    await using hub = await startHub({ servers: { web: httpServer(faulty.url, { apiKey: 'key-1' }) } });
    for (const status of [301, 302, 303, 307, 308]) {
      faulty.refusals['tools/call'] = [{ status, headers: { location: `${other.url}?code=secret` } }];
      const { error } = await hub.call('web__write');
      expect(error!.message).toContain(`redirects to ${new URL(other.url).origin} (HTTP ${status})`);
      expect(error!.message).not.toContain('secret');
    }
    expect(other.seen).toEqual([]);
    expect(textOf(await hub.call('web__write'))).toBe('run 1');
  });

  it('and neither is one at the first contact', async () => {
    faulty.refusal = { status: 308, headers: { location: other.url } };
    await using hub = await startHub({ servers: { web: httpServer(faulty.url) } });
    await whenState(hub, 'web', 'failed');
    const { error } = await serverStatus(hub, 'web');
    expect(error).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      hint: 'Put the right address into servers.web.url.',
    });
    expect(other.seen).toEqual([]);
  });
});

describe('2. Token isolation', () => {
  it('tokens for server A are never sent to server B, not even after a redirect', async () => {
    verifies('004-14-token-isolation');
    await using hub = await startHub({
      servers: {
        a: httpServer(faulty.url, { apiKey: 'key-of-a' }),
        b: httpServer(other.url, { headers: { Authorization: 'Bearer key-of-b' } }),
      },
    });
    faulty.refusals['tools/call'] = [{ status: 307, headers: { location: other.url } }];
    await Promise.all(['a__write', 'b__write', 'a__read', 'b__read'].map((tool) => hub.call(tool)));
    expect(faulty.seen.length).toBeGreaterThan(3);
    expect(bearersOf(faulty)).toEqual(['Bearer key-of-a']);
    expect(bearersOf(other)).toEqual(['Bearer key-of-b']);
    expect(JSON.stringify(other.seen)).not.toContain('key-of-a');
  });
});

describe('3. No token passthrough', () => {
  it("the caller's token reaches no server", async () => {
    verifies('004-5.5-no-passthrough');
    await using hub = await startHub({ servers: { web: httpServer(faulty.url) } });
    for (const era of ['legacy', 'modern'] as const) await hub.call('web__write', {}, { era });
    expect(faulty.runs).toBe(2);
    expect(JSON.stringify(faulty.seen)).not.toContain(hub.token);
    expect(bearersOf(faulty)).toEqual(['']);
  });
});

describe('6. Origin validation', () => {
  it('no request carries an Origin that a caller supplied', async () => {
    verifies('004-14-origin-header');
    await using hub = await startHub({ servers: { web: httpServer(faulty.url) } });
    const answer = await hub.call('web__write', {}, { headers: { origin: hub.origin } });
    expect(textOf(answer)).toBe('run 1');
    expect(faulty.seen.filter(({ headers }) => headers.origin !== undefined)).toEqual([]);
  });
});

describe('9. Config secrets', () => {
  it('come from the environment, and are shown nowhere', async () => {
    verifies('004-14-env-substitution', '004-14-secret-not-shown');
    const secret = 'sk-0123456789-very-secret';
    await using hub = await startHub({
      servers: {
        web: httpServer(`${faulty.url}?token=$SECRET`, { apiKey: '${SECRET}' }),
        down: httpServer('http://127.0.0.1:9/mcp', { apiKey: '$SECRET' }),
        pipe: stdioServer({ tools: ['env'] }, { env: { KEY: '$SECRET' } }),
      },
      config: { debug: true },
      env: { SECRET: secret },
    });
    await hub.call('web__write');
    expect(bearersOf(faulty)).toEqual([`Bearer ${secret}`]);
    faulty.refusal = { status: 401 };
    const shown = [await hub.call('web__write'), await hub.call('down__x')].map((each) =>
      JSON.stringify(each),
    );
    shown.push(JSON.stringify((await hub.control('GET', 'status')).value), hub.stderr());
    for (const each of shown) expect(each).not.toContain(secret);
  });
});

describe('10. Rate limiting', () => {
  const again = (status: number, after?: string) => ({
    status,
    headers: after === undefined ? {} : { 'retry-after': after },
  });
  const gapsOf = (seen: readonly { at: number }[]): number[] =>
    seen.slice(1).map(({ at }, index) => at - seen[index]!.at);

  it('respect server rate limits, given in seconds, as a date, or not at all; implement client-side backoff', async () => {
    verifies('004-14-rate-limit');
    await using hub = await startHub({ servers: { web: httpServer(faulty.url) } });
    const expectWaited = async (after: string | undefined, atLeastMs: number): Promise<void> => {
      const before = faulty.asked('tools/call').length;
      faulty.refusals['tools/call'] = [again(429, after)];
      const answers = await Promise.all([hub.call('web__write'), hub.call('web__write')]);
      for (const answer of answers) expect(textOf(answer)).toMatch(/^run \d$/);
      const gaps = gapsOf(faulty.asked('tools/call').slice(before));
      expect(Math.max(...gaps)).toBeGreaterThanOrEqual(atLeastMs);
    };
    await expectWaited('1', 990);
    await expectWaited(new Date(Date.now() + 2_000).toUTCString(), 900);
    await expectWaited(undefined, 740);
    expect(faulty.runs).toBe(6);
  });

  it('a long Retry-After is obeyed, and callers learn how long to wait', async () => {
    await using proxy = await openFaultProxy(faulty.url);
    await using hub = await startHub({ servers: { web: httpServer(proxy.url) } });
    faulty.refusals['tools/call'] = [again(503, '45')];
    const carriedBy = async (call: () => ReturnType<TestHub['call']>): Promise<number> => {
      const before = faulty.asked('tools/call').length;
      const { error } = await call();
      expect(error).toMatchObject(NOT_EXECUTED);
      expect(error!.data!['hint']).toMatch(/in 4[345] seconds/);
      return faulty.asked('tools/call').length - before;
    };
    expect(await carriedBy(() => hub.call('web__write'))).toBe(1);
    expect(await carriedBy(() => hub.call('web__read'))).toBe(0);
    proxy.resetAll();
    expect(await carriedBy(() => hub.call('web__read', {}, { era: 'modern' }))).toBe(0);
    expect(faulty.runs).toBe(0);
  });
});
