import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bridgeBench } from '../../../../../test/kit/bridge-bench.ts';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';

const FEATURES = ['progress', 'cancel', 'chunks', 'tools_changed', 'media'];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets the directory answer. */
const recorded = () => vi.advanceTimersByTimeAsync(0);

describe('lost bridge', () => {
  it('makes the outcome of its open calls unknown', async () => {
    const { register, open, call, bridges } = bridgeBench();
    const session = await register();
    const { connection } = await open(session);
    const one = call(session);
    bridges.closed(connection);
    bridges.closed(connection);
    expect(one.ended()).toBe('outcome_unknown BRIDGE_LOST');
  });

  it('refuses calls at once if its app never says hello', async () => {
    const { register, open, call, bridges } = bridgeBench();
    const session = await register();
    const before = call(session);
    bridges.closed((await open(session)).connection);
    const after = call(session);
    expect([before.ended(), after.ended()]).toEqual(Array(2).fill('not_executed BRIDGE_NOT_CONNECTED'));
    const outcome = before.outcome()!;
    expect('reason' in outcome && outcome.reason.message).toBe('Bridge is not connected');
  });

  it('gets no more frames once it is closing', async () => {
    const { register, open, call } = bridgeBench();
    const session = await register();
    const { socket } = await open(session);
    const before = call(session);
    socket.isOpen = false;
    expect(call(session).ended()).toBe('not_executed BRIDGE_NOT_CONNECTED');
    expect(before.ended()).toBe('outcome_unknown BRIDGE_LOST');
    expect(socket.requests).toHaveLength(1);
  });

  it('is waited for if its app says hello, and waiting calls are sent once', async () => {
    const { register, open, call, bridges } = bridgeBench();
    const session = await register();
    const first = await open(session);
    first.hello(...FEATURES);
    bridges.closed(first.connection);
    const one = call(session);
    vi.advanceTimersByTime(9_999);
    expect(one.outcome()).toBeUndefined();
    const second = await open(session);
    expect(second.socket.requests).toHaveLength(1);
    vi.advanceTimersByTime(20_000);
    second.answer(second.socket.requests[0]!, 'done');
    expect(one.ended()).toBe('ok');
    expect(first.socket.requests).toEqual([]);
  });

  it('is waited for only during the grace, and cancelled calls are not sent', async () => {
    const { register, open, call, bridges } = bridgeBench({ bridgeGraceMs: 500 });
    const session = await register();
    const first = await open(session);
    first.hello();
    bridges.closed(first.connection);
    const [late, taken, forbidden] = [
      call(session),
      call(session),
      call(session, { recheck: () => new PincerError('POLICY_DENIED', 'no more') }),
    ];
    taken.running.cancel('enough');
    expect(taken.ended()).toBe('not_executed CALL_CANCELLED');
    vi.advanceTimersByTime(499);
    expect(late.outcome()).toBeUndefined();
    const other = call(session);
    vi.advanceTimersByTime(1);
    expect([late.ended(), forbidden.ended()]).toEqual(Array(2).fill('not_executed BRIDGE_NOT_CONNECTED'));
    const second = await open(session);
    expect(second.socket.requests).toHaveLength(1);
    expect(other.outcome()).toBeUndefined();
  });

  it('does not run a waiting call that was forbidden meanwhile', async () => {
    const { register, open, call, bridges } = bridgeBench();
    const session = await register();
    const first = await open(session);
    first.hello();
    bridges.closed(first.connection);
    const one = call(session, { recheck: () => new PincerError('POLICY_DENIED', 'no more') });
    expect((await open(session)).socket.requests).toEqual([]);
    expect(one.ended()).toBe('not_executed POLICY_DENIED');
  });

  it('is waited for once more by a repeatable call, and by no other', async () => {
    const { register, open, call, bridges } = bridgeBench();
    const session = await register();
    const first = await open(session);
    first.hello();
    const [reads, writes] = [call(session, { isRepeatable: true }), call(session)];
    bridges.closed(first.connection);
    expect([reads.ended(), writes.ended()]).toEqual([undefined, 'outcome_unknown BRIDGE_LOST']);
    const second = await open(session);
    expect(second.socket.requests).toHaveLength(1);
    expect(first.socket.requests).not.toContain(second.socket.requests[0]);
    second.hello();
    bridges.closed(second.connection);
    expect(reads.ended()).toBe('outcome_unknown BRIDGE_LOST');
  });

  it('makes the outcome of sent calls unknown if it does not return', async () => {
    const { register, open, call, bridges } = bridgeBench({ bridgeGraceMs: 500 });
    const session = await register();
    const first = await open(session);
    first.hello();
    const reads = call(session, { isRepeatable: true });
    bridges.closed(first.connection);
    vi.advanceTimersByTime(500);
    expect(reads.ended()).toBe('outcome_unknown BRIDGE_LOST');
  });

  it('is notified if it was replaced, loses its calls, and is ignored from then on', async () => {
    const { register, open, call } = bridgeBench();
    const session = await register();
    const first = await open(session);
    first.hello(...FEATURES);
    const one = call(session);
    const second = await open(session);
    expect(first.socket.sent.at(-1)).toMatchObject({ type: 'replaced' });
    expect(first.socket.closedWith).toBe(4409);
    expect(one.ended()).toBe('outcome_unknown BRIDGE_LOST');
    const two = call(session);
    first.answer(second.socket.requests[0]!, 'an old one');
    expect(two.outcome()).toBeUndefined();
    second.answer(second.socket.requests[0]!, 'a new one');
    expect(two.ended()).toBe('ok');
  });

  it('still applies its last tool list if it was throttled', async () => {
    const { register, open, bridges, directory } = bridgeBench();
    const [kept, ended, replaced] = [await register(), await register(), await register()];
    const opened = await Promise.all([kept, ended, replaced].map((session) => open(session)));
    let changes = 0;
    directory.onChange(({ kind }) => void (kind === 'tools' && changes++));
    for (const { hello, say } of opened) {
      hello(...FEATURES);
      for (let at = 0; at < 100; at++) say({ type: 'tools_changed', tools: [{ name: `t${at}` }] });
    }
    expect(changes).toBe(opened.length * DEFAULT_LIMITS.toolChangesAtOnce);
    const namesOf = ({ tools }: { tools: readonly { name: string }[] }): string[] =>
      tools.map(({ name }) => name);
    const atOnce = `t${DEFAULT_LIMITS.toolChangesAtOnce - 1}`;
    expect(namesOf(kept)).toEqual([atOnce]);
    bridges.closed(opened[1]!.connection);
    expect(namesOf(ended)).toEqual(['t99']);
    await open(replaced);
    vi.advanceTimersByTime(DEFAULT_LIMITS.toolChangesPauseMs);
    expect([kept, replaced].map(namesOf)).toEqual([['t99'], [atOnce]]);
    vi.advanceTimersByTime(DEFAULT_LIMITS.toolChangesPauseMs);
    opened[0]!.say({ type: 'tools_changed', tools: [{ name: 'again' }] });
    expect(namesOf(kept)).toEqual(['again']);
  });

  it('cannot change tools after it was replaced or closed', async () => {
    const { register, open, bridges } = bridgeBench();
    const [session, other] = [await register(), await register()];
    const first = await open(session);
    const revoked = await open(other);
    for (const each of [first, revoked]) each.hello(...FEATURES);
    await open(session);
    bridges.closeWhere(({ id }) => id === other.id, 4401, 'revoked');
    for (const each of [first, revoked]) each.say({ type: 'tools_changed', tools: [{ name: 'late' }] });
    for (const { tools } of [session, other]) expect(tools.map(({ name }) => name)).toEqual(['echo']);
  });

  it('is replaced if it connects at the same time as a later one', async () => {
    const { register, open, call, events } = bridgeBench();
    const session = await register();
    const [first, second] = await Promise.all([open(session), open(session)]);
    expect([first.connection.lease.epoch, second.connection.lease.epoch]).toEqual([1, 2]);
    expect([first.socket.closedWith, second.socket.closedWith]).toEqual([4409, undefined]);
    call(session);
    expect([first.socket.requests.length, second.socket.requests.length]).toEqual([0, 1]);
    expect(events.map(({ method }) => method)).toEqual(['bridge/connect', 'bridge/connect']);
  });

  it('is refused if its session ends or the hub stops while it waits for the lease', async () => {
    const { register, tryOpen, directory, bridges } = bridgeBench();
    const [ended, kept] = [await register(), await register()];
    const late = tryOpen(ended);
    await directory.remove('a', ended.id);
    expect(await late).toMatchObject({ code: 4404 });
    const stopped = tryOpen(kept);
    bridges.stop();
    expect(await stopped).toMatchObject({ code: 1012 });
    expect([bridges.size, kept.bridge]).toEqual([0, undefined]);
  });

  it('cannot be replaced with another credential, and needs an existing session', async () => {
    const { register, open, tryOpen, directory } = bridgeBench();
    const session = await register();
    const first = await open(session, 'mine');
    expect(await tryOpen(session, 'theirs')).toMatchObject({ code: 4401 });
    expect(first.socket.closedWith).toBeUndefined();
    await directory.remove('a', session.id);
    expect(first.socket.closedWith).toBe(4404);
    expect(await tryOpen(session, 'mine')).toMatchObject({ code: 4404 });
  });

  it('is pinged, and closed when it is silent for too long', async () => {
    const { register, open, clock, bridges, directory } = bridgeBench({
      bridgePingMs: 100,
      bridgeSilenceMs: 250,
    });
    const [quiet, lively] = [await register(), await register()];
    const [silent, talking] = [await open(quiet), await open(lively)];
    for (let round = 1; round <= 3; round++) {
      clock.at += 100;
      await vi.advanceTimersByTimeAsync(100);
      talking.say({ type: 'pong' });
    }
    expect(silent.socket.closedWith).toBe(4408);
    expect(talking.socket.closedWith).toBeUndefined();
    expect(talking.socket.frames('ping')).toHaveLength(3);
    expect(bridges.size).toBe(1);
    expect((await directory.find(quiet.id))?.bridge).toBeUndefined();
  });

  it('ends with its session, and so do waiting calls', async () => {
    const { register, open, call, bridges, directory } = bridgeBench();
    const session = await register();
    const first = await open(session);
    first.hello();
    bridges.closed(first.connection);
    const one = call(session);
    await directory.remove('a', session.id);
    expect(one.ended()).toBe('not_executed SESSION_UNKNOWN');
  });
});

describe('events', () => {
  it('are reported once', async () => {
    const { register, open, bridges, events, clock } = bridgeBench();
    const session = await register();
    const { connection } = await open(session);
    clock.at += 70;
    bridges.closed(connection);
    bridges.closed(connection);
    expect(events).toEqual([
      { method: 'bridge/connect', app: 'a', session: session.id },
      { method: 'bridge/disconnect', app: 'a', session: session.id, durationMs: 70 },
    ]);
  });

  it('on a full disk end the bridge, not the hub', async () => {
    const { register, open, tryOpen, store, failures, bridges } = bridgeBench();
    const session = await register();
    const { hello, socket, connection } = await open(session);
    store.isBroken = true;
    hello();
    await recorded();
    expect(socket.closedWith).toBe(1011);
    expect(await tryOpen(session)).toMatchObject({ code: 1011 });
    bridges.closed(connection);
    await recorded();
    expect(failures.length).toBeGreaterThan(1);
  });

  it('tell apps to reconnect at shutdown, and end all calls', async () => {
    const { register, open, call, bridges } = bridgeBench();
    const [one, two] = [await register(), await register()];
    const bridge = await open(one);
    const sent = call(one);
    const away = await open(two);
    away.hello();
    bridges.closed(away.connection);
    const waits = call(two);
    bridges.stop();
    expect(bridge.socket.closedWith).toBe(1012);
    expect([sent.ended(), waits.ended()]).toEqual([
      'outcome_unknown BRIDGE_LOST',
      'not_executed BRIDGE_NOT_CONNECTED',
    ]);
  });
});
