/** Harmful servers on stdio: the hub survives, and other requests are not affected. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { listText, parseAnswer, textOf } from '../kit/messages.ts';
import { eventually, residentBytes } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { serverStatus, whenState } from '../kit/status.ts';

const MIB = 1024 * 1024;
/** A generous timeout for a hang, far below the hub's own timeout for a server. */
const HANG_MS = 15_000;
const HOSTILE = fileURLToPath(new URL('../servers/hostile.ts', import.meta.url));

const hostile = (flags: string[] = [], settings: object = {}): object => ({
  command: process.execPath,
  args: [HOSTILE, ...flags],
  ...settings,
});
const other = stdioServer({ tools: ['echo'] });

const expectWell = async (hub: TestHub): Promise<void> =>
  expect(textOf(await hub.call('other__echo', { message: 'well' }))).toBe('well');

async function listed(hub: TestHub): Promise<string[]> {
  await using connection = hub.connect();
  const { result } = parseAnswer((await connection.post(listText())).messages.at(-1)!);
  return (result!['tools'] as { name: string }[]).map(({ name }) => name).sort();
}

/** How often a server was asked for its tools. */
const timesAsked = async (hub: TestHub, server: string): Promise<number> =>
  (await serverStatus(hub, server)).stderr.split('list\n').length - 1;

/** Calls `raw` of the server `bad`, which answers with these members of the envelope. */
const answerOf = (hub: TestHub, members: string) =>
  hub.call('bad__raw', { members }, { signal: AbortSignal.timeout(HANG_MS) });

describe('a list of tools', () => {
  it('that is too large is reported, and the others are listed', async () => {
    await using hub = await startHub({
      servers: { bad: hostile(['--list-bytes', '20000']), other },
      config: { limits: { maxCatalogBytes: 10_000 } },
    });
    expect(await listed(hub)).toEqual(['other__echo']);
    const { error } = await serverStatus(hub, 'bad');
    expect(error).toMatchObject({ code: 'SERVER_PROTOCOL', message: expect.stringContaining('10000 bytes') });
    expect(error?.hint).toContain('limits.maxCatalogBytes');
    await expectWell(hub);
  });

  it('with an endless cursor is not read further', async () => {
    await using hub = await startHub({ servers: { bad: hostile(['--cursor', 'again']), other } });
    expect(await listed(hub)).toEqual(['bad__echo', 'bad__raw', 'other__echo']);
    expect(await timesAsked(hub, 'bad')).toBe(2);
  });

  it('that is slow delays a list and a call', async () => {
    await using hub = await startHub({
      servers: { late: hostile(['--list-delay', '1000']), other },
      ready: false,
    });
    await whenState(hub, 'late', 'ready');
    const [names, answer] = await Promise.all([listed(hub), hub.call('late__echo')]);
    expect(names).toEqual(['late__echo', 'late__raw', 'other__echo']);
    expect(textOf(answer)).toBe('hostile');
  });

  it('that is refused is requested again', async () => {
    await using hub = await startHub({ servers: { late: hostile(['--refuse-lists', '1']), other } });
    expect(await listed(hub)).toEqual(['other__echo']);
    expect((await serverStatus(hub, 'late')).error?.message).toContain('not yet');
    expect(await eventually(async () => (await listed(hub)).includes('late__echo'))).toBe(true);
    expect((await serverStatus(hub, 'late')).error).toBeUndefined();
  });

  it('that changes every time is not requested all the time', async () => {
    await using hub = await startHub({ servers: { bad: hostile(['--restless']), other } });
    const before = await timesAsked(hub, 'bad');
    const start = performance.now();
    await sleep(2_000);
    const asked = (await timesAsked(hub, 'bad')) - before;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(4 + (performance.now() - start) / 250);
    await expectWell(hub);
  });
});

describe('an answer', () => {
  it('with an empty error beside its result counts as a result', async () => {
    await using hub = await startHub({ servers: { bad: hostile() } });
    const { result, error } = await answerOf(hub, '"result":{"content":[],"x":1},"error":null');
    expect(result).toMatchObject({ content: [], x: 1 });
    expect(error).toBeUndefined();
  });

  it('that is invalid ends the call at once', async () => {
    await using hub = await startHub({ servers: { bad: hostile() } });
    for (const members of ['"result":{},"error":{"code":1,"message":"both"}', '"neither":1', '"method":7'])
      expect((await answerOf(hub, members)).error, members).toMatchObject({
        code: -32011,
        data: { outcome: 'outcome_unknown', code: 'SERVER_PROTOCOL' },
      });
    expect(textOf(await hub.call('bad__echo'))).toBe('hostile');
  });

  it.each([
    ['of a million values', `[${'1,'.repeat(1_000_001)}1]`],
    ['that is very deep', `["${'A'.repeat(MIB)}",${'['.repeat(2_000)}${']'.repeat(2_000)}]`],
  ])('%s fails only that call', async (_what, value) => {
    await using hub = await startHub({ servers: { bad: hostile([], { requestTimeoutMs: 500 }), other } });
    const lost = answerOf(hub, `"result":{"content":[],"x":${value}}`);
    await expectWell(hub);
    expect((await lost).error).toMatchObject({ code: -32011, data: { outcome: 'outcome_unknown' } });
    expect(textOf(await hub.call('bad__echo'))).toBe('hostile');
    await expectWell(hub);
  });
});

it.each(['60000', '100'])(
  'a server that sends pings with ids of %s characters and does not read costs little memory',
  async (length) => {
    await using hub = await startHub({
      servers: { bad: hostile(['--ping-flood', length]), other },
      config: { limits: { maxUnsentToServerBytes: MIB } },
    });
    const before = residentBytes(hub.pid);
    const end = performance.now() + 1_000;
    let highest = 0;
    while (performance.now() < end) {
      await expectWell(hub);
      highest = Math.max(highest, residentBytes(hub.pid));
    }
    expect(highest - before).toBeLessThan(150 * MIB);
  },
);

it('a legacy server that ignores unknown methods still answers a modern caller', async () => {
  await using hub = await startHub({ servers: { old: hostile(['--mute']), other } });
  const signal = AbortSignal.timeout(HANG_MS);
  expect(textOf(await hub.call('old__echo', {}, { era: 'modern', signal }))).toBe('hostile');
});

it("a server without a prefix cannot use a name under another server's prefix", async () => {
  const shadow = hostile(['--tool', 'other__echo'], { toolPrefix: '' });
  await using hub = await startHub({ servers: { shadow, other } });
  const names = await listed(hub);
  expect(names.filter((name) => name === 'other__echo')).toHaveLength(1);
  expect(names).toHaveLength(3);
  await expectWell(hub);
});
