import { describe, expect, it } from 'vitest';
import { readAbilities, STRANGER } from '../core/client.ts';
import type { Exchange, Question, SourceRequest } from '../core/request.ts';
import { parseBytes, toByteText } from '../core/wire/byte-text.ts';
import type { AgentQuestion } from './backend.ts';
import { askByElicitation, canBeAsked, elicitationFor } from './elicitation.ts';

const DECISIONS = ['allow-once', 'deny'];

function question(changes: Partial<AgentQuestion> = {}): AgentQuestion {
  return {
    title: 'OpenClaw: may this command run, once?',
    detail: 'Agent: main\nFolder: /größe\nCommand: rm -rf build',
    decisions: DECISIONS,
    signal: new AbortController().signal,
    ...changes,
  };
}

const requestOf = (
  abilities: string,
  era: SourceRequest['era'] = 'legacy',
): Pick<SourceRequest, 'client' | 'era'> => ({
  era,
  client: { ...STRANGER, abilities: readAbilities(abilities) },
});
const FORMS = '{"elicitation":{}}';

interface Line extends Pick<Exchange, 'ask'> {
  readonly asked: Question[];
  readonly withdrawn: string[];
}

/** A client that answers at once, or with nothing: never. */
function line(result?: object): Line {
  const asked: Question[] = [];
  const withdrawn: string[] = [];
  return {
    asked,
    withdrawn,
    ask(each) {
      asked.push(each);
      if (result !== undefined) each.answer({ result: toByteText(JSON.stringify(result)) });
      return { withdraw: (reason) => void withdrawn.push(reason) };
    },
  };
}

interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: object };
}
const formOf = (changes?: Partial<AgentQuestion>, era: SourceRequest['era'] = 'legacy'): Form =>
  parseBytes(elicitationFor(question(changes), era)) as Form;

describe('the question', () => {
  it('says what it is about, and what becomes of it when it is declined', () => {
    expect(formOf()).toEqual({
      message: [
        'OpenClaw: may this command run, once?',
        'If you decline, it does not run, and the agent is told so.',
        'Agent: main',
        'Folder: /größe',
        'Command: rm -rf build',
      ].join('\n'),
      requestedSchema: {
        type: 'object',
        properties: {
          decision: {
            type: 'string',
            title: 'Decision',
            enum: ['allow-once', 'deny'],
            enumNames: ['Allow once', 'Deny'],
          },
        },
        required: ['decision'],
      },
    });
  });

  it('has its choices in the words of the modern era for whoever speaks that', () => {
    expect(formOf({}, 'modern').requestedSchema.properties).toEqual({
      decision: {
        type: 'string',
        title: 'Decision',
        oneOf: [
          { const: 'allow-once', title: 'Allow once' },
          { const: 'deny', title: 'Deny' },
        ],
      },
    });
  });

  it('hides nothing, has one line for its title, and an end', () => {
    const { message } = formOf({ title: 'a\nb', detail: `c\u202e${'d'.repeat(40_000)}` });
    expect(message).toContain('a\\u000ab\n');
    expect(message).toContain('c\\u202ed');
    expect(message.length).toBeLessThan(33_000);
    expect(message.endsWith('… 40007 characters in all')).toBe(true);
  });

  it('has the longest command that OpenClaw asks about in full', () => {
    const command = 'e'.repeat(16_384);
    expect(formOf({ detail: `Command: ${command}` }).message.endsWith(command)).toBe(true);
  });
});

describe('the answer', () => {
  it.each([
    [{ action: 'accept', content: { decision: 'allow-once' } }, 'allow-once'],
    [{ action: 'accept', content: { decision: 'deny' } }, 'deny'],
    [{ action: 'decline' }, 'deny'],
    [{ action: 'cancel' }, undefined],
    [{ action: 'accept' }, undefined],
    [{ action: 'accept', content: {} }, undefined],
    [{ action: 'accept', content: { decision: 'allow-always' } }, undefined],
    [{ action: 'accept', content: { decision: ['allow-once'] } }, undefined],
    [{ action: 'cancel', content: { decision: 'allow-once' } }, undefined],
    [[], undefined],
  ])('%j means %s', async (result, decision) => {
    const at = line(result);
    expect(await askByElicitation(at, requestOf(FORMS), question())).toBe(decision);
    expect(at.asked.map(({ method }) => method)).toEqual(['elicitation/create']);
    expect(at.withdrawn).toEqual([]);
  });

  it('to what is too long to be shown whole cannot be a yes', async () => {
    const at = line({ action: 'accept', content: { decision: 'allow-once' } });
    const long = question({ detail: `Command: echo ${'x'.repeat(40_000)}; rm -rf ~` });
    expect(await askByElicitation(at, requestOf(FORMS), long)).toBeUndefined();
    expect(at.asked[0]!.params).not.toContain('allow-once');
    expect(await askByElicitation(line({ action: 'decline' }), requestOf(FORMS), long)).toBe('deny');
  });

  it('that is an error means that nobody has decided', async () => {
    const ask: Exchange['ask'] = ({ answer }) => {
      queueMicrotask(() => answer({ error: '{"code":-32603,"message":"no"}' }));
      return { withdraw: () => undefined };
    };
    expect(await askByElicitation({ ask }, requestOf(FORMS), question())).toBeUndefined();
  });
});

describe('a client', () => {
  it.each(['{}', '{"sampling":{}}', '{"elicitation":{"url":{}}}'])(
    'that takes no forms is not asked: %s',
    async (abilities) => {
      const at = line({ action: 'accept', content: { decision: 'allow-once' } });
      expect(canBeAsked(requestOf(abilities))).toBe(false);
      expect(await askByElicitation(at, requestOf(abilities), question())).toBeUndefined();
      expect(at.asked).toEqual([]);
    },
  );

  it('is no longer asked when it has been decided elsewhere', async () => {
    const at = line();
    const elsewhere = new AbortController();
    const decided = askByElicitation(at, requestOf(FORMS), question({ signal: elsewhere.signal }));
    elsewhere.abort();
    expect(await decided).toBeUndefined();
    expect(at.withdrawn).toHaveLength(1);
  });

  it('is not asked at all about what has been decided', async () => {
    const at = line({ action: 'decline' });
    expect(
      await askByElicitation(at, requestOf(FORMS), question({ signal: AbortSignal.abort() })),
    ).toBeUndefined();
    expect(at.asked).toEqual([]);
  });
});
