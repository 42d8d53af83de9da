import { describe, expect, it } from 'vitest';
import { STRANGER } from '../core/client.ts';
import type { Answer, Running } from '../core/request.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { parseMessage } from '../core/wire/message.ts';
import { type Sender, FrontExchange } from './dispatch.ts';
import { LegacyClient } from './legacy-client.ts';
import type { Reply } from './reply.ts';

function bench(legacy?: LegacyClient) {
  const sent: unknown[] = [];
  const reply: Reply = {
    answer: (text, status) => void sent.push({ answer: parseBytes(text), status }),
    notify: (text) => void sent.push(parseBytes(text)),
    ask: (text) => sent.push(parseBytes(text)) > 0,
    accept: () => undefined,
    linger: () => undefined,
    pause: () => void sent.push('pause'),
    goOn: () => sent.push('goOn') < 0,
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
    sent,
    sender,
    answers,
    question,
    exchange: new FrontExchange({ message, id: '7', sender, reply }),
  };
}

const RUNNING: Running = { cancel: () => undefined };

describe('a call', () => {
  it('is registered until it ends', () => {
    const { sent, sender, exchange } = bench();
    expect(exchange.track(RUNNING)).toBe(RUNNING);
    expect(sender.running.get('7')).toBe(RUNNING);
    exchange.notify('notifications/progress', '{"progress":1}');
    exchange.settle({ kind: 'ok', result: '{"content":[]}', era: 'legacy', extra: '' });
    expect(sender.running.size).toBe(0);
    expect(sent).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
      { answer: { jsonrpc: '2.0', id: 7, result: { content: [] } }, status: 200 },
    ]);
  });

  it('releases its slot while it waits for a person, and stops if it may not continue', () => {
    const { sent, exchange } = bench();
    exchange.pause();
    expect(exchange.goOn()).toBe(false);
    expect(sent).toEqual(['pause', 'goOn']);
  });

  it('is not registered if it ended at once', () => {
    const { sender, exchange } = bench();
    exchange.settle({ kind: 'ok', result: '{}', era: 'legacy', extra: '' });
    expect(exchange.track(RUNNING)).toBeUndefined();
    expect(sender.running.size).toBe(0);
  });
});

describe('a question', () => {
  it('of a call is asked on the stream of its answer', () => {
    const outlet = { notify: () => undefined, ask: () => false };
    const { sent, answers, question, exchange } = bench(new LegacyClient('s', outlet, 4));
    exchange.ask(question);
    expect(sent).toMatchObject([{ method: 'roots/list', params: {} }]);
    expect(answers).toEqual([]);
  });

  it('to an unknown client is refused', () => {
    const { sent, answers, question, exchange } = bench();
    exchange.ask(question).withdraw('has no effect');
    expect(sent).toEqual([]);
    expect(answers).toEqual([{ error: '{"code":-32603,"message":"The client cannot be reached."}' }]);
  });
});
