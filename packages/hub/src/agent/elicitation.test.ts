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

/** A client that answers at once, or never if there is no result. */
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

describe('elicitationFor', () => {
  it('shows the command and what declining does', () => {
    expect(formOf()).toEqual({
      message: [
        'OpenClaw: may this command run, once?',
        'If you decline, it does not run, and the agent is informed.',
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

  it('writes the choices in the form of the modern era', () => {
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

  it('shows hidden characters, keeps the title on one line, and cuts long text', () => {
    const { message } = formOf({ title: 'a\nb', detail: `c\u202e${'d'.repeat(40_000)}` });
    expect(message).toContain('a\\u000ab\n');
    expect(message).toContain('c\\u202ed');
    expect(message.length).toBeLessThan(33_000);
    expect(message.endsWith('… 40007 characters in all')).toBe(true);
  });

  it('shows the longest command that OpenClaw asks about in full', () => {
    const command = 'e'.repeat(16_384);
    expect(formOf({ detail: `Command: ${command}` }).message.endsWith(command)).toBe(true);
  });
});

describe('askByElicitation', () => {
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
  ])('reads %j as %s', async (result, decision) => {
    const at = line(result);
    expect(await askByElicitation(at, requestOf(FORMS), question())).toBe(decision);
    expect(at.asked.map(({ method }) => method)).toEqual(['elicitation/create']);
    expect(at.withdrawn).toEqual([]);
  });

  it('allows only a denial if the text is not shown in full', async () => {
    const at = line({ action: 'accept', content: { decision: 'allow-once' } });
    const long = question({ detail: `Command: echo ${'x'.repeat(40_000)}; rm -rf ~` });
    expect(await askByElicitation(at, requestOf(FORMS), long)).toBeUndefined();
    expect(at.asked[0]!.params).not.toContain('allow-once');
    expect(await askByElicitation(line({ action: 'decline' }), requestOf(FORMS), long)).toBe('deny');
  });

  it('treats an error as no decision', async () => {
    const ask: Exchange['ask'] = ({ answer }) => {
      queueMicrotask(() => answer({ error: '{"code":-32603,"message":"no"}' }));
      return { withdraw: () => undefined };
    };
    expect(await askByElicitation({ ask }, requestOf(FORMS), question())).toBeUndefined();
  });
});

describe('client', () => {
  it.each(['{}', '{"sampling":{}}', '{"elicitation":{"url":{}}}'])(
    'is not asked if it does not support forms: %s',
    async (abilities) => {
      const at = line({ action: 'accept', content: { decision: 'allow-once' } });
      expect(canBeAsked(requestOf(abilities))).toBe(false);
      expect(await askByElicitation(at, requestOf(abilities), question())).toBeUndefined();
      expect(at.asked).toEqual([]);
    },
  );

  it('is no longer asked when the question was decided elsewhere', async () => {
    const at = line();
    const elsewhere = new AbortController();
    const decided = askByElicitation(at, requestOf(FORMS), question({ signal: elsewhere.signal }));
    elsewhere.abort();
    expect(await decided).toBeUndefined();
    expect(at.withdrawn).toHaveLength(1);
  });

  it('is not asked about a question that is already decided', async () => {
    const at = line({ action: 'decline' });
    expect(
      await askByElicitation(at, requestOf(FORMS), question({ signal: AbortSignal.abort() })),
    ).toBeUndefined();
    expect(at.asked).toEqual([]);
  });
});
