import { describe, expect, it } from 'vitest';
import { HandExchange, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { PincerError } from '../../core/errors.ts';
import type { SourceRequest } from '../../core/request.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import { settleSubscription, type Watch } from './watch.ts';

const requestOf = (method: string): SourceRequest => ({ ...toolRequest(), method, name: 'a:b' });

async function settle(answer: () => Promise<Message | undefined>, method = 'resources/subscribe') {
  const asked: string[] = [];
  const watch: Watch = {
    isWatching: false,
    subscriptions: () => [],
    follow: () => undefined,
    subscribe(uri) {
      asked.push(`subscribe ${uri}`);
      return answer();
    },
    unsubscribe(uri) {
      asked.push(`unsubscribe ${uri}`);
      return answer();
    },
    forget: () => undefined,
    updated: () => undefined,
  };
  const exchange = new HandExchange();
  settleSubscription(watch, requestOf(method), exchange).cancel('it takes a moment');
  await new Promise((resolve) => setImmediate(resolve));
  return { asked, exchange };
}

describe('the answer to a subscription', () => {
  it.each([
    ['resources/subscribe', 'subscribe a:b'],
    ['resources/unsubscribe', 'unsubscribe a:b'],
  ])('to %s is the server’s own', async (method, expected) => {
    const message = parseMessage('{"jsonrpc":"2.0","id":"1","result":{"n":1.0}}');
    const { asked, exchange } = await settle(async () => message, method);
    expect(asked).toEqual([expected]);
    expect(exchange.outcomes).toEqual([{ kind: 'ok', result: '{"n":1.0}', era: 'legacy', extra: '' }]);
  });

  it('is empty if the server was not asked', async () => {
    const { exchange } = await settle(async () => undefined);
    expect(exchange.outcomes).toEqual([{ kind: 'ok', result: '{}', era: 'legacy', extra: '' }]);
  });

  it('is the server’s error', async () => {
    const message = parseMessage('{"jsonrpc":"2.0","id":"1","error":{"code":-1,"n":1.0},"x":1.0}');
    const { exchange } = await settle(async () => message);
    expect(exchange.outcomes).toEqual([
      { kind: 'tool_error', error: '{"code":-1,"n":1.0}', extra: ',"x":1.0' },
    ]);
  });

  it.each([
    ['SERVER_UNREACHABLE', 'not_executed'],
    ['SERVER_BUSY', 'not_executed'],
    ['ARGUMENT_INVALID', 'not_executed'],
    ['SERVER_GONE', 'outcome_unknown'],
    ['CALL_TIMEOUT', 'outcome_unknown'],
    ['SERVER_PROTOCOL', 'outcome_unknown'],
  ] as const)('that failed with %s is %s', async (code, kind) => {
    const { exchange } = await settle(() => Promise.reject(new PincerError(code, 'x')));
    expect(exchange.kinds).toEqual([kind]);
    expect(exchange.reason.code).toBe(code);
  });
});
