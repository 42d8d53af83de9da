/** Differences between `/` and `/mcp`. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { STRANGER } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../core/outcome.ts';
import type { Era } from '../core/protocol.ts';
import { writeMembers } from '../core/wire/members.ts';
import { parseMessage, type Message } from '../core/wire/message.ts';
import { type Sender, FrontExchange } from '../mcp/dispatch.ts';
import type { Reply } from '../mcp/reply.ts';
import { createDeviceDispatch, createSessionlessCalls } from './endpoint.ts';

const replyTo = (answers: string[]): Reply => ({
  answer: (text) => void answers.push(text),
  accept: () => undefined,
  notify: () => undefined,
  ask: () => false,
  linger: () => undefined,
  pause: () => undefined,
  goOn: () => true,
});

const senderOf = (era: Era): Sender => ({
  caller: { id: 'c', name: 'c', scopes: {} },
  surface: 'device',
  view: 'device',
  era,
  client: STRANGER,
  legacy: undefined,
  running: new Map(),
});

function ask(body: object, era: Era = 'legacy', outcome?: Outcome) {
  const passed: Message[] = [];
  const answers: string[] = [];
  const dispatch = createDeviceDispatch((message, sender, reply) => {
    passed.push(message);
    if (outcome !== undefined) new FrontExchange({ message, id: message.id!, sender, reply }).settle(outcome);
    return undefined;
  });
  dispatch(parseMessage(JSON.stringify({ jsonrpc: '2.0', ...body })), senderOf(era), replyTo(answers));
  const answer = answers[0] === undefined ? undefined : (JSON.parse(answers[0]) as Record<string, unknown>);
  return { passed, id: answer?.['id'], result: answer?.['result'] };
}

const failure = (text: string): object => ({ content: [{ type: 'text', text }], isError: true });

describe('an invalid tool call returns its error as a result', () => {
  it.each([
    [{}, "Missing 'name'"],
    [{ name: 7 }, "Missing 'name'"],
    [{ name: '  ' }, 'Empty tool name'],
    [{ name: 'device.info', arguments: [] }, "'arguments' must be a JSON object if present"],
    [{ name: 'device.info', arguments: 'x' }, "'arguments' must be a JSON object if present"],
  ])('%j', (params, text) => {
    verifies('000-bridge-call-failure');
    const { passed, id, result } = ask({ id: 3, method: 'tools/call', params });
    expect({ passed, id, result }).toEqual({ passed: [], id: 3, result: failure(text) });
  });

  it('also in the modern era', () => {
    const { result } = ask({ id: 3, method: 'tools/call', params: {} }, 'modern');
    expect(result).toEqual({ ...failure("Missing 'name'"), resultType: 'complete' });
  });
});

describe('everything else is dispatched unchanged', () => {
  it.each([
    { id: 1, method: 'tools/list' },
    { id: 1, method: 'nothing' },
    { method: 'tools/call', params: {} },
    { id: 1, method: 'tools/call', params: { name: 'device.info', arguments: {} } },
  ])('%j', (body) => expect(ask(body).passed).toHaveLength(1));

  it('null arguments count as absent', () => {
    const { passed } = ask({ id: 1, method: 'tools/call', params: { name: 'device.info', arguments: null } });
    expect(writeMembers(passed[0]!.params)).toBe('{"name":"device.info"}');
  });
});

describe('a call that did not run or was lost returns the reason as a result', () => {
  const call = { id: 1, method: 'tools/call', params: { name: 'system.run' } };

  it.each([
    [notExecuted(new PincerError('TOOL_UNKNOWN', 'Unknown tool: x')), 'Unknown tool: x'],
    [
      outcomeUnknown(new PincerError('SERVER_UNREACHABLE', 'The connection was lost.')),
      'The connection was lost.',
    ],
  ])('%j', (outcome, text) => {
    verifies('000-bridge-call-unknown');
    expect(ask(call, 'legacy', outcome)).toMatchObject({ id: 1, result: failure(text) });
    const modern = { ...failure(text), resultType: 'complete' };
    expect(ask(call, 'modern', outcome)).toMatchObject({ id: 1, result: modern });
  });

  it('unless the outcome has its own result', () => {
    const reason = new PincerError('POLICY_DENIED', 'No.');
    const outcome: Outcome = { kind: 'not_executed', reason, shown: '{"own":true}' };
    expect(ask(call, 'legacy', outcome).result).toEqual({ own: true });
  });
});

const ME = { id: 'me', name: 'me', scopes: {} };

function bench() {
  const calls = createSessionlessCalls();
  const cancelled: string[] = [];
  return {
    cancelled,
    cancel: (id: string, caller = ME) => calls.cancel(caller, id, 'no'),
    start: (id: string, name: string) => calls.add(ME, id, { cancel: () => void cancelled.push(name) }),
  };
}

it('cancels only the call with this id', () => {
  const { start, cancel, cancelled } = bench();
  start('1', 'number');
  start('"1"', 'text');
  cancel('1');
  expect(cancelled).toEqual(['number']);
  cancel(String.raw`"\u0031"`);
  expect(cancelled).toEqual(['number', 'text']);
  for (const unknown of ['2', 'null', '"x"', '{}']) cancel(unknown);
  cancel('1', { ...ME, id: 'another' });
  expect(cancelled).toHaveLength(2);
});

it('cancels neither of two calls with the same id until one has ended', () => {
  const { start, cancel, cancelled } = bench();
  const first = start('7', 'first');
  start('7', 'second');
  cancel('7');
  expect(cancelled).toEqual([]);
  first.forget();
  cancel('7');
  expect(cancelled).toEqual(['second']);
});

it('does not cancel a call that has ended', () => {
  const { start, cancel, cancelled } = bench();
  start('7', 'only').forget();
  cancel('7');
  expect(cancelled).toEqual([]);
});
