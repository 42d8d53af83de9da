import { describe, expect, it } from 'vitest';
import type { Call } from '../../core/call/calls.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted } from '../../core/outcome.ts';
import type { CallerExchange } from '../../core/request.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { findMember } from '../../core/wire/members.ts';
import { createInvoke } from './invoke.ts';
import type { Invocation, InvocationProgress } from './parts.ts';

interface Started {
  readonly call: Call;
  readonly exchange: CallerExchange;
  readonly cancelled: string[];
}

/** The hub's calls, answered by the test. */
function hub(onStart: (started: Started) => void) {
  const all: Started[] = [];
  const calls = {
    start(call: Call, exchange: CallerExchange) {
      const started: Started = { call, exchange, cancelled: [] };
      all.push(started);
      onStart(started);
      return { cancel: (reason: string) => void started.cancelled.push(reason) };
    },
  };
  return {
    all,
    invoke: createInvoke({ calls, isPublished: (server, tool) => `${server}.${tool}` === 'far.echo' }),
  };
}

const invocation = (command: string, params: object, more: Partial<Invocation> = {}): Invocation => ({
  command,
  paramsJSON: JSON.stringify(params),
  session: undefined,
  timeoutMs: 5_000,
  signal: new AbortController().signal,
  progress: () => undefined,
  ...more,
});

const OK = {
  kind: 'ok',
  result: jsonBytes({ content: [], structuredContent: { done: 1 } }),
  era: 'legacy',
  extra: '',
} as const;

describe('a command of the gateway in the hub', () => {
  it('is a call of this machine’s, by the gateway, with what the gateway says of it', async () => {
    const { all, invoke } = hub(({ exchange }) => exchange.settle(OK));
    const result = await invoke(invocation('screen.snapshot', { maxWidth: 9 }, { session: 'agent:main:x' }));
    expect(result).toEqual({ ok: true, payloadJSON: '{"done":1}' });
    const { call } = all[0]!;
    expect(call).toMatchObject({
      caller: {
        id: 'gateway',
        scopes: { servers: ['device'], noOrders: true },
        openClaw: { session: 'agent:main:x' },
      },
      surface: 'gateway',
      view: 'device',
      method: 'tools/call',
      timeoutMs: 5_000,
      mediaBytes: 'structured',
    });
    expect([findMember(call.params, 'name'), findMember(call.params, 'arguments')]).toEqual([
      '"screen.snapshot"',
      '{"maxWidth":9}',
    ]);
  });

  it('may be a tool of another source, where that is published, and gets its whole result', async () => {
    const { all, invoke } = hub(({ exchange }) => exchange.settle(OK));
    const params = { server: 'far', tool: 'echo', arguments: { message: 'hi' } };
    expect(await invoke(invocation('mcp.tools.call.v1', params))).toEqual({
      ok: true,
      payloadJSON: OK.result,
    });
    expect(all[0]!.call).toMatchObject({ view: 'far', caller: { scopes: { servers: ['far'] } } });
    expect(findMember(all[0]!.call.params, 'arguments')).toBe('{"message":"hi"}');
  });

  it.each([
    ['mcp.tools.call.v1', { server: 'agent', tool: 'order_openclaw' }],
    ['mcp.tools.call.v1', { server: 'far', tool: 'secret' }],
    ['mcp.tools.call.v1', { server: 'far', tool: 'echo', arguments: [] }],
    ['mcp.tools.call.v1', {}],
    ['system.run', { command: ['a'], approved: true }],
  ])('is refused before anything runs: %s %j', async (command, params) => {
    const { all, invoke } = hub(() => undefined);
    expect(await invoke(invocation(command, params))).toMatchObject({ ok: false });
    expect(all).toEqual([]);
  });

  it('tells how far it is, and nothing else', async () => {
    const said: InvocationProgress[] = [];
    const { invoke } = hub(({ exchange }) => {
      exchange.notify('notifications/message', '{"data":"x"}');
      exchange.notify('notifications/progress', '{"progressToken":0,"progress":1,"total":2,"message":"m"}');
      exchange.settle(OK);
    });
    await invoke(invocation('a.b', {}, { progress: (each) => void said.push(each) }));
    expect(said).toEqual([{ progress: 1, total: 2, message: 'm' }]);
  });

  it('is cancelled when the gateway no longer wants it', async () => {
    const stop = new AbortController();
    const { all, invoke } = hub(() => stop.abort());
    const result = invoke(invocation('a.b', {}, { signal: stop.signal }));
    await expect.poll(() => all[0]?.cancelled).toEqual(['the gateway no longer wants it']);
    all[0]!.exchange.settle(notExecuted(new PincerError('CALL_CANCELLED', 'Gone.')));
    expect(await result).toMatchObject({
      ok: false,
      error: { code: 'ABORTED' },
    });
  });

  it('cannot be asked anything', async () => {
    const answers: unknown[] = [];
    const { invoke } = hub(({ exchange }) => {
      exchange.ask({ method: 'elicitation/create', params: '{}', answer: (each) => void answers.push(each) });
      exchange.settle(OK);
    });
    await invoke(invocation('a.b', {}));
    expect(answers).toEqual([{ error: expect.stringContaining('-32601') }]);
  });
});
