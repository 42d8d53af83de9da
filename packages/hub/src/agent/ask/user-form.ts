/** What an agent asks its user, as a form for the person at the MCP client. */
import type { Era } from '../../core/protocol.ts';
import type { Exchange, SourceRequest } from '../../core/request.ts';
import { visible } from '../../core/visible.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import type { UserAnswers, UserQuestions, UserOption, UserQuestion } from '../backend.ts';
import { canBeAsked } from './elicitation.ts';
import { cut, putForm, choiceOf, type Choice } from './form.ts';

/** What was answered; undefined: they have not said anything. */
export async function answerByElicitation(
  exchange: Pick<Exchange, 'ask'>,
  request: Pick<SourceRequest, 'client' | 'era'>,
  asked: UserQuestions,
): Promise<UserAnswers | 'declined' | undefined> {
  if (!canBeAsked(request)) return undefined;
  const said = await putForm(exchange, userForm(asked, request.era), asked.signal);
  return said === undefined || said === 'declined' ? said : answersIn(said, asked);
}

/** Params of `elicitation/create`. What comes from the agent is at the end: nothing in it can pass for a line of ours. */
export function userForm({ agentId, questions }: Omit<UserQuestions, 'signal'>, era: Era): ByteText {
  const lines = questions.flatMap(({ header, text, link }) => [
    `${visible(header)}: ${visible(text)}`,
    ...(link === undefined ? [] : [visible(link)]),
  ]);
  return jsonBytes({
    message: [
      'OpenClaw asks you something.',
      'If you decline, the agent goes on as it thinks best.',
      ...(agentId === undefined ? [] : [`Agent: ${visible(agentId)}`]),
      cut(lines.join('\n')),
    ].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: Object.assign({}, ...questions.map((question) => fieldsOf(question, era))),
      required: questions.filter((question) => isRequired(question, era)).map(({ id }) => id),
    },
  });
}

const LEFT_OPEN = '(left open)';

/** OpenClaw wants an answer to each. Where something was answered, what was not is not lost to the rest. */
function answersIn(
  content: Readonly<Record<string, unknown>>,
  { questions }: UserQuestions,
): UserAnswers | undefined {
  const given = questions.map((question) => ({ ...question, values: valuesIn(question, content) }));
  if (given.every(({ values }) => values.length === 0)) return undefined;
  if (given.some(({ values, takesWords }) => values.length === 0 && !takesWords)) return undefined;
  return Object.fromEntries(given.map(({ id, values }) => [id, values.length === 0 ? [LEFT_OPEN] : values]));
}

/**
 * The fields of a form that a question of an agent's is answered in. By their names. No id of a question has a
 * dash in it.
 */
function fieldsOf(question: UserQuestion, era: Era): Readonly<Record<string, object>> {
  const { id, header, options, takesSeveral, takesWords } = question;
  if (options.length === 0) return { [id]: { type: 'string', ...wordsOf(question), minLength: 1 } };
  return {
    ...(takesSeveral ? severalOf(question, era) : { [id]: oneOf(question, era) }),
    ...(takesWords && {
      [otherName(id)]: {
        type: 'string',
        title: `${visible(header)}: something else`,
        description: takesSeveral ? 'Besides, or instead.' : 'In your own words.',
      },
    }),
  };
}

/** Whether the field of its own name has to be filled in. */
const isRequired = ({ options, takesSeveral, takesWords }: UserQuestion, era: Era): boolean =>
  options.length === 0 || (!takesWords && (!takesSeveral || era === 'modern'));

/** What was answered in them: labels of options, and words. */
function valuesIn(question: UserQuestion, content: Readonly<Record<string, unknown>>): string[] {
  const { id, options, takesSeveral, takesWords } = question;
  const own = content[id];
  if (options.length === 0) return wordsIn(own);
  const named: readonly unknown[] = Array.isArray(own) ? own : [own];
  const chosen = options
    .filter((option, at) => named.includes(valueOf(option)) || content[tickName(id, at)] === true)
    .map(({ label }) => label);
  const words = takesWords ? wordsIn(content[otherName(id)]) : [];
  if (takesSeveral) return [...chosen, ...words];
  // One answer, whatever it is made of: who chooses an option and adds a word means both.
  return wordsIn([...chosen, ...words].join('; '));
}

const wordsIn = (value: unknown): string[] => {
  const words = typeof value === 'string' ? value.trim() : '';
  return words === '' ? [] : [words];
};

const otherName = (id: string): string => `${id}-other`;
const tickName = (id: string, at: number): string => `${id}-${at + 1}`;

const wordsOf = ({ header, text }: UserQuestion): object => ({
  title: visible(header),
  description: cut(visible(text)),
});

const oneOf = (question: UserQuestion, era: Era): object => ({
  type: 'string',
  ...wordsOf(question),
  ...choiceOf(question.options.map(choiceFor), era),
});

/** A choice of several came with 2025-11-25, and clients of the legacy era may not know it: each option has a box. */
function severalOf(question: UserQuestion, era: Era): Readonly<Record<string, object>> {
  const { id, header, options, takesWords } = question;
  if (era === 'modern') {
    const items = { anyOf: options.map(choiceFor).map(({ value, title }) => ({ const: value, title })) };
    return {
      [id]: { type: 'array', ...wordsOf(question), items, ...(!takesWords && { minItems: 1 }) },
    };
  }
  return Object.fromEntries(
    options.map((option, at) => [
      tickName(id, at),
      {
        type: 'boolean',
        title: `${visible(header)}: ${visible(option.label)}`,
        ...(option.description !== undefined && { description: cut(visible(option.description)) }),
        default: false,
      },
    ]),
  );
}

/** Some clients show the value and no title. */
const valueOf = ({ label }: UserOption): string => visible(label);

function choiceFor(option: UserOption): Choice {
  const value = valueOf(option);
  const { description } = option;
  return { value, title: description === undefined ? value : `${value} – ${cut(visible(description))}` };
}
