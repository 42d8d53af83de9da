import { describe, expect, it } from 'vitest';
import { readQuestionList, readQuestionNews, type AskedQuestions } from './questions.ts';

/** As OpenClaw 2026.9.6 sends it. */
const QUESTION = {
  questionId: 'target',
  header: 'Deploy where',
  question: 'Where to deploy?',
  options: [{ label: 'Staging (Recommended)', description: 'safe' }, { label: 'Production' }],
  isOther: true,
};
const RECORD = {
  id: 'ask_1',
  questions: [QUESTION],
  agentId: 'main',
  sessionKey: 'agent:main:k',
  runId: 'r1',
  createdAtMs: 1,
  expiresAtMs: 900_001,
  status: 'pending',
};
const SECRET = {
  questionId: 'secret_value',
  header: 'API key',
  question: 'Provide the secret for STRIPE_KEY.',
  options: [],
  isSecret: true,
  secretStore: { name: 'STRIPE_KEY', kind: 'secret', reason: 'to pay', allowedHosts: [] },
};

function asked(changes: object = {}): AskedQuestions {
  const news = readQuestionNews('question.requested', { ...RECORD, ...changes });
  if (news?.kind !== 'requested') throw new Error('It was not read.');
  return news.asked;
}

describe('question', () => {
  it('is read with its options and its run', () => {
    expect(asked()).toEqual({
      id: 'ask_1',
      runId: 'r1',
      sessionKey: 'agent:main:k',
      agentId: 'main',
      isForForms: true,
      questions: [
        {
          id: 'target',
          header: 'Deploy where',
          text: 'Where to deploy?',
          link: undefined,
          options: [
            { label: 'Staging (Recommended)', description: 'safe' },
            { label: 'Production', description: undefined },
          ],
          takesSeveral: false,
          takesWords: true,
        },
      ],
    });
  });

  it.each([
    [{ multiSelect: true }, { takesSeveral: true, takesWords: true }],
    [{ isOther: false }, { takesSeveral: false, takesWords: false }],
    [
      { isOther: undefined, options: [] },
      { options: [], takesWords: true },
    ],
    [{ header: '' }, { header: 'target' }],
    [{ url: 'https://example.com' }, { link: 'https://example.com' }],
  ])('is read with changes: %j gives %j', (changes, expected) => {
    expect(asked({ questions: [{ ...QUESTION, ...changes }] }).questions).toMatchObject([expected]);
  });

  it.each([
    ['is a secret', [SECRET]],
    ['has one of several that is a secret', [QUESTION, { ...QUESTION, isSecret: true }]],
    ['is not understood', [QUESTION, { ...QUESTION, question: 3 }]],
    ['is empty', []],
  ])('is known, but not for forms, if it %s', (_, questions) => {
    expect(asked({ questions })).toMatchObject({ id: 'ask_1', runId: 'r1', isForForms: false });
  });
});

describe('events', () => {
  it('report that a question was resolved, in any way', () => {
    const answers = { answers: { target: ['x'] } };
    expect(readQuestionNews('question.resolved', { id: 'ask_1', status: 'answered', answers })).toEqual({
      kind: 'resolved',
      id: 'ask_1',
    });
  });

  it.each([
    ['question.requested', { ...RECORD, id: 3 }],
    ['question.requested', 'x'],
    ['question.resolved', {}],
    ['question.other', RECORD],
    ['exec.approval.requested', RECORD],
  ])('are ignored if they have another kind: %s', (event, payload) => {
    expect(readQuestionNews(event, payload)).toBeUndefined();
  });
});

it('reads a list entry by entry', () => {
  expect(
    readQuestionList({ questions: [RECORD, 3, { ...RECORD, id: 'ask_2' }] }).map(({ id }) => id),
  ).toEqual(['ask_1', 'ask_2']);
  expect(readQuestionList([RECORD])).toEqual([]);
});
