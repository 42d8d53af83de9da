import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { structuredOf, textOf, type Answer } from '../kit/messages.ts';
import { eventually, isAlive } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { serverStatus, whenInFlight, whenState } from '../kit/status.ts';
import { verifies } from '../verifies.ts';

const CALLERS = 8;
const CRASHING = fileURLToPath(new URL('../servers/crashing.ts', import.meta.url));

const pidOf = async (hub: TestHub, server: string): Promise<number> =>
  structuredOf(await hub.call(`${server}__pid`))['pid'] as number;

const slow = (hub: TestHub, server: string, count: number, ms = 600_000): Promise<Answer>[] =>
  Array.from({ length: count }, () => hub.call(`${server}__slow`, { ms }));

/** Expects that calls work again after the server had time to restart. */
async function expectBack(hub: TestHub, server: string): Promise<void> {
  const isBack = await eventually(
    async () => textOf(await hub.call(`${server}__echo`, { message: 'back' })) === 'back',
  );
  expect(isBack).toBe(true);
}

describe('a child that dies', () => {
  it('by SIGKILL ends its calls at once as outcome_unknown; other servers are not affected', async () => {
    verifies('004-16-stdio');
    await using hub = await startHub({ servers: { one: stdioServer(), two: stdioServer() } });
    const pid = await pidOf(hub, 'one');
    const lost = slow(hub, 'one', CALLERS);
    const kept = slow(hub, 'two', CALLERS, 1_500);
    await whenInFlight(hub, 'one', CALLERS);
    await whenInFlight(hub, 'two', CALLERS);
    process.kill(pid, 'SIGKILL');
    for (const { error } of await Promise.all(lost))
      expect(error).toMatchObject({
        code: -32011,
        message: expect.stringMatching(/SIGKILL.*may have run/) as string,
        data: { code: 'SERVER_GONE', outcome: 'outcome_unknown' },
      });
    expect(textOf(await hub.call('two__echo', { message: 'unaffected' }))).toBe('unaffected');
    for (const answer of await Promise.all(kept)) expect(textOf(answer)).toBe('waited 1500 ms');
    // It restarts without a request.
    await whenState(hub, 'one', 'ready');
    expect(await pidOf(hub, 'one')).not.toBe(pid);
  });

  it('by itself is restarted, and its tools stay listed meanwhile', async () => {
    await using hub = await startHub({ servers: { one: stdioServer() } });
    const { error } = await hub.call('one__exit', { code: 3 });
    expect(error).toMatchObject({ code: -32011, data: { outcome: 'outcome_unknown' } });
    expect(error?.message).toContain('exited with code 3');
    const list = await hub.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(list.body).toContain('one__echo');
    await expectBack(hub, 'one');
  });

  it('ends its grandchildren too', async () => {
    await using hub = await startHub({ servers: { one: stdioServer(), two: stdioServer() } });
    const grandchildren: number[] = [];
    for (const inherit of [false, true]) {
      const { pid } = structuredOf(await hub.call('one__spawn_grandchild', { inherit }));
      grandchildren.push(pid as number);
    }
    expect(grandchildren.every(isAlive)).toBe(true);
    const pid = await pidOf(hub, 'one');
    const lost = slow(hub, 'one', 1);
    await whenInFlight(hub, 'one', 1);
    process.kill(pid, 'SIGKILL');
    expect((await lost[0]!).error?.code).toBe(-32011);
    expect(await eventually(() => !grandchildren.some(isAlive))).toBe(true);
    await expectBack(hub, 'one');
  });

  it('ends with its grandchildren when the hub stops', async () => {
    const hub = await startHub({
      servers: { one: stdioServer({ ignoreSigterm: true, ignoreStdinEnd: true }) },
    });
    const pids = [await pidOf(hub, 'one')];
    const { pid } = structuredOf(await hub.call('one__spawn_grandchild'));
    pids.push(pid as number);
    expect(await hub.stop()).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    await hub[Symbol.asyncDispose]();
  });
});

describe('a child that cannot start', () => {
  it('is reported with its command; other servers are not affected', async () => {
    await using broken = await startHub({
      servers: { gone: { command: '/nowhere/no-such-command' }, two: stdioServer() },
    });
    const status = await serverStatus(broken, 'gone');
    expect(status.state).toBe('failed');
    expect(status.error?.message).toContain('no such command "/nowhere/no-such-command"');
    expect(textOf(await broken.call('two__echo', { message: 'well' }))).toBe('well');
    const { value } = await broken.control('GET', 'tools?server=gone');
    expect(value).toMatchObject({ error: { code: 'SERVER_UNREACHABLE' } });
  });

  it('answers a call of a known tool with not_executed and a clear message', async () => {
    const crashing = { command: process.execPath, args: [CRASHING] };
    await using hub = await startHub({ servers: { one: crashing } });
    const { home } = hub;
    await hub.stop();
    await using broken = await startHub({
      home,
      servers: { one: { ...crashing, env: { CRASH_AT_START: 'crashed on purpose' } } },
    });
    const { error } = await broken.call('one__echo', { message: 'x' });
    expect(error).toMatchObject({
      code: -32010,
      data: { code: 'SERVER_UNREACHABLE', outcome: 'not_executed' },
    });
    expect(error?.message).toMatch(/Server "one" .*not sent/);
    // Its output is only for the person who runs the hub.
    expect(JSON.stringify(error)).not.toContain('crashed on purpose');
    expect((await serverStatus(broken, 'one')).error?.hint).toBe(
      'Its last output on stderr: crashed on purpose',
    );
  });

  it('is restarted less and less often while it keeps failing', async () => {
    await using hub = await startHub({
      servers: {
        loop: { command: process.execPath, args: ['-e', 'console.error("tick"); process.exit(7)'] },
      },
    });
    const ticks = async (): Promise<number> =>
      (await serverStatus(hub, 'loop')).stderr.split('tick').length - 1;
    expect(await eventually(async () => (await ticks()) >= 3)).toBe(true);
    const before = await ticks();
    // After three starts the pause is at least three seconds.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await ticks()) - before).toBeLessThanOrEqual(1);
    expect((await serverStatus(hub, 'loop')).state).toBe('backoff');
  });
});

describe('a suspended child', () => {
  it('runs into the deadline, and works again when resumed', async () => {
    await using hub = await startHub({ servers: { one: stdioServer({}, { requestTimeoutMs: 800 }) } });
    const pid = await pidOf(hub, 'one');
    process.kill(pid, 'SIGSTOP');
    const { error } = await hub.call('one__echo', { message: 'x' });
    expect(error).toMatchObject({ code: -32011, data: { code: 'CALL_TIMEOUT' } });
    process.kill(pid, 'SIGCONT');
    await whenState(hub, 'one', 'ready');
    expect(textOf(await hub.call('one__echo', { message: 'on' }))).toBe('on');
  });

  it('does not outlive the hub', async () => {
    const hub = await startHub({ servers: { one: stdioServer() } });
    const pid = await pidOf(hub, 'one');
    process.kill(pid, 'SIGSTOP');
    await hub.stop();
    expect(isAlive(pid)).toBe(false);
    await hub[Symbol.asyncDispose]();
  });
});
