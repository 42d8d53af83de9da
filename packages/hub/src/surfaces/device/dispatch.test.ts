/** What `/` answers otherwise than `/mcp`. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import { STRANGER } from '../../core/client.ts';
import type { Era } from '../../core/protocol.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import { writeMembers } from '../../core/wire/members.ts';
import type { Scopes } from '../../core/caller.ts';
import type { Sender } from '../mcp/dispatch.ts';
import type { Reply } from '../mcp/reply.ts';
import { createDeviceDispatch } from './dispatch.ts';

const replyTo = (answers: string[]): Reply => ({
  answer: (text) => void answers.push(text),
  accept: () => undefined,
  notify: () => undefined,
  ask: () => false,
  linger: () => undefined,
  pause: () => undefined,
  goOn: () => true,
});

const senderOf = (era: Era, scopes: Scopes = {}): Sender => ({
  caller: { id: 'c', name: 'c', scopes },
  surface: 'device',
  view: 'device',
  era,
  client: STRANGER,
  legacy: undefined,
  running: new Map(),
});

function ask(body: object, era: Era = 'legacy', scopes: Scopes = {}) {
  const passed: Message[] = [];
  const answers: string[] = [];
  const dispatch = createDeviceDispatch({
    dispatch(message) {
      passed.push(message);
      return undefined;
    },
    catalog: {
      resolve: (_view, name) =>
        name === 'device.info' ? ({ server: 'device', name, readOnly: true } as never) : undefined,
    },
    withdrawn: ({ params }) =>
      params.some(({ raw }) => raw === '"screen.snapshot"')
        ? new PincerError('TOOL_UNKNOWN', 'switched off')
        : undefined,
  });
  dispatch(
    parseMessage(JSON.stringify({ jsonrpc: '2.0', ...body })),
    senderOf(era, scopes),
    replyTo(answers),
  );
  const answer = answers[0] === undefined ? undefined : (JSON.parse(answers[0]) as Record<string, unknown>);
  return { passed, id: answer?.['id'], result: answer?.['result'] };
}

const failure = (text: string): object => ({ content: [{ type: 'text', text }], isError: true });

describe('what is wrong with a call of a tool is its result', () => {
  verifies('000-bridge-call-unknown', '000-bridge-call-failure');

  it.each([
    [{}, "Missing 'name'"],
    [{ name: 7 }, "Missing 'name'"],
    [{ name: '  ' }, 'Empty tool name'],
    [{ name: 'device.info', arguments: [] }, "'arguments' must be a JSON object if present"],
    [{ name: 'device.info', arguments: 'x' }, "'arguments' must be a JSON object if present"],
    [{ name: 'nothing' }, 'Unknown tool: nothing'],
    [{ name: 'screen.snapshot' }, 'switched off'],
  ])('%j', (params, text) => {
    const { passed, id, result } = ask({ id: 3, method: 'tools/call', params });
    expect({ passed, id, result }).toEqual({ passed: [], id: 3, result: failure(text) });
  });

  it('in the modern era, too', () => {
    const { result } = ask({ id: 3, method: 'tools/call', params: { name: 'nothing' } }, 'modern');
    expect(result).toEqual({ ...failure('Unknown tool: nothing'), resultType: 'complete' });
  });
});

describe('everything else goes the way of all', () => {
  it.each([
    { id: 1, method: 'tools/list' },
    { id: 1, method: 'nothing' },
    { method: 'tools/call', params: {} },
    { id: 1, method: 'tools/call', params: { name: 'device.info', arguments: {} } },
  ])('%j', (body) => expect(ask(body).passed).toHaveLength(1));

  it('null arguments are none', () => {
    const { passed } = ask({ id: 1, method: 'tools/call', params: { name: 'device.info', arguments: null } });
    expect(writeMembers(passed[0]!.params)).toBe('{"name":"device.info"}');
  });
});

describe('of a call that did not run', () => {
  const answered = (error: object): unknown => {
    const answers: string[] = [];
    const dispatch = createDeviceDispatch({
      dispatch(_message, _sender, reply) {
        reply.answer(`{"jsonrpc":"2.0","id":1,"error":${JSON.stringify(error)}}`, 200);
        return undefined;
      },
      catalog: { resolve: (_view, name) => ({ server: 'device', name, readOnly: true }) as never },
      withdrawn: () => undefined,
    });
    dispatch(
      parseMessage('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"system.run"}}'),
      senderOf('legacy'),
      replyTo(answers),
    );
    return JSON.parse(answers[0]!);
  };

  it('the reason is the result', () => {
    const error = { code: -32_010, message: 'It needs an approval.', data: { outcome: 'not_executed' } };
    expect(answered(error)).toMatchObject({ id: 1, result: failure('It needs an approval.') });
  });

  it('what is wrong with the protocol stays an error', () => {
    const error = { code: -32_600, message: 'This id is in use.' };
    expect(answered(error)).toMatchObject({ id: 1, error });
  });
});

it('what a token may not use is not told apart from what does not exist', () => {
  const { passed, result } = ask({ id: 3, method: 'tools/call', params: { name: 'device.info' } }, 'legacy', {
    tools: ['device.tts.*'],
  });
  expect({ passed, result }).toEqual({ passed: [], result: failure('Unknown tool: device.info') });
});
