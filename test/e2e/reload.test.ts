import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { textOf } from '../kit/messages.ts';
import { eventually, isAlive } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { serverStatus, whenInFlight, whenState } from '../kit/status.ts';
import { verifies } from '../verifies.ts';

type Servers = Record<string, object>;

const write = (hub: TestHub, text: string): void => writeFileSync(join(hub.home, 'config.json'), text);
const writeServers = (hub: TestHub, servers: Servers): void => write(hub, JSON.stringify({ servers }));

const serverNames = async (hub: TestHub): Promise<string[]> => {
  const { value } = await hub.control('GET', 'status');
  return (value as { servers: { name: string; state: string }[] }).servers.map(
    ({ name, state }) => `${name} ${state}`,
  );
};

const echo = async (hub: TestHub, server: string): Promise<string> =>
  textOf(await hub.call(`${server}__echo`, { message: 'hi' }));

const pidOf = async (hub: TestHub, server: string): Promise<number> => (await serverStatus(hub, server)).pid!;

/** Calls in a loop until stopped; returns the answers. */
function keepCalling(hub: TestHub, server: string): () => Promise<string[]> {
  const over = new AbortController();
  const answers: string[] = [];
  const lanes = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) answers.push(await echo(hub, server).catch(String));
  });
  return async () => {
    over.abort();
    await Promise.all(lanes);
    return answers;
  };
}

describe('an edit of the configuration', () => {
  it('under load changes only what differs: no call of an untouched server is lost', async () => {
    verifies('004-6.4-config-add', '004-6.4-config-remove', '004-6.4-config-change');
    const kept = stdioServer();
    await using hub = await startHub({
      servers: { kept, edited: stdioServer(), removed: stdioServer(), switched: stdioServer() },
    });
    const before = await pidOf(hub, 'kept');
    const editedPid = await pidOf(hub, 'edited');
    const stop = keepCalling(hub, 'kept');
    const long = hub.call('kept__slow', { ms: 2_000 });
    const onEdited = hub.call('edited__slow', { ms: 1_500 });
    await whenInFlight(hub, 'edited', 1);
    writeServers(hub, {
      kept,
      edited: stdioServer({}, { env: { COLOUR: 'blue' } }),
      switched: stdioServer({}, { enabled: false }),
      added: stdioServer(),
    });
    await expect
      .poll(() => serverNames(hub), { timeout: 20_000 })
      .toEqual(['kept ready', 'edited ready', 'switched disabled', 'added ready']);
    expect(await echo(hub, 'added')).toBe('hi');
    expect(await echo(hub, 'edited')).toBe('hi');
    // A call in flight to an edited server finishes too.
    expect(textOf(await onEdited)).toBe('waited 1500 ms');
    expect(textOf(await long)).toBe('waited 2000 ms');
    const answers = await stop();
    expect(answers.length).toBeGreaterThan(10);
    expect(answers.filter((answer) => answer !== 'hi')).toEqual([]);
    expect(await pidOf(hub, 'kept')).toBe(before);
    expect(await pidOf(hub, 'edited')).not.toBe(editedPid);
    expect(await eventually(() => !isAlive(editedPid))).toBe(true);
    const gone = await hub.call('removed__echo', { message: 'hi' });
    expect(gone.error).toMatchObject({ code: -32602, message: 'Unknown tool: removed__echo' });
  });

  it('that cannot be read changes nothing, is reported, and the report ends when it is fixed', async () => {
    const servers = { one: stdioServer() };
    await using hub = await startHub({ servers });
    const before = await pidOf(hub, 'one');
    const problem = async (): Promise<unknown> =>
      ((await hub.control('GET', 'status')).value as { configProblem?: unknown }).configProblem;
    write(hub, '{ "servers": { "one": { "comand": "x" }');
    await expect.poll(problem, { timeout: 20_000 }).toMatch(/is not JSON5/);
    const reload = await hub.control('POST', 'reload');
    expect(reload).toMatchObject({ status: 422, value: { error: { code: 'CONFIG_INVALID' } } });
    expect(await echo(hub, 'one')).toBe('hi');
    writeServers(hub, servers);
    await expect.poll(problem, { timeout: 20_000 }).toBeUndefined();
    expect(await pidOf(hub, 'one')).toBe(before);
  });

  it('by `pincer add` does not count as another edit', async () => {
    await using hub = await startHub({ servers: { one: stdioServer() } });
    const added = await hub.control('POST', 'servers', { name: 'two', config: stdioServer() });
    expect(added.status).toBe(200);
    const pid = await pidOf(hub, 'two');
    const { value } = await hub.control('POST', 'reload');
    expect(value).toMatchObject({ added: [], removed: [], changed: [], unchanged: ['one', 'two'] });
    expect(readFileSync(join(hub.home, 'config.json'), 'utf8')).toContain('"two"');
    expect(await pidOf(hub, 'two')).toBe(pid);
  });

  it('can be announced by SIGHUP, and a policy applies without reconnecting', async () => {
    const one = stdioServer();
    await using hub = await startHub({ servers: { one } });
    const before = await pidOf(hub, 'one');
    writeServers(hub, { one: { ...one, policy: { echo: 'deny' } } });
    process.kill(hub.pid, 'SIGHUP');
    await expect
      .poll(async () => (await hub.call('one__echo', { message: 'hi' })).error?.data, { timeout: 20_000 })
      .toMatchObject({ code: 'POLICY_DENIED' });
    expect(await pidOf(hub, 'one')).toBe(before);
  });
});

describe('a restarted hub', () => {
  it('lists everything before any server has started, and marks it as known from before', async () => {
    await using first = await startHub({ servers: { one: stdioServer() } });
    await first.stop();
    writeServers(first, { one: { ...stdioServer(), start: 'lazy' } });
    await using hub = await startHub({ home: first.home, ready: false });
    const list = await hub.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(list.body).toContain('one__echo');
    expect(await serverStatus(hub, 'one')).toMatchObject({ state: 'idle', isStale: true });
    expect(await echo(hub, 'one')).toBe('hi');
    await whenState(hub, 'one', 'ready');
    expect(await serverStatus(hub, 'one')).toMatchObject({ isStale: false });
  });
});
