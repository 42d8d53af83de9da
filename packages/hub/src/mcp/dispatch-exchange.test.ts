import { describe, expect, it } from 'vitest';
import { STRANGER } from '../core/client.ts';
import type { Answer, Running } from '../core/request.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { parseMessage } from '../core/wire/message.ts';
import { type Sender, FrontExchange } from './dispatch.ts';
import { LegacyClient } from './legacy-client.ts';
import type { Reply } from './reply.ts';

function bench(legacy?: LegacyClient) {
  const told: unknown[] = [];
  const reply: Reply = {
    answer: (text, status) => void told.push({ answer: parseBytes(text), status }),
    notify: (text) => void told.push(parseBytes(text)),
    ask: (text) => told.push(parseBytes(text)) > 0,
    accept: () => undefined,
    linger: () => undefined,
    pause: () => void told.push('pause'),
    goOn: () => told.push('goOn') < 0,
  };
  const sender: Sender = {
    caller: { id: 'c', name: 'c', scopes: {} },
    surface: 'test',
    view: undefined,
    era: 'legacy',
    client: legacy ?? STRANGER,
    legacy,
    running: new Map<string, Running>(),
  };
  const message = parseMessage('{"jsonrpc":"2.0","id":7,"method":"tools/call"}');
  const answers: Answer[] = [];
  const question = {
    method: 'roots/list',
    params: '{}',
    answer: (answer: Answer) => void answers.push(answer),
  };
  return {
    told,
    sender,
    answers,
    question,
    exchange: new FrontExchange({ message, id: '7', sender, reply }),
  };
}

const RUNNING: Running = { cancel: () => undefined };

describe('a call', () => {
  it('is remembered until it ends', () => {
    const { told, sender, exchange } = bench();
    expect(exchange.track(RUNNING)).toBe(RUNNING);
    expect(sender.running.get('7')).toBe(RUNNING);
    exchange.notify('notifications/progress', '{"progress":1}');
    exchange.settle({ kind: 'ok', result: '{"content":[]}', era: 'legacy', extra: '' });
    expect(sender.running.size).toBe(0);
    expect(told).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
      { answer: { jsonrpc: '2.0', id: 7, result: { content: [] } }, status: 200 },
    ]);
  });

  it('that waits for a person gives up its slot, and does not go on where it may not', () => {
    const { told, exchange } = bench();
    exchange.pause();
    expect(exchange.goOn()).toBe(false);
    expect(told).toEqual(['pause', 'goOn']);
  });

  it('that ended at once is not', () => {
    const { sender, exchange } = bench();
    exchange.settle({ kind: 'ok', result: '{}', era: 'legacy', extra: '' });
    expect(exchange.track(RUNNING)).toBeUndefined();
    expect(sender.running.size).toBe(0);
  });
});

describe('a question', () => {
  it('of a call is asked on the way of its answer', () => {
    const outlet = { notify: () => undefined, ask: () => false };
    const { told, answers, question, exchange } = bench(new LegacyClient('s', outlet, 4));
    exchange.ask(question);
    expect(told).toMatchObject([{ method: 'roots/list', params: {} }]);
    expect(answers).toEqual([]);
  });

  it('to a client that is not known is answered in its place', () => {
    const { told, answers, question, exchange } = bench();
    exchange.ask(question).withdraw('has no effect');
    expect(told).toEqual([]);
    expect(answers).toEqual([{ error: '{"code":-32603,"message":"The client cannot be reached."}' }]);
  });
});
