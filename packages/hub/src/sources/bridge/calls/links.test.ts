import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bridgeBench } from '../../../../../../test/kit/bridge-bench.ts';
import { PincerError } from '../../../core/errors.ts';
import { fromByteText, jsonBytes, toByteText } from '../../../core/wire/byte-text.ts';
import { readMembers } from '../../../core/wire/members.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';

const FEATURES = ['progress', 'cancel', 'chunks', 'tools_changed', 'media'];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a call over a bridge', () => {
  it('is sent as the frame that apps know, and answered by the one with its id', () => {
    const { register, open, call } = bridgeBench();
    const session = register();
    const { socket, answer } = open(session);
    const one = call(session);
    expect(socket.sent).toEqual([
      {
        type: 'invoke_tool',
        mcpSessionId: session.id,
        request_id: expect.stringMatching(/^[\da-f]{32}$/) as string,
        tool_name: 'echo',
        arguments: { text: 'hi' },
      },
    ]);
    answer(socket.requests[0]!, { echoed: 'hi' });
    const outcome = one.outcome()!;
    expect(outcome.kind).toBe('ok');
    expect('result' in outcome && fromByteText(outcome.result)).toContain(
      '"structuredContent":{"echoed":"hi"}',
    );
  });

  it('gets its own answer, in whatever order they come', () => {
    const { register, open, call } = bridgeBench();
    const session = register();
    const { socket, answer } = open(session);
    const calls = [call(session), call(session), call(session)];
    for (const [index, id] of [...socket.requests.entries()].toReversed()) answer(id, { index });
    for (const [index, each] of calls.entries()) {
      const outcome = each.outcome()!;
      expect('result' in outcome && outcome.result).toContain(`{"index":${index}}`);
    }
  });

  it('is ended by no answer but the first to it, over its own bridge', () => {
    const { register, open, call } = bridgeBench();
    const [session, other] = [register(), register('b')];
    const mine = open(session);
    const theirs = open(other);
    const one = call(session);
    const [id] = mine.socket.requests;
    theirs.answer(id!, 'stolen');
    mine.answer('made-up', 'x');
    mine.say({ type: 'invoke_result', mcpSessionId: other.id, request_id: id, ok: true, content: 'x' });
    expect(one.outcome()).toBeUndefined();
    expect(mine.socket.frames('error')).toMatchObject([{ code: 'frame_foreign_session' }]);
    mine.answer(id!, 1);
    mine.answer(id!, 2);
    expect(one.ended()).toBe('ok');
  });

  it('has its arguments to the last digit, and none where there are none', () => {
    const { register, open, call } = bridgeBench();
    const session = register();
    const { socket } = open(session);
    const args = '{"n":99999999999999999999,"t":"é\\u00e9"}';
    call(session, { params: readMembers(toByteText(`{"name":"echo","arguments":${args}}`)) });
    call(session, { params: [] });
    expect(socket.texts[0]).toContain(`"arguments":${args}}`);
    expect(socket.texts[1]).toContain('"arguments":{}}');
  });

  it('ends at once where the answer to it cannot be read, and the app is told why', () => {
    const { register, open, call } = bridgeBench();
    const session = register();
    const { socket, say } = open(session);
    const one = call(session);
    const [request_id] = socket.requests;
    say({ type: 'progress', request_id, progress: 'half' });
    expect(one.outcome()).toBeUndefined();
    say({ type: 'invoke_result', mcpSessionId: session.id, request_id, content: 1 });
    expect(one.ended()).toBe('outcome_unknown SERVER_PROTOCOL');
    expect(socket.frames('error')).toMatchObject([{}, { code: 'frame_member_missing', request_id }]);
  });

  it('is refused beyond as many as an app may leave unanswered, and the next one is not', () => {
    const { register, open, call } = bridgeBench({ maxCallsPerAppSession: 2 });
    const session = register();
    const { socket, answer } = open(session);
    const calls = [call(session), call(session), call(session)];
    expect(calls.map((each) => each.ended())).toEqual([undefined, undefined, 'not_executed SERVER_BUSY']);
    answer(socket.requests[0]!, 1);
    expect(call(session).ended()).toBeUndefined();
  });

  it('is refused while the app does not read what it was sent', () => {
    const { register, open, call } = bridgeBench({ maxUnsentToAppBytes: 10 });
    const session = register();
    const { socket } = open(session);
    socket.unsentBytes = 11;
    expect(call(session).ended()).toBe('not_executed SERVER_BUSY');
    socket.unsentBytes = 0;
    expect(call(session).ended()).toBeUndefined();
  });

  it('that is cancelled is told to the app, where it knows what that is', () => {
    const { register, open, call } = bridgeBench();
    const session = register();
    const { socket, hello, answer } = open(session);
    const early = call(session);
    early.running.cancel('enough');
    expect(socket.frames('cancel')).toEqual([]);
    hello(...FEATURES);
    const late = call(session);
    late.running.cancel('enough');
    late.running.cancel('enough');
    const [, id] = socket.requests;
    expect(socket.frames('cancel')).toEqual([
      { type: 'cancel', mcpSessionId: session.id, request_id: id, reason: 'enough' },
    ]);
    answer(id!, 'too late');
    expect([early.ended(), late.ended()]).toEqual(Array(2).fill('outcome_unknown CALL_CANCELLED'));
  });

  it('takes as long as it may and no longer; one that reports may take longer, but not for ever', () => {
    const { register, open, call } = bridgeBench({ appCallMs: 1_000, maxCallMs: 2_500 });
    const session = register();
    const { socket, hello, say } = open(session);
    const silent = call(session);
    vi.advanceTimersByTime(999);
    expect(silent.outcome()).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(silent.ended()).toBe('outcome_unknown CALL_TIMEOUT');
    hello(...FEATURES);
    const busy = call(session);
    const [, request_id] = socket.requests;
    for (const progress of [1, 2, 3]) {
      vi.advanceTimersByTime(900);
      say({ type: 'progress', request_id, progress, total: 3, message: 'wörk' });
    }
    expect(busy.outcome()).toBeUndefined();
    expect(busy.notified[0]).toEqual({
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1, total: 3, message: 'wörk' },
    });
    vi.advanceTimersByTime(900);
    say({ type: 'progress', request_id, progress: 4 });
    vi.advanceTimersByTime(900);
    expect(busy.ended()).toBe('outcome_unknown CALL_TIMEOUT');
  });
});

describe('a bridge that goes', () => {
  it('takes the answers with it that it owes', () => {
    const { register, open, call, links } = bridgeBench();
    const session = register();
    const { link } = open(session);
    const one = call(session);
    links.closed(link);
    links.closed(link);
    expect(one.ended()).toBe('outcome_unknown BRIDGE_LOST');
  });

  it('leaves calls to an app that never says hello without one at once', () => {
    const { register, open, call, links } = bridgeBench();
    const session = register();
    const before = call(session);
    links.closed(open(session).link);
    const after = call(session);
    expect([before.ended(), after.ended()]).toEqual(Array(2).fill('not_executed BRIDGE_NOT_CONNECTED'));
    const outcome = before.outcome()!;
    expect('reason' in outcome && outcome.reason.message).toBe('Bridge is not connected');
  });

  it('is not sent anything once it has said goodbye, though it is still there', () => {
    const { register, open, call } = bridgeBench();
    const session = register();
    const { socket } = open(session);
    const before = call(session);
    socket.isOpen = false;
    expect(call(session).ended()).toBe('not_executed BRIDGE_NOT_CONNECTED');
    expect(before.ended()).toBe('outcome_unknown BRIDGE_LOST');
    expect(socket.requests).toHaveLength(1);
  });

  it('is waited for where its app says hello; what waited is sent once when it is back', () => {
    const { register, open, call, links } = bridgeBench();
    const session = register();
    const first = open(session);
    first.hello(...FEATURES);
    links.closed(first.link);
    const one = call(session);
    vi.advanceTimersByTime(9_999);
    expect(one.outcome()).toBeUndefined();
    const second = open(session);
    expect(second.socket.requests).toHaveLength(1);
    vi.advanceTimersByTime(20_000);
    second.answer(second.socket.requests[0]!, 'done');
    expect(one.ended()).toBe('ok');
    expect(first.socket.requests).toEqual([]);
  });

  it('is not waited for longer than the grace, and what was taken back is not sent', () => {
    const { register, open, call, links } = bridgeBench({ bridgeGraceMs: 500 });
    const session = register();
    const first = open(session);
    first.hello();
    links.closed(first.link);
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
    const second = open(session);
    expect(second.socket.requests).toHaveLength(1);
    expect(other.outcome()).toBeUndefined();
  });

  it('that waited for something which is forbidden meanwhile does not run it', () => {
    const { register, open, call, links } = bridgeBench();
    const session = register();
    const first = open(session);
    first.hello();
    links.closed(first.link);
    const one = call(session, { recheck: () => new PincerError('POLICY_DENIED', 'no more') });
    expect(open(session).socket.requests).toEqual([]);
    expect(one.ended()).toBe('not_executed POLICY_DENIED');
  });

  it('is waited for once more by a call that may run twice, and by no other', () => {
    const { register, open, call, links } = bridgeBench();
    const session = register();
    const first = open(session);
    first.hello();
    const [reads, writes] = [call(session, { isRepeatable: true }), call(session)];
    links.closed(first.link);
    expect([reads.ended(), writes.ended()]).toEqual([undefined, 'outcome_unknown BRIDGE_LOST']);
    const second = open(session);
    expect(second.socket.requests).toHaveLength(1);
    expect(first.socket.requests).not.toContain(second.socket.requests[0]);
    second.hello();
    links.closed(second.link);
    expect(reads.ended()).toBe('outcome_unknown BRIDGE_LOST');
  });

  it('and does not come back leaves what it had been sent unknown', () => {
    const { register, open, call, links } = bridgeBench({ bridgeGraceMs: 500 });
    const session = register();
    const first = open(session);
    first.hello();
    const reads = call(session, { isRepeatable: true });
    links.closed(first.link);
    vi.advanceTimersByTime(500);
    expect(reads.ended()).toBe('outcome_unknown BRIDGE_LOST');
  });

  it('that has been replaced is told so, loses what it owes, and is heard no more', () => {
    const { register, open, call } = bridgeBench();
    const session = register();
    const first = open(session);
    first.hello(...FEATURES);
    const one = call(session);
    const second = open(session);
    expect(first.socket.sent.at(-1)).toMatchObject({ type: 'replaced' });
    expect(first.socket.closedWith).toBe(4409);
    expect(one.ended()).toBe('outcome_unknown BRIDGE_LOST');
    const two = call(session);
    first.answer(second.socket.requests[0]!, 'an old one');
    expect(two.outcome()).toBeUndefined();
    second.answer(second.socket.requests[0]!, 'a new one');
    expect(two.ended()).toBe('ok');
  });

  it('has its last word on tools, though it had said too many before', () => {
    const { register, open, links, book } = bridgeBench();
    const [kept, ended, replaced] = [register(), register(), register()];
    const bridges = [kept, ended, replaced].map((session) => open(session));
    let changes = 0;
    book.onChange(({ kind }) => void (kind === 'tools' && changes++));
    for (const { hello, say } of bridges) {
      hello(...FEATURES);
      for (let at = 0; at < 100; at++) say({ type: 'tools_changed', tools: [{ name: `t${at}` }] });
    }
    expect(changes).toBe(bridges.length * DEFAULT_LIMITS.toolChangesAtOnce);
    const namesOf = ({ tools }: { tools: readonly { name: string }[] }): string[] =>
      tools.map(({ name }) => name);
    const atOnce = `t${DEFAULT_LIMITS.toolChangesAtOnce - 1}`;
    expect(namesOf(kept)).toEqual([atOnce]);
    links.closed(bridges[1]!.link);
    expect(namesOf(ended)).toEqual(['t99']);
    open(replaced);
    vi.advanceTimersByTime(DEFAULT_LIMITS.toolChangesPauseMs);
    expect([kept, replaced].map(namesOf)).toEqual([['t99'], [atOnce]]);
    vi.advanceTimersByTime(DEFAULT_LIMITS.toolChangesPauseMs);
    bridges[0]!.say({ type: 'tools_changed', tools: [{ name: 'again' }] });
    expect(namesOf(kept)).toEqual(['again']);
  });

  it('that has been replaced or shown out changes no tools any more', () => {
    const { register, open, links } = bridgeBench();
    const [session, other] = [register(), register()];
    const first = open(session);
    const revoked = open(other);
    for (const each of [first, revoked]) each.hello(...FEATURES);
    open(session);
    links.closeWhere(({ id }) => id === other.id, 4401, 'revoked');
    for (const each of [first, revoked]) each.say({ type: 'tools_changed', tools: [{ name: 'late' }] });
    for (const { tools } of [session, other]) expect(tools.map(({ name }) => name)).toEqual(['echo']);
  });

  it('cannot be replaced by whoever has another credential, nor come for a session that is not there', () => {
    const { register, open, tryOpen, book } = bridgeBench();
    const session = register();
    const first = open(session, 'mine');
    expect(tryOpen(session, 'theirs')).toMatchObject({ code: 4401 });
    expect(first.socket.closedWith).toBeUndefined();
    book.remove('a', session.id);
    expect(first.socket.closedWith).toBe(4404);
    expect(tryOpen(session, 'mine')).toMatchObject({ code: 4404 });
  });

  it('is closed when it says nothing for too long, and pinged until then', async () => {
    const { register, open, clock, links, book } = bridgeBench({
      bridgePingMs: 100,
      bridgeSilenceMs: 250,
    });
    const [quiet, lively] = [register(), register()];
    const [silent, talking] = [open(quiet), open(lively)];
    for (let round = 1; round <= 3; round++) {
      clock.at += 100;
      await vi.advanceTimersByTimeAsync(100);
      talking.say({ type: 'pong' });
    }
    expect(silent.socket.closedWith).toBe(4408);
    expect(talking.socket.closedWith).toBeUndefined();
    expect(talking.socket.frames('ping')).toHaveLength(3);
    expect(links.size).toBe(1);
    expect(book.find(quiet.id)?.bridge).toBeUndefined();
  });

  it('ends with its session, and so do calls that wait', () => {
    const { register, open, call, links, book } = bridgeBench();
    const session = register();
    const first = open(session);
    first.hello();
    links.closed(first.link);
    const one = call(session);
    book.remove('a', session.id);
    expect(one.ended()).toBe('not_executed SESSION_UNKNOWN');
  });
});

describe('an app that says hello', () => {
  it('is welcomed with what both know', () => {
    const { register, open } = bridgeBench();
    const session = register();
    const { socket, hello } = open(session);
    hello('cancel', 'telepathy', 'chunks');
    expect(socket.sent).toEqual([
      {
        type: 'welcome',
        mcpSessionId: session.id,
        epoch: 1,
        version: 1,
        features: ['cancel', 'chunks'],
        chunk_bytes: 1_048_576,
      },
    ]);
  });

  it('may not do before what it may do after', () => {
    const { register, open, book } = bridgeBench();
    const session = register();
    const { socket, hello, say } = open(session);
    const tools = [{ name: 'other' }];
    say({ type: 'tools_changed', tools });
    expect(socket.frames('error')).toMatchObject([{ code: 'frame_before_hello' }]);
    expect(book.find(session.id)?.tools[0]?.name).toBe('echo');
    hello(...FEATURES);
    say({ type: 'tools_changed', tools });
    expect(book.find(session.id)?.tools[0]?.name).toBe('other');
    say({ type: 'tools_changed', tools: [{ name: 'a b' }] });
    expect(socket.frames('error')).toMatchObject([{}, { code: 'tools_invalid' }]);
    expect(book.find(session.id)?.tools[0]?.name).toBe('other');
  });

  it('gets and sends long frames in chunks', () => {
    const { register, open, call } = bridgeBench({ frameChunkBytes: 300, maxFrameBytes: 400 });
    const session = register();
    const { socket, hello, say } = open(session);
    const long = 'ü'.repeat(400);
    const request = { params: readMembers(jsonBytes({ arguments: { long } })) };
    expect(call(session, request).ended()).toBe('not_executed ARGUMENT_INVALID');
    hello(...FEATURES);
    const one = call(session, request);
    const whole = socket.frames('chunk').map(({ data }) => String(data));
    const { request_id, arguments: args } = JSON.parse(whole.join('')) as Record<string, string>;
    expect(args).toEqual({ long });
    const text = JSON.stringify({
      type: 'invoke_result',
      mcpSessionId: session.id,
      request_id,
      ok: true,
      content: { long },
    });
    for (let index = 0; index * 100 < text.length; index++) {
      const data = text.slice(index * 100, (index + 1) * 100);
      say({ type: 'chunk', id: 'x', index, isLast: (index + 1) * 100 >= text.length, data });
    }
    expect(one.ended()).toBe('ok');
  });

  it('is known again after a restart: calls wait for it', () => {
    const { register, open, store } = bridgeBench();
    const session = register();
    const { hello, link } = open(session);
    expect(store.kept.get(session.id)?.saysHello).toBe(false);
    hello();
    expect(store.kept.get(session.id)?.saysHello).toBe(true);
    expect(link.epoch).toBe(1);
  });
});

describe('what happens', () => {
  it('is told once', () => {
    const { register, open, links, events, clock } = bridgeBench();
    const session = register();
    const { link } = open(session);
    clock.at += 70;
    links.closed(link);
    links.closed(link);
    expect(events).toEqual([
      { method: 'bridge/connect', app: 'a', session: session.id },
      { method: 'bridge/disconnect', app: 'a', session: session.id, durationMs: 70 },
    ]);
  });

  it('on a disk that is full ends the bridge, and not the hub', () => {
    const { register, open, tryOpen, store, failures, links } = bridgeBench();
    const session = register();
    const { hello, socket, link } = open(session);
    store.isBroken = true;
    hello();
    expect(socket.closedWith).toBe(1011);
    expect(tryOpen(session)).toMatchObject({ code: 1011 });
    links.closed(link);
    expect(failures.length).toBeGreaterThan(1);
  });

  it('when the hub stops: apps are told to come back, and calls end', () => {
    const { register, open, call, links } = bridgeBench();
    const [one, two] = [register(), register()];
    const bridge = open(one);
    const sent = call(one);
    const away = open(two);
    away.hello();
    links.closed(away.link);
    const waits = call(two);
    links.stop();
    expect(bridge.socket.closedWith).toBe(1012);
    expect([sent.ended(), waits.ended()]).toEqual([
      'outcome_unknown BRIDGE_LOST',
      'not_executed BRIDGE_NOT_CONNECTED',
    ]);
  });
});
