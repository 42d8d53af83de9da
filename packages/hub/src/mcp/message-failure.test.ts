import { describe, expect, it } from 'vitest';
import type { Log, LogFields } from '../core/ports.ts';
import { readMembers } from '../core/wire/members.ts';
import { parseMessage } from '../core/wire/message.ts';
import { failureOfError } from './reply.ts';

const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return error;
  }
  return expect.unreachable('nothing was thrown');
};

const listen = (): { log: Log; lines: [string, LogFields | undefined][] } => {
  const lines: [string, LogFields | undefined][] = [];
  const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  return { log: { debug: note, info: note, warn: note, error: note }, lines };
};

describe('failureOfError', () => {
  it.each([
    ['{', -32700, undefined],
    ['[]', -32600, undefined],
    ['{"jsonrpc":"2.0","id":3,"method":5}', -32600, '3'],
    ['{"jsonrpc":"2.0","id":3,"method":"a","params":[]}', -32602, '3'],
  ])('reports %s as the sender’s error: %i', (text, code, id) => {
    const { log, lines } = listen();
    const found = failureOfError(
      thrownBy(() => parseMessage(text)),
      log,
    );
    expect(found).toMatchObject({ failure: { code, status: 400 }, id });
    expect(lines).toEqual([]);
  });

  it('reports a duplicate key as the sender’s error', () => {
    const { log, lines } = listen();
    const error = thrownBy(() => readMembers('{"a":1,"a":2}'));
    expect(failureOfError(error, log).failure).toEqual({
      code: -32600,
      message: 'The key "a" occurs twice.',
      status: 400,
    });
    expect(lines).toEqual([]);
  });

  it('logs any other error and hides it from the sender', () => {
    const { log, lines } = listen();
    const error = new TypeError('secret detail');
    expect(failureOfError(error, log)).toEqual({
      failure: { code: -32603, message: 'Internal error', status: 500 },
      id: undefined,
    });
    expect(lines).toMatchObject([[expect.any(String), { error }]]);
  });
});
