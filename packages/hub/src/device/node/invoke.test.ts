import { describe, expect, it } from 'vitest';
import type { Call } from '../../core/call/calls.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import type { CallerExchange } from '../../core/request.ts';
import { jsonBytes, toByteText } from '../../core/wire/byte-text.ts';
import { findMember } from '../../core/wire/members.ts';
import { createInvoke, readParams, resultOf } from './invoke.ts';
import type { Invocation, InvocationProgress } from './parts.ts';

interface Started {
  readonly call: Call;
  readonly exchange: CallerExchange;
  readonly cancelled: string[];
}

/** Calls of the hub that the test answers. */
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

describe('a command of the gateway', () => {
  it('becomes a call of this machine by the gateway, with its session', async () => {
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

  it('may be a published tool of another source, and returns its whole result', async () => {
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

  it('forwards progress, and no other notification', async () => {
    const reports: InvocationProgress[] = [];
    const { invoke } = hub(({ exchange }) => {
      exchange.notify('notifications/message', '{"data":"x"}');
      exchange.notify('notifications/progress', '{"progressToken":0,"progress":1,"total":2,"message":"m"}');
      exchange.settle(OK);
    });
    await invoke(invocation('a.b', {}, { progress: (each) => void reports.push(each) }));
    expect(reports).toEqual([{ progress: 1, total: 2, message: 'm' }]);
  });

  it('is cancelled when the gateway aborts it', async () => {
    const stop = new AbortController();
    const { all, invoke } = hub(() => stop.abort());
    const result = invoke(invocation('a.b', {}, { signal: stop.signal }));
    await expect.poll(() => all[0]?.cancelled).toEqual(['the gateway cancelled it or stopped waiting']);
    all[0]!.exchange.settle(notExecuted(new PincerError('CALL_CANCELLED', 'Gone.')));
    expect(await result).toMatchObject({
      ok: false,
      error: { code: 'ABORTED' },
    });
  });

  it('rejects questions of a server', async () => {
    const answers: unknown[] = [];
    const { invoke } = hub(({ exchange }) => {
      exchange.ask({ method: 'elicitation/create', params: '{}', answer: (each) => void answers.push(each) });
      exchange.settle(OK);
    });
    await invoke(invocation('a.b', {}));
    expect(answers).toEqual([{ error: expect.stringContaining('-32601') }]);
  });
});

const plan = {
  argv: ['/bin/sh', '-lc', 'date'],
  cwd: '/tmp',
  commandText: 'x',
  agentId: 'main',
  sessionKey: 's',
};
const run = {
  command: plan.argv,
  rawCommand: 'date',
  cwd: '/tmp',
  timeoutMs: 5,
  agentId: 'main',
  sessionKey: 's',
  runId: 'r',
  systemRunPlan: plan,
  suppressNotifyOnExit: true,
};
const read = (params: object, command = 'system.run') =>
  readParams(command, JSON.stringify(params), undefined);

describe('the parameters of system.run', () => {
  it('are separated from the statements of the gateway about the run', () => {
    const given = read({ ...run, approved: true, approvalDecision: 'allow-always' });
    expect(given).toEqual({
      arguments: JSON.stringify({ command: plan.argv, rawCommand: 'date', cwd: '/tmp', timeoutMs: 5 }),
      word: { agent: 'main', session: 's', approved: 'allow-always' },
    });
  });

  it('are approved only by a person, not by a model or an unanswered question', () => {
    const word = (params: object) => read({ ...run, ...params });
    expect(word({ approved: true })).toMatchObject({ word: { approved: 'allow-once' } });
    expect(word({ approved: true, approvalDecision: 'allow-once' })).toMatchObject({
      word: { approved: 'allow-once' },
    });
    for (const params of [
      {},
      { approved: false },
      { approvalSource: 'auto-review' },
      { approvalSource: 'ask-fallback' },
      { approved: true, approvalSource: 'auto-review' },
      { approved: true, approvalSource: 'ask-fallback' },
      { approved: true, approvalDecision: 'allow-once', approvalSource: 'auto-review' },
      { approvalDecision: 'deny' },
      { approved: true, approvalDecision: 'deny' },
      { approved: false, approvalDecision: 'deny' },
      { approved: false, approvalDecision: 'allow-once' },
      { approved: true, approvalDecision: null },
      { approved: 'true' },
    ])
      expect(word(params)).toMatchObject({ word: { approved: undefined } });
  });

  it.each([
    ['other words', { command: ['/bin/sh', '-lc', 'rm x'] }],
    ['another folder', { cwd: '/' }],
    ['another agent', { agentId: 'other' }],
    ['another conversation', { sessionKey: 'other' }],
    ['no plan', { systemRunPlan: undefined }],
  ])('are refused if they were approved with %s', (_, changed) => {
    expect(read({ ...run, ...changed, approved: true })).toEqual({
      mistake: 'explicit approval requires matching systemRunPlan',
    });
  });
});

describe('the parameters of other commands', () => {
  it('are passed on unchanged, under any name', () => {
    const json = '{"n": 99999999999999999999, "approved": true, "sessionKey": "mine"}';
    expect(readParams('canvas.eval', json, 'theirs')).toEqual({
      arguments: json,
      word: { session: 'theirs' },
    });
  });

  it('of system.run.prepare name the agent and stay', () => {
    expect(read({ command: ['a'], agentId: 'main', sessionKey: 's' }, 'system.run.prepare')).toEqual({
      arguments: JSON.stringify({ command: ['a'], agentId: 'main', sessionKey: 's' }),
      word: { agent: 'main', session: 's' },
    });
  });

  it('are empty for null, and invalid if they are not an object', () => {
    expect(readParams('a', 'null', undefined)).toMatchObject({ arguments: '{}' });
    for (const json of ['[]', '7', '"x"', '{', '{"a":1,"a":2}'])
      expect(readParams('a', json, undefined)).toHaveProperty('mistake');
  });
});

const answered = (kind: 'ok' | 'tool_error', result: object): Outcome => ({
  kind,
  result: jsonBytes(result),
  era: 'legacy',
  extra: '',
});
const text = (message: string): object => ({ content: [{ type: 'text', text: message }], isError: true });

describe('the answer of a node', () => {
  it('is the payload of a command, byte for byte', () => {
    const result = '{"content":[],"structuredContent":{"n":99999999999999999999,"ü":1}}';
    const outcome: Outcome = { kind: 'ok', result: toByteText(result), era: 'legacy', extra: '' };
    expect(resultOf(outcome, 'a.b')).toEqual({ ok: true, payloadJSON: '{"n":99999999999999999999,"ü":1}' });
  });

  it('is the whole result of a tool, even if it failed', () => {
    const failed = text('no');
    expect(resultOf(answered('tool_error', failed), 'mcp.tools.call.v1')).toEqual({
      ok: true,
      payloadJSON: JSON.stringify(failed),
    });
  });

  it.each([
    ['Screen capture not available', 'UNAVAILABLE'],
    ['CAMERA_DISABLED: switch it on', 'CAMERA_DISABLED'],
    ['LOCATION_PERMISSION_REQUIRED', 'LOCATION_PERMISSION_REQUIRED'],
  ])('names the reason of a failure: %s', (message, code) => {
    expect(resultOf(answered('tool_error', text(message)), 'a.b')).toEqual({
      ok: false,
      error: { code, message },
    });
  });

  it('has the code of the command', () => {
    const result = { ...text('no'), _meta: { 'pincer/code': 'SCREEN_UNAVAILABLE' } };
    expect(resultOf(answered('tool_error', result), 'a.b')).toMatchObject({
      error: { code: 'SCREEN_UNAVAILABLE' },
    });
  });

  it('distinguishes a run that did not happen from an unknown outcome', () => {
    const reason = new PincerError('APPROVAL_PENDING', 'It waits.', { hint: 'Allow it.' });
    expect(resultOf({ kind: 'not_executed', reason }, 'system.run')).toEqual({
      ok: false,
      error: { code: 'SYSTEM_RUN_DENIED', message: 'It waits. Allow it.' },
    });
    expect(resultOf({ kind: 'not_executed', reason }, 'a.b')).toMatchObject({
      error: { code: 'APPROVAL_PENDING' },
    });
    const lost = new PincerError('CALL_CANCELLED', 'Gone.');
    expect(resultOf({ kind: 'outcome_unknown', reason: lost }, 'system.run')).toMatchObject({
      error: { code: 'ABORTED' },
    });
  });
});
