import { describe, expect, it } from 'vitest';
import { request } from '../../../../../test/kit/messages.ts';
import { parseMessage } from '../../core/wire/message.ts';
import { bindSession, type SessionBinding } from './session-binding.ts';

const take = (binding: SessionBinding, text: string): string => binding.take(parseMessage(text), text);
const REFUSED = expect.objectContaining({ code: 'ARGUMENT_INVALID' });

describe('a session id', () => {
  it.each([
    ['in params of initialize', 'initialize', '{"a":1,"mcpSessionId":"s-1","b":1.0}', '{"a":1,"b":1.0}'],
    ['in _meta', 'initialize', '{"_meta":{"mcpSessionId":"s-1","x":1e2},"b":2}', '{"_meta":{"x":1e2},"b":2}'],
    ['in _meta by our name', 'tools/list', '{"_meta":{"pincer/mcpSessionId":"s-1"}}', '{"_meta":{}}'],
    ['everywhere', 'initialize', '{"mcpSessionId":"s-1","_meta":{"mcpSessionId":"s-1"}}', '{"_meta":{}}'],
    ['with escapes', 'initialize', '{"mcpSess\\u0069onId":"s\\u002d1"}', '{}'],
  ])('%s is bound and removed from the message', (_name, method, params, rest) => {
    const binding = bindSession(undefined);
    expect(take(binding, request(method, params, '1.0'))).toBe(request(method, rest, '1.0'));
    expect(binding.id).toBe('s-1');
  });

  it('from the command line is bound, and messages stay unchanged', () => {
    const binding = bindSession('s-1');
    const text = '{ "jsonrpc" : "2.0","method":"x",\t"params":{"mcpSessionId" :"of a tool" } ,"id":1e0}';
    expect(take(binding, text)).toBe(text);
    expect(binding.id).toBe('s-1');
  });

  it('may come with a later message', () => {
    const binding = bindSession(undefined);
    take(binding, request('initialize'));
    expect(binding.id).toBeUndefined();
    take(binding, request('initialize', '{"mcpSessionId":"s-2"}'));
    expect(binding.id).toBe('s-2');
  });
});

describe('after a session is bound', () => {
  it('the same id is accepted again', () => {
    const binding = bindSession('s-1');
    expect(take(binding, request('initialize', '{"mcpSessionId":"s-1"}'))).toBe(request('initialize'));
  });

  it('another id is refused without a change', () => {
    const binding = bindSession('s-1');
    expect(() => take(binding, request('initialize', '{"mcpSessionId":"s-2"}'))).toThrow(REFUSED);
    expect(() => take(binding, request('ping', '{"_meta":{"mcpSessionId":"s-2"}}'))).toThrow(REFUSED);
    expect(binding.id).toBe('s-1');
  });

  it('two different ids in one message are refused', () => {
    const params = '{"mcpSessionId":"s-1","_meta":{"mcpSessionId":"s-2"}}';
    expect(() => take(bindSession(undefined), request('initialize', params))).toThrow(REFUSED);
  });
});

it.each(['7', 'null', '{}', '""', '"a b"', '"a\\r\\nx: y"'])('refuses %s as a session id', (value) => {
  const binding = bindSession(undefined);
  expect(() => take(binding, request('initialize', `{"mcpSessionId":${value}}`))).toThrow(REFUSED);
  expect(binding.id).toBeUndefined();
});
