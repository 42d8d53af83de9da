/** What `/` answers otherwise than `/mcp`. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import { STRANGER } from '../../core/client.ts';
import type { Era } from '../../core/protocol.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import { writeMembers } from '../../core/wire/members.ts';
import type { Reply } from '../mcp/reply.ts';
import { createDeviceDispatch } from './dispatch.ts';

function ask(body: object, era: Era = 'legacy') {
  const passed: Message[] = [];
  const answers: { text: string; status: number }[] = [];
  const reply: Reply = {
    answer: (text, status) => void answers.push({ text, status }),
    accept: () => undefined,
    notify: () => undefined,
    ask: () => false,
    linger: () => undefined,
    pause: () => undefined,
    goOn: () => true,
  };
  const dispatch = createDeviceDispatch({
    dispatch(message) {
      passed.push(message);
      return undefined;
    },
    catalog: { resolve: (_view, name) => (name === 'device.info' ? ({ name } as never) : undefined) },
    withdrawn: ({ params }) =>
      params.some(({ raw }) => raw === '"screen.snapshot"')
        ? new PincerError('TOOL_UNKNOWN', 'switched off')
        : undefined,
  });
  dispatch(
    parseMessage(JSON.stringify({ jsonrpc: '2.0', ...body })),
    {
      caller: { id: 'c', name: 'c', scopes: {} },
      surface: 'device',
      view: 'device',
      era,
      client: STRANGER,
      legacy: undefined,
      running: new Map(),
    },
    reply,
  );
  const [answer] = answers;
  const result = answer && (JSON.parse(answer.text) as { id: unknown; result: unknown });
  return { passed, status: answer?.status, id: result?.id, result: result?.result };
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
    const { passed, status, id, result } = ask({ id: 3, method: 'tools/call', params });
    expect({ passed, status, id, result }).toEqual({ passed: [], status: 200, id: 3, result: failure(text) });
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
