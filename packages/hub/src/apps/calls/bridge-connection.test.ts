import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bridgeBench } from '../../../../../test/kit/bridge-bench.ts';
import { fromByteText, jsonBytes, toByteText } from '../../core/wire/byte-text.ts';
import { readMembers } from '../../core/wire/members.ts';
import { verifies } from '../../../../../test/verifies.ts';

const FEATURES = ['progress', 'cancel', 'chunks', 'tools_changed', 'media'];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets the directory answer. */
const recorded = () => vi.advanceTimersByTimeAsync(0);

describe('call over a bridge', () => {
  it('is sent as a documented frame, and settled by the answer with its id', async () => {
    const { register, open, call } = bridgeBench();
    const session = await register();
    const { socket, answer } = await open(session);
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

  it('gets its own answer, for any order of answers', async () => {
    const { register, open, call } = bridgeBench();
    const session = await register();
    const { socket, answer } = await open(session);
    const calls = [call(session), call(session), call(session)];
    for (const [index, id] of [...socket.requests.entries()].toReversed()) answer(id, { index });
    for (const [index, each] of calls.entries()) {
      const outcome = each.outcome()!;
      expect('result' in outcome && outcome.result).toContain(`{"index":${index}}`);
    }
  });

  it('is settled only by its first answer over its own bridge', async () => {
    const { register, open, call } = bridgeBench();
    const [session, other] = [await register(), await register('b')];
    const mine = await open(session);
    const theirs = await open(other);
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

  it('keeps its arguments to the last digit, and sends an empty object if there are none', async () => {
    const { register, open, call } = bridgeBench();
    const session = await register();
    const { socket } = await open(session);
    const args = '{"n":99999999999999999999,"t":"é\\u00e9"}';
    call(session, { params: readMembers(toByteText(`{"name":"echo","arguments":${args}}`)) });
    call(session, { params: [] });
    expect(socket.texts[0]).toContain(`"arguments":${args}}`);
    expect(socket.texts[1]).toContain('"arguments":{}}');
  });

  it('ends at once if its answer is unreadable, and the app is told why', async () => {
    const { register, open, call } = bridgeBench();
    const session = await register();
    const { socket, say } = await open(session);
    const one = call(session);
    const [request_id] = socket.requests;
    say({ type: 'progress', request_id, progress: 'half' });
    expect(one.outcome()).toBeUndefined();
    say({ type: 'invoke_result', mcpSessionId: session.id, request_id, content: 1 });
    expect(one.ended()).toBe('outcome_unknown SERVER_PROTOCOL');
    expect(socket.frames('error')).toMatchObject([{}, { code: 'frame_member_missing', request_id }]);
  });

  it('is refused above the limit of unanswered calls, until one is answered', async () => {
    const { register, open, call } = bridgeBench({ maxCallsPerAppSession: 2 });
    const session = await register();
    const { socket, answer } = await open(session);
    const calls = [call(session), call(session), call(session)];
    expect(calls.map((each) => each.ended())).toEqual([undefined, undefined, 'not_executed SERVER_BUSY']);
    answer(socket.requests[0]!, 1);
    expect(call(session).ended()).toBeUndefined();
  });

  it('is refused while the app does not read', async () => {
    const { register, open, call } = bridgeBench({ maxUnsentToAppBytes: 10 });
    const session = await register();
    const { socket } = await open(session);
    socket.unsentBytes = 11;
    expect(call(session).ended()).toBe('not_executed SERVER_BUSY');
    socket.unsentBytes = 0;
    expect(call(session).ended()).toBeUndefined();
  });

  it('is reported to apps that support it when it is cancelled', async () => {
    const { register, open, call } = bridgeBench();
    const session = await register();
    const { socket, hello, answer } = await open(session);
    const early = call(session);
    early.running.cancel('enough');
    expect(socket.frames('cancel')).toEqual([]);
    hello(...FEATURES);
    await recorded();
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

  it('times out; progress extends the timeout up to a limit', async () => {
    const { register, open, call } = bridgeBench({ appCallMs: 1_000, maxCallMs: 2_500 });
    const session = await register();
    const { socket, hello, say } = await open(session);
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

describe('app that says hello', () => {
  it('is welcomed with the common features', async () => {
    verifies('003-bridge-extra-frames');
    const { register, open } = bridgeBench();
    const session = await register();
    const { socket, hello } = await open(session);
    hello('cancel', 'telepathy', 'chunks');
    await recorded();
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

  it('gets no frame between hello and welcome, and then all in order', async () => {
    const { register, open } = bridgeBench();
    const { socket, hello, say } = await open(await register());
    hello(...FEATURES);
    say('no frame');
    hello(...FEATURES);
    expect(socket.sent).toEqual([]);
    await recorded();
    expect(socket.sent.map(({ type }) => type)).toEqual(['welcome', 'error', 'welcome']);
  });

  it('may use extended frames only after its hello', async () => {
    verifies('003-bridge-extra-frames');
    const { register, open, directory } = bridgeBench();
    const session = await register();
    const { socket, hello, say } = await open(session);
    const tools = [{ name: 'other' }];
    say({ type: 'tools_changed', tools });
    expect(socket.frames('error')).toMatchObject([{ code: 'frame_before_hello' }]);
    expect((await directory.find(session.id))?.tools[0]?.name).toBe('echo');
    hello(...FEATURES);
    say({ type: 'tools_changed', tools });
    expect((await directory.find(session.id))?.tools[0]?.name).toBe('other');
    say({ type: 'tools_changed', tools: [{ name: 'a b' }] });
    expect(socket.frames('error')).toMatchObject([{}, { code: 'tools_invalid' }]);
    expect((await directory.find(session.id))?.tools[0]?.name).toBe('other');
  });

  it('sends and receives long frames in chunks', async () => {
    const { register, open, call } = bridgeBench({ frameChunkBytes: 300, maxFrameBytes: 400 });
    const session = await register();
    const { socket, hello, say } = await open(session);
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

  it('is known after a restart, so that calls wait for it', async () => {
    const { register, open, store } = bridgeBench();
    const session = await register();
    const { hello, connection } = await open(session);
    expect(store.kept.get(session.id)?.saysHello).toBe(false);
    hello();
    expect(store.kept.get(session.id)?.saysHello).toBe(true);
    expect(connection.lease.epoch).toBe(1);
  });
});
