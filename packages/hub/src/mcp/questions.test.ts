import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/request.ts';
import { parseBytes, toByteText } from '../core/wire/byte-text.ts';
import { parseMessage } from '../core/wire/message.ts';
import { Questions, refuseQuestion } from './questions.ts';

interface Sent {
  readonly id?: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

function bench(max = 8) {
  const questions = new Questions(max);
  const sent: Sent[] = [];
  const answers: Answer[] = [];
  const question = {
    method: 'elicitation/create',
    params: toByteText('{"message":"größe?","n":12345678901234567890}'),
    answer: (answer: Answer) => void answers.push(answer),
  };
  const ask = (isReached = true) =>
    questions.ask(question, (text) => {
      if (isReached) sent.push(parseBytes(text) as Sent);
      return isReached;
    });
  const say = (text: string): boolean => questions.answer(parseMessage(toByteText(text)));
  return { questions, question, sent, answers, ask, say };
}

describe('a question', () => {
  it('is sent under an id that cannot be guessed', () => {
    const { sent, ask } = bench();
    ask();
    ask();
    const expected = { jsonrpc: '2.0', method: 'elicitation/create', params: { message: 'größe?' } };
    expect(sent).toMatchObject([expected, expected]);
    expect(sent[0]!.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent[0]!.id).not.toBe(sent[1]!.id);
  });

  it('is answered with the client’s bytes, once', () => {
    const { sent, answers, ask, say } = bench();
    ask();
    const answer = `{"jsonrpc":"2.0","id":"${sent[0]!.id}","result":{"n":1.50,"s":"ü"}}`;
    expect([say(answer), say(answer)]).toEqual([true, false]);
    expect(answers).toEqual([{ result: toByteText('{"n":1.50,"s":"ü"}') }]);
  });

  it('may be answered with an error', () => {
    const { sent, answers, ask, say } = bench();
    ask();
    expect(say(`{"jsonrpc":"2.0","id":"${sent[0]!.id}","error":{"code":-1, "message":"no"}}`)).toBe(true);
    expect(answers).toEqual([{ error: '{"code":-1, "message":"no"}' }]);
  });

  it.each(['7', '"unknown"', '""'])('is not answered under the id %s', (id) => {
    const { answers, ask, say } = bench();
    ask();
    expect(say(`{"jsonrpc":"2.0","id":${id},"result":{}}`)).toBe(false);
    expect(answers).toEqual([]);
  });

  it('is dropped if it could not be sent', () => {
    const { questions, answers, ask } = bench();
    expect(ask(false)).toBeUndefined();
    questions.failAll('over');
    expect(answers).toEqual([]);
  });

  it('is cancelled at the client when it is withdrawn, and a late answer is dropped', () => {
    const { sent, answers, ask, say } = bench();
    const asked = ask()!;
    asked.withdraw('tööl ended');
    asked.withdraw('again');
    expect(sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: sent[0]!.id, reason: 'tööl ended' },
      },
    ]);
    expect(say(`{"jsonrpc":"2.0","id":"${sent[0]!.id}","result":{}}`)).toBe(false);
    expect(answers).toEqual([]);
  });

  it('is not withdrawn after its answer', () => {
    const { sent, ask, say } = bench();
    const asked = ask()!;
    say(`{"jsonrpc":"2.0","id":"${sent[0]!.id}","result":{}}`);
    asked.withdraw('late');
    expect(sent).toHaveLength(1);
  });
});

describe('questions', () => {
  it('above the limit are refused at once', () => {
    const { sent, answers, ask, say } = bench(2);
    ask();
    ask();
    ask()!.withdraw('has no effect');
    expect(sent).toHaveLength(2);
    expect(answers).toMatchObject([{ error: expect.stringContaining('"code":-32603') }]);
    say(`{"jsonrpc":"2.0","id":"${sent[0]!.id}","result":{}}`);
    ask();
    expect(sent).toHaveLength(3);
  });

  it('all fail when the client is gone', () => {
    const { questions, sent, answers, ask, say } = bench();
    ask();
    ask();
    questions.failAll('The client cannot be reached: it went away.');
    questions.failAll('again');
    const error = '{"code":-32603,"message":"The client cannot be reached: it went away."}';
    expect(answers).toEqual([{ error }, { error }]);
    expect(say(`{"jsonrpc":"2.0","id":"${sent[0]!.id}","result":{}}`)).toBe(false);
  });

  it('are refused for an unreachable client', () => {
    const { question, answers } = bench();
    refuseQuestion(question).withdraw('has no effect');
    expect(answers).toEqual([{ error: '{"code":-32603,"message":"The client cannot be reached."}' }]);
  });
});
