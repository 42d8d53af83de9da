import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAbilities } from '../client.ts';
import type { Question } from '../request.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { AskRounds } from './ask-rounds.ts';
import { readInputRequired, type InputRequired } from './input-required.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TIMEOUT = 1_000;
const ALL = '{"sampling":{},"elicitation":{},"roots":{}}';

interface Bench {
  readonly rounds: AskRounds;
  readonly asked: (Question & { withdrawn?: string })[];
  readonly repeated: Readonly<Record<string, ByteText | undefined>>[];
  readonly failed: ByteText[];
}

function bench(capabilities = ALL, answerAtOnce?: (question: Question) => void): Bench {
  const asked: Bench['asked'] = [];
  const repeated: Bench['repeated'] = [];
  const failed: ByteText[] = [];
  const rounds = new AskRounds({
    abilities: readAbilities(capabilities),
    timeoutMs: TIMEOUT,
    ask(question) {
      const entry: Bench['asked'][number] = { ...question };
      asked.push(entry);
      answerAtOnce?.(question);
      return { withdraw: (reason) => void (entry.withdrawn = reason) };
    },
    repeat: (members) => void repeated.push(members),
    fail: (error) => void failed.push(error),
  });
  return { rounds, asked, repeated, failed };
}

/** The server's `input_required` result, by method. */
function missing(methods: Readonly<Record<string, string>>, state?: string): InputRequired {
  const requests = Object.entries(methods).map(
    ([key, method]) =>
      `${JSON.stringify(key)}:{"method":"${method}","params":{"for":${JSON.stringify(key)}}}`,
  );
  const more = state === undefined ? '' : `,"requestState":${state}`;
  return readInputRequired(`{"resultType":"input_required","inputRequests":{${requests.join(',')}}${more}}`)!;
}

const codeOf = (error: ByteText | undefined): unknown => (JSON.parse(error!) as { code: unknown }).code;
const E = 'elicitation/create';
const S = 'sampling/createMessage';
const R = 'roots/list';

describe('one round', () => {
  it('asks everything at once, and repeats the call with the last answer', () => {
    const { rounds, asked, repeated } = bench();
    rounds.next(missing({ a: E, b: S, c: R }, '"s-\\u0031"'));
    expect(asked.map(({ method, params }) => `${method} ${params}`)).toEqual([
      'elicitation/create {"for":"a"}',
      'sampling/createMessage {"for":"b"}',
      'roots/list {"for":"c"}',
    ]);
    asked[2]!.answer({ result: '{"roots":[]}' });
    asked[0]!.answer({ result: '{"action":"accept","n": 99999999999999999999}' });
    expect(repeated).toEqual([]);
    asked[1]!.answer({ result: '{"model":1.0}' });
    expect(repeated).toEqual([
      {
        inputResponses:
          '{"c":{"roots":[]},"a":{"action":"accept","n": 99999999999999999999},"b":{"model":1.0}}',
        requestState: '"s-\\u0031"',
      },
    ]);
  });

  it('sends no state if there was none', () => {
    const { rounds, asked, repeated } = bench();
    rounds.next(missing({ a: R }));
    asked[0]!.answer({ result: '{}' });
    expect(repeated).toEqual([{ inputResponses: '{"a":{}}', requestState: undefined }]);
  });

  it('without questions, repeats at once with the state alone', () => {
    const { rounds, asked, repeated } = bench();
    rounds.next(missing({}, '"s"'));
    expect([asked, repeated]).toEqual([[], [{ inputResponses: undefined, requestState: '"s"' }]]);
  });

  it('accepts one answer per question', () => {
    const { rounds, asked, repeated, failed } = bench();
    rounds.next(missing({ a: E, b: S }));
    asked[0]!.answer({ result: '{"n":1}' });
    asked[0]!.answer({ result: '{"n":2}' });
    asked[0]!.answer({ error: '{"code":1}' });
    expect(repeated).toEqual([]);
    asked[1]!.answer({ result: '{}' });
    asked[1]!.answer({ result: '{}' });
    asked[1]!.answer({ error: '{"code":1}' });
    expect(repeated).toMatchObject([{ inputResponses: '{"a":{"n":1},"b":{}}' }]);
    expect(failed).toEqual([]);
  });

  it('accepts an answer while it still asks', () => {
    const { rounds, repeated } = bench(ALL, ({ answer }) => answer({ result: '{}' }));
    rounds.next(missing({ a: E, b: E }));
    expect(repeated).toMatchObject([{ inputResponses: '{"a":{},"b":{}}' }]);
  });

  it('keeps unusual keys', () => {
    const { rounds, asked, repeated } = bench();
    rounds.next(missing({ __proto__x: R, '1': R, 'a"b': R }));
    for (const { answer } of asked) answer({ result: '{}' });
    expect(JSON.parse(repeated[0]!['inputResponses']!)).toEqual({ '1': {}, __proto__x: {}, 'a"b': {} });
  });

  it('adds the id that the legacy era requires to a URL elicitation', () => {
    const { rounds, asked } = bench();
    rounds.next(
      readInputRequired(
        '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url"}}}}',
      )!,
    );
    expect(JSON.parse(asked[0]!.params)).toEqual({ mode: 'url', elicitationId: expect.any(String) });
  });
});

describe('an error of the client', () => {
  it('on an elicitation counts as cancelled by the person', () => {
    const { rounds, asked, repeated, failed } = bench();
    rounds.next(missing({ a: E }));
    asked[0]!.answer({ error: '{"code":-1,"message":"no"}' });
    expect(repeated).toEqual([{ inputResponses: '{"a":{"action":"cancel"}}', requestState: undefined }]);
    expect(failed).toEqual([]);
  });

  it.each([S, R])('on %s ends the call with that error and withdraws the other questions', (method) => {
    const { rounds, asked, repeated, failed } = bench();
    rounds.next(missing({ a: E, b: method, c: E }));
    asked[1]!.answer({ error: '{"code":-1,"data":1.0}' });
    expect(failed).toEqual(['{"code":-1,"data":1.0}']);
    expect(asked.map(({ withdrawn }) => withdrawn !== undefined)).toEqual([true, true, true]);
    asked[0]!.answer({ result: '{}' });
    asked[2]!.answer({ error: '{"code":2}' });
    expect([failed.length, repeated]).toEqual([1, []]);
  });
});

describe('a missing ability', () => {
  it.each([
    ['{"elicitation":{}}', S],
    ['{"sampling":{}}', R],
    ['{}', R],
    [ALL, 'tasks/get'],
    [ALL, '__proto__'],
  ])('ends the call: with %s, %s is not asked', (capabilities, method) => {
    const { rounds, asked, failed } = bench(capabilities);
    rounds.next(missing({ a: method }));
    expect(asked).toEqual([]);
    expect(failed.map(codeOf)).toEqual([-32601]);
  });

  it('counts as cancelled by the person for an elicitation', () => {
    const { rounds, repeated } = bench('{}');
    rounds.next(missing({ a: E }));
    expect(repeated).toMatchObject([{ inputResponses: '{"a":{"action":"cancel"}}' }]);
  });

  it('withdraws the questions already asked and asks no more', () => {
    const { rounds, asked, failed } = bench('{"elicitation":{}}');
    rounds.next(missing({ a: E, b: S, c: E, d: S }));
    expect(asked.map(({ params, withdrawn }) => [params, withdrawn !== undefined])).toEqual([
      ['{"for":"a"}', true],
    ]);
    expect(failed).toHaveLength(1);
  });
});

describe('several rounds', () => {
  it('have separate answers', () => {
    const { rounds, asked, repeated } = bench();
    rounds.next(missing({ a: E }, '"1"'));
    asked[0]!.answer({ result: '{"n":1}' });
    rounds.next(missing({ a: E }, '"2"'));
    asked[1]!.answer({ result: '{"n":2}' });
    rounds.next(missing({}, '"3"'));
    expect(repeated).toEqual([
      { inputResponses: '{"a":{"n":1}}', requestState: '"1"' },
      { inputResponses: '{"a":{"n":2}}', requestState: '"2"' },
      { inputResponses: undefined, requestState: '"3"' },
    ]);
  });

  it('ignore a late answer of an earlier round', () => {
    const { rounds, asked, repeated } = bench();
    rounds.next(missing({ a: E }));
    asked[0]!.answer({ result: '{}' });
    rounds.next(missing({ a: E, b: E }));
    asked[0]!.answer({ result: '{"late":1}' });
    asked[1]!.answer({ result: '{}' });
    expect(repeated).toHaveLength(1);
  });

  it('are limited, even for a server that always asks for more', () => {
    const { rounds, repeated, failed } = bench();
    for (let round = 0; round < 16; round++) rounds.next(missing({}, '"s"'));
    expect([repeated.length, failed.length]).toEqual([16, 0]);
    rounds.next(missing({}, '"s"'));
    expect(repeated).toHaveLength(16);
    expect(failed.map(codeOf)).toEqual([-32603]);
  });

  it('are limited when nested', () => {
    const failed: ByteText[] = [];
    let repeats = 0;
    const rounds: AskRounds = new AskRounds({
      abilities: readAbilities(ALL),
      timeoutMs: TIMEOUT,
      ask: () => expect.unreachable('no question expected'),
      repeat() {
        repeats++;
        rounds.next(missing({}, '"s"'));
      },
      fail: (error) => void failed.push(error),
    });
    rounds.next(missing({}, '"s"'));
    expect([repeats, failed.length]).toEqual([16, 1]);
  });
});

describe('a client that does not answer', () => {
  it('fails the call after the timeout and withdraws its questions', () => {
    const { rounds, asked, repeated, failed } = bench();
    rounds.next(missing({ a: E, b: S }));
    asked[0]!.answer({ result: '{}' });
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect(failed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(failed.map(codeOf)).toEqual([-32603]);
    expect(asked[1]!.withdrawn).toBeDefined();
    asked[1]!.answer({ result: '{}' });
    expect([repeated, failed.length]).toEqual([[], 1]);
  });

  it('has the full timeout in each round', () => {
    const { rounds, asked, failed } = bench();
    rounds.next(missing({ a: E }));
    vi.advanceTimersByTime(TIMEOUT - 1);
    asked[0]!.answer({ result: '{}' });
    vi.advanceTimersByTime(10 * TIMEOUT);
    rounds.next(missing({ a: E }));
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect(failed).toEqual([]);
    asked[1]!.answer({ result: '{}' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('causes no timeout after the call was withdrawn or failed', () => {
    const given = bench();
    given.rounds.next(missing({ a: E }));
    given.rounds.withdraw('gone');
    const failed = bench();
    failed.rounds.next(missing({ a: E, b: S }));
    failed.asked[1]!.answer({ error: '{"code":1}' });
    vi.advanceTimersByTime(10 * TIMEOUT);
    expect([given.failed.length, failed.failed.length]).toEqual([0, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a withdrawn call', () => {
  it('withdraws its questions and ignores their answers', () => {
    const { rounds, asked, repeated, failed } = bench();
    rounds.next(missing({ a: E, b: S }));
    rounds.withdraw('the client went away');
    rounds.withdraw('again');
    expect(asked.map(({ withdrawn }) => withdrawn)).toEqual(['the client went away', 'the client went away']);
    asked[0]!.answer({ result: '{}' });
    asked[1]!.answer({ error: '{"code":1}' });
    expect([repeated, failed]).toEqual([[], []]);
  });

  it('is not repeated for a later round', () => {
    const { rounds, asked, repeated, failed } = bench();
    rounds.withdraw('gone');
    rounds.next(missing({ a: E }, '"s"'));
    expect([asked, repeated, failed.length]).toEqual([[], [], 1]);
  });

  it('does not withdraw answered questions', () => {
    const { rounds, asked } = bench();
    rounds.next(missing({ a: E }));
    asked[0]!.answer({ result: '{}' });
    rounds.withdraw('gone');
    expect(asked[0]!.withdrawn).toBeUndefined();
  });
});
