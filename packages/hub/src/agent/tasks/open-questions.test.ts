import { describe, expect, it } from 'vitest';
import type { Answer, Question } from '../../core/request.ts';
import { createOpenQuestions, type OpenQuestions } from './kept-orders.ts';

const YES: Answer = { result: '{"action":"accept"}' };
const NO: Answer = { result: '{"action":"decline"}' };

function bench() {
  const changes: number[] = [];
  const questions: OpenQuestions = createOpenQuestions(() => changes.push(questions.open.size));
  const answers: Answer[] = [];
  const ask = (params = '{}') =>
    questions.ask({ method: 'elicitation/create', params, answer: (answer) => answers.push(answer) });
  /** A client that can be asked, and records its questions. */
  const person = () => {
    const asked: Question[] = [];
    const withdrawn: string[] = [];
    const leave = questions.askThrough((question) => {
      asked.push(question);
      return { withdraw: (reason) => void withdrawn.push(reason) };
    });
    return { asked, withdrawn, leave };
  };
  return { questions, changes, answers, ask, person };
}

describe('open question', () => {
  it('is asked through the waiting client, and answered once', () => {
    const { ask, person, answers, questions, changes } = bench();
    const { asked } = person();
    ask('{"n":1}');
    expect(asked.map(({ params }) => params)).toEqual(['{"n":1}']);
    asked[0]!.answer(YES);
    asked[0]!.answer(NO);
    expect([answers, questions.open.size, changes]).toEqual([[YES], 0, [1, 0]]);
  });

  it('waits for a client', () => {
    const { ask, person, answers } = bench();
    ask('{"n":1}');
    ask('{"n":2}');
    const { asked } = person();
    expect(asked.map(({ params }) => params)).toEqual(['{"n":1}', '{"n":2}']);
    asked[1]!.answer(YES);
    expect(answers).toEqual([YES]);
  });

  it('is withdrawn from a client that leaves, and asked through the next one', () => {
    const { ask, person, answers } = bench();
    const first = person();
    ask();
    first.leave();
    expect(first.withdrawn).toHaveLength(1);
    first.asked[0]!.answer(NO);
    expect(answers).toEqual([]);
    const second = person();
    second.asked[0]!.answer(YES);
    first.leave();
    expect(answers).toEqual([YES]);
  });

  it('is asked through one of several clients, and through the next when that one leaves', () => {
    const { ask, person } = bench();
    const [first, second, third] = [person(), person(), person()];
    ask();
    second.leave();
    expect([first, second, third].map(({ asked }) => asked.length)).toEqual([1, 0, 0]);
    first.leave();
    expect([first, second, third].map(({ asked }) => asked.length)).toEqual([1, 0, 1]);
  });

  it('can be answered by its unique key', () => {
    const { ask, questions, answers } = bench();
    ask('{"n":1}');
    const [key] = questions.open.keys();
    questions.answer('unknown', NO);
    questions.answer(key!, YES);
    questions.answer(key!, NO);
    ask('{"n":2}');
    expect([answers, questions.open.has(key!)]).toEqual([[YES], false]);
  });

  it('is closed when the agent withdraws it', () => {
    const { ask, person, answers, questions } = bench();
    const { asked, withdrawn } = person();
    const { withdraw } = ask();
    withdraw('decided elsewhere');
    withdraw('decided elsewhere');
    asked[0]!.answer(YES);
    expect([answers, withdrawn, questions.open.size]).toEqual([[], ['decided elsewhere'], 0]);
  });

  it('ends with its order', () => {
    const { ask, person, answers, questions } = bench();
    const { asked, withdrawn } = person();
    ask();
    questions.close();
    asked[0]!.answer(YES);
    expect([answers, withdrawn.length, questions.open.size]).toEqual([[], 1, 0]);
  });

  it('may be refused at once', () => {
    const { ask, questions, answers } = bench();
    questions.askThrough((question) => {
      question.answer({ error: '{}' });
      return { withdraw: () => undefined };
    });
    ask().withdraw('late');
    expect([answers, questions.open.size]).toEqual([[{ error: '{}' }], 0]);
  });
});
