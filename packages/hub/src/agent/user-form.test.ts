import { describe, expect, it } from 'vitest';
import { readAbilities, STRANGER } from '../core/client.ts';
import type { Era } from '../core/protocol.ts';
import type { Exchange, Question, SourceRequest } from '../core/request.ts';
import { jsonBytes, parseBytes } from '../core/wire/byte-text.ts';
import type { UserQuestion, UserQuestions } from './backend.ts';
import { answerByElicitation, userForm } from './elicitation.ts';

const ONE: UserQuestion = {
  id: 'target',
  header: 'Deploy',
  text: 'Where to?',
  link: undefined,
  options: [
    { label: 'Staging (Recommended)', description: 'Not public.' },
    { label: 'Production', description: undefined },
  ],
  takesSeveral: false,
  takesWords: true,
};
const SEVERAL: UserQuestion = { ...ONE, id: 'parts', header: 'Parts', takesSeveral: true };
const WORDS: UserQuestion = { ...ONE, id: 'name', header: 'Name', options: [] };
const FIXED: UserQuestion = { ...ONE, takesWords: false };
const FIXED_SEVERAL: UserQuestion = { ...SEVERAL, takesWords: false };

interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: object; readonly required: string[] };
}
const formOf = (questions: readonly UserQuestion[], era: Era = 'legacy'): Form =>
  parseBytes(userForm({ agentId: 'main', questions }, era)) as Form;
const fieldsOf = (question: UserQuestion, era?: Era): object =>
  formOf([question], era).requestedSchema.properties;

describe('userForm', () => {
  it('shows the agent, what declining does, and each question', () => {
    const { message, requestedSchema } = formOf([ONE, { ...WORDS, link: 'https://example.com/a' }]);
    expect(message.split('\n')).toEqual([
      'OpenClaw has a question for you.',
      'If you decline, the agent decides by itself.',
      'Agent: main',
      'Deploy: Where to?',
      'Name: Where to?',
      'https://example.com/a',
    ]);
    expect(Object.keys(requestedSchema.properties)).toEqual(['target', 'target-other', 'name']);
    // A free-text answer selects no option.
    expect(requestedSchema.required).toEqual(['name']);
  });

  it('has one choice with descriptions, and a field for free text', () => {
    expect(fieldsOf(ONE)).toEqual({
      target: {
        type: 'string',
        title: 'Deploy',
        description: 'Where to?',
        enum: ['Staging (Recommended)', 'Production'],
        enumNames: ['Staging (Recommended) – Not public.', 'Production'],
      },
      'target-other': {
        type: 'string',
        title: 'Deploy: something else',
        description: 'In your own words.',
      },
    });
    expect(fieldsOf(ONE, 'modern')).toMatchObject({
      target: {
        oneOf: [
          { const: 'Staging (Recommended)', title: 'Staging (Recommended) – Not public.' },
          { const: 'Production', title: 'Production' },
        ],
      },
    });
  });

  it('has a multiple choice in the modern era, and checkboxes in the legacy era', () => {
    expect(fieldsOf(SEVERAL, 'modern')).toMatchObject({
      parts: {
        type: 'array',
        items: { anyOf: [{ const: 'Staging (Recommended)' }, { const: 'Production' }] },
      },
    });
    expect(fieldsOf(SEVERAL)).toMatchObject({
      'parts-1': {
        type: 'boolean',
        title: 'Parts: Staging (Recommended)',
        description: 'Not public.',
        default: false,
      },
      'parts-2': { type: 'boolean', title: 'Parts: Production', default: false },
      'parts-other': { type: 'string' },
    });
  });

  it('requires an option if free text is not accepted', () => {
    expect(formOf([FIXED]).requestedSchema).toMatchObject({ required: ['target'] });
    expect(Object.keys(fieldsOf(FIXED))).toEqual(['target']);
    expect(formOf([FIXED_SEVERAL], 'modern').requestedSchema).toMatchObject({
      required: ['parts'],
      properties: { parts: { minItems: 1 } },
    });
    expect(formOf([FIXED_SEVERAL]).requestedSchema.required).toEqual([]);
  });

  it('shows hidden characters, keeps one line per question, and cuts long text', () => {
    const sly = {
      ...ONE,
      text: `a\nAgent: other\u202e${'b'.repeat(40_000)}`,
      options: [{ label: 'c\nd', description: 'e\u200bf' }],
    };
    const { message, requestedSchema } = formOf([sly]);
    expect(message.split('\n')).toHaveLength(4);
    expect(message).toContain('a\\u000aAgent: other\\u202eb');
    expect(message.length).toBeLessThan(33_000);
    expect(requestedSchema.properties).toMatchObject({
      target: { enum: ['c\\u000ad'], enumNames: ['c\\u000ad – e\\u200bf'] },
    });
  });
});

const requestOf = (abilities: object, era: Era): Pick<SourceRequest, 'client' | 'era'> => ({
  era,
  client: { ...STRANGER, abilities: readAbilities(JSON.stringify(abilities)) },
});

/** The answer that the agent receives. */
function answerTo(result: object, questions: readonly UserQuestion[], era: Era = 'legacy') {
  const exchange: Pick<Exchange, 'ask'> = {
    ask({ answer }: Question) {
      answer({ result: jsonBytes(result) });
      return { withdraw: () => undefined };
    },
  };
  const asked: UserQuestions = { agentId: undefined, questions, signal: new AbortController().signal };
  return answerByElicitation(exchange, requestOf({ elicitation: {} }, era), asked);
}
const filledIn = (content: object, questions: readonly UserQuestion[], era?: Era) =>
  answerTo({ action: 'accept', content }, questions, era);

describe('answerByElicitation', () => {
  it.each([
    [{ target: 'Production' }, { target: ['Production'] }],
    [{ 'target-other': ' my laptop ' }, { target: ['my laptop'] }],
    [{ target: 'Production', 'target-other': 'at night' }, { target: ['Production; at night'] }],
    [{ target: 'Nowhere' }, undefined],
    [{ target: '', 'target-other': ' ' }, undefined],
    [{ target: 3 }, undefined],
    [{}, undefined],
  ])('reads one option or free text: %j is %j', async (content, expected) => {
    expect(await filledIn(content, [ONE])).toEqual(expected);
  });

  it.each<[object, Era, object | undefined]>([
    [{ 'parts-1': true, 'parts-2': true }, 'legacy', { parts: ['Staging (Recommended)', 'Production'] }],
    [{ 'parts-1': false, 'parts-2': true, 'parts-other': 'x' }, 'legacy', { parts: ['Production', 'x'] }],
    [{ 'parts-1': false, 'parts-2': false }, 'legacy', undefined],
    [{ parts: ['Production', 'Nowhere'] }, 'modern', { parts: ['Production'] }],
    [{ parts: [], 'parts-other': 'x' }, 'modern', { parts: ['x'] }],
  ])('reads several options: %j in the %s era is %j', async (content, era, expected) => {
    expect(await filledIn(content, [SEVERAL], era)).toEqual(expected);
  });

  it('reads free text, unless only options count', async () => {
    expect(await filledIn({ name: 'Ada' }, [WORDS])).toEqual({ name: ['Ada'] });
    expect(await filledIn({ 'target-other': 'x' }, [FIXED])).toBeUndefined();
  });

  it('keeps an answer if another question was left open', async () => {
    expect(await filledIn({ name: 'Ada' }, [ONE, WORDS])).toEqual({ target: ['(left open)'], name: ['Ada'] });
    expect(await filledIn({ name: 'Ada' }, [FIXED, WORDS])).toBeUndefined();
  });

  it('returns the label of the agent, not the shown one', async () => {
    const odd = { ...ONE, options: [{ label: 'a\u200bb', description: undefined }] };
    expect(await filledIn({ target: 'a\\u200bb' }, [odd])).toEqual({ target: ['a\u200bb'] });
  });

  it('returns a declined or a missing answer', async () => {
    expect(await answerTo({ action: 'decline' }, [ONE])).toBe('declined');
    expect(await answerTo({ action: 'cancel' }, [ONE])).toBeUndefined();
    expect(await answerTo({ action: 'accept' }, [ONE])).toBeUndefined();
  });
});

describe('client', () => {
  it('without forms is not asked', async () => {
    const ask = () => expect.fail('It was asked.');
    const asked = { agentId: undefined, questions: [ONE], signal: new AbortController().signal };
    expect(await answerByElicitation({ ask }, requestOf({}, 'legacy'), asked)).toBeUndefined();
  });

  it('is no longer asked when the question was answered elsewhere', async () => {
    const withdrawn: string[] = [];
    const elsewhere = new AbortController();
    const answer = answerByElicitation(
      { ask: () => ({ withdraw: (reason) => void withdrawn.push(reason) }) },
      requestOf({ elicitation: {} }, 'legacy'),
      { agentId: undefined, questions: [ONE], signal: elsewhere.signal },
    );
    elsewhere.abort();
    expect(await answer).toBeUndefined();
    expect(withdrawn).toHaveLength(1);
  });
});
