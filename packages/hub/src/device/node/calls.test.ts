import { describe, expect, it } from 'vitest';
import { isCommandName, readCancel, readRequest } from './calls.ts';

describe('a request of the gateway', () => {
  it('is parsed, and fields of the wrong type count as absent', () => {
    const request = {
      id: 'i',
      nodeId: 'n',
      command: ' a.b ',
      paramsJSON: '{"x":1}',
      timeoutMs: 5,
      sessionKey: 's',
    };
    expect(readRequest(request, 'n')).toEqual({
      id: 'i',
      command: 'a.b',
      paramsJSON: '{"x":1}',
      timeoutMs: 5,
      session: 's',
    });
    expect(readRequest({ id: 'i', command: 7, paramsJSON: null, timeoutMs: '5' }, 'n')).toEqual({
      id: 'i',
      command: '',
      paramsJSON: '{}',
      timeoutMs: undefined,
      session: undefined,
    });
  });

  it('is ignored if it is for another node or has no id', () => {
    for (const payload of [{ id: 'i', nodeId: 'other', command: 'a' }, { command: 'a' }, null, 'x'])
      expect(readRequest(payload, 'n')).toBeUndefined();
  });

  it('is cancelled by its id, under either name', () => {
    expect(readCancel({ invokeId: 'i', nodeId: 'n' }, 'n')).toBe('i');
    expect(readCancel({ requestId: 'i' }, 'n')).toBe('i');
    expect(readCancel({ invokeId: 'i', nodeId: 'm' }, 'n')).toBeUndefined();
  });

  it.each([
    ['system.run', true],
    ['a'.repeat(100), true],
    ['a'.repeat(101), false],
    ['', false],
    ['a b', false],
    ['a/b', false],
    ['a\n', false],
  ])('%j is a valid command name: %s', (name, expected) => expect(isCommandName(name)).toBe(expected));
});
