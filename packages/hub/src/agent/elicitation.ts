/** Asks the person at the MCP client by elicitation: an approval that the agent needs, or questions of the agent to its user. */
import { takesForms } from '../core/approvals/question.ts';
import type { Era } from '../core/protocol.ts';
import type { Answer, Exchange, SourceRequest } from '../core/request.ts';
import { visible, visibleBlock } from '../core/visible.ts';
import { jsonBytes, parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { isRecord } from '../lib/record.ts';
import type { AgentQuestion, UserAnswers, UserOption, UserQuestion, UserQuestions } from './backend.ts';

type Asks = Pick<SourceRequest, 'client' | 'era'>;

/** Whether the client supports forms. Elicitation without a mode means forms. */
export const canBeAsked = ({ client }: Pick<SourceRequest, 'client'>): boolean =>
  takesForms(client.abilities);

/** Returns the decision, or undefined if there was none. */
export async function askByElicitation(
  exchange: Pick<Exchange, 'ask'>,
  request: Asks,
  question: AgentQuestion,
): Promise<string | undefined> {
  if (!canBeAsked(request)) return undefined;
  // A text that is not shown in full can only be denied.
  const decisions = isShownWhole(visibleBlock(question.detail))
    ? question.decisions
    : question.decisions.slice(-1);
  const form = elicitationFor({ ...question, decisions }, request.era);
  return readAnswer(await showForm(exchange, form, question.signal), decisions);
}

/** Params of `elicitation/create`. Text of the agent is last, so that it cannot imitate a line of ours. */
export function elicitationFor(
  { title, detail, decisions }: Omit<AgentQuestion, 'signal'>,
  era: Era,
): ByteText {
  return jsonBytes({
    message: [
      visible(title),
      'If you decline, it does not run, and the agent is informed.',
      cut(visibleBlock(detail)),
    ].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', ...choiceOf(decisions.map(decisionChoice), era) },
      },
      required: ['decision'],
    },
  });
}

const TITLES: Readonly<Record<string, string>> = { 'allow-once': 'Allow once', deny: 'Deny' };
const decisionChoice = (decision: string): Choice => ({
  value: decision,
  title: TITLES[decision] ?? visible(decision),
});

/** Declining counts as a decision. Closing the form, or accepting it without an answer, does not. */
function readAnswer(answer: FormAnswer, decisions: readonly string[]): string | undefined {
  if (answer === 'declined') return decisions.at(-1);
  return decisions.find((each) => each === answer?.['decision']);
}

/** Returns the answers to the agent's questions, or undefined if there was none. */
export async function answerByElicitation(
  exchange: Pick<Exchange, 'ask'>,
  request: Pick<SourceRequest, 'client' | 'era'>,
  asked: UserQuestions,
): Promise<UserAnswers | 'declined' | undefined> {
  if (!canBeAsked(request)) return undefined;
  const answer = await showForm(exchange, userForm(asked, request.era), asked.signal);
  return answer === undefined || answer === 'declined' ? answer : answersIn(answer, asked);
}

/** Params of `elicitation/create`. Text of the agent is last, so that it cannot imitate a line of ours. */
export function userForm({ agentId, questions }: Omit<UserQuestions, 'signal'>, era: Era): ByteText {
  const lines = questions.flatMap(({ header, text, link }) => [
    `${visible(header)}: ${visible(text)}`,
    ...(link === undefined ? [] : [visible(link)]),
  ]);
  return jsonBytes({
    message: [
      'OpenClaw has a question for you.',
      'If you decline, the agent decides by itself.',
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

/** OpenClaw requires an answer to each question, so open ones are filled in if at least one was answered. */
function answersIn(
  content: Readonly<Record<string, unknown>>,
  { questions }: UserQuestions,
): UserAnswers | undefined {
  const given = questions.map((question) => ({ ...question, values: valuesIn(question, content) }));
  if (given.every(({ values }) => values.length === 0)) return undefined;
  if (given.some(({ values, takesWords }) => values.length === 0 && !takesWords)) return undefined;
  return Object.fromEntries(given.map(({ id, values }) => [id, values.length === 0 ? [LEFT_OPEN] : values]));
}

/** The form fields of a question, by name. Question ids have no dash, so the names are unique. */
function fieldsOf(question: UserQuestion, era: Era): Readonly<Record<string, object>> {
  const { id, header, options, takesSeveral, takesWords } = question;
  if (options.length === 0) return { [id]: { type: 'string', ...wordsOf(question), minLength: 1 } };
  return {
    ...(takesSeveral ? severalOf(question, era) : { [id]: oneOf(question, era) }),
    ...(takesWords && {
      [otherName(id)]: {
        type: 'string',
        title: `${visible(header)}: something else`,
        description: takesSeveral ? 'In addition, or instead.' : 'In your own words.',
      },
    }),
  };
}

/** Whether the field with the question's id is required. */
const isRequired = ({ options, takesSeveral, takesWords }: UserQuestion, era: Era): boolean =>
  options.length === 0 || (!takesWords && (!takesSeveral || era === 'modern'));

/** Reads the answer from these fields: labels of options, and free text. */
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
  // A single answer: an option with added text means both.
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

/** Multiple choice came with 2025-11-25, and legacy clients may not know it: there each option is a checkbox. */
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

/** Some clients show the value instead of the title. */
const valueOf = ({ label }: UserOption): string => visible(label);

function choiceFor(option: UserOption): Choice {
  const value = valueOf(option);
  const { description } = option;
  return { value, title: description === undefined ? value : `${value} – ${cut(visible(description))}` };
}

/** The content of a form; undefined if it was closed, or could not be shown. */
type FormAnswer = Readonly<Record<string, unknown>> | 'declined' | undefined;

/** Shows a form (params of `elicitation/create`). Withdraws it when the signal aborts. */
async function showForm(
  exchange: Pick<Exchange, 'ask'>,
  form: ByteText,
  signal: AbortSignal,
): Promise<FormAnswer> {
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<FormAnswer>();
  const asked = exchange.ask({
    method: 'elicitation/create',
    params: form,
    answer: (answer) => resolve(read(answer)),
  });
  const withdraw = (): void => {
    asked.withdraw('it was answered elsewhere, or the agent has stopped');
    resolve(undefined);
  };
  signal.addEventListener('abort', withdraw);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}

function read(answer: Answer): FormAnswer {
  const value = 'result' in answer ? parseBytes(answer.result) : undefined;
  if (!isRecord(value)) return undefined;
  if (value['action'] === 'decline') return 'declined';
  const content = value['action'] === 'accept' ? value['content'] : undefined;
  return isRecord(content) ? content : undefined;
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** Choices with titles: `oneOf` since 2025-11-25; legacy clients may only know `enumNames`. */
const choiceOf = (choices: readonly Choice[], era: Era): object =>
  era === 'modern'
    ? { oneOf: choices.map(({ value, title }) => ({ const: value, title })) }
    : { enum: choices.map(({ value }) => value), enumNames: choices.map(({ title }) => title) };

/** OpenClaw refuses commands longer than 16,384 characters, so no command is cut here. */
const MAX_CHARS = 32 * 1024;

const isShownWhole = (text: string): boolean => text.length <= MAX_CHARS;

const cut = (text: string): string =>
  isShownWhole(text) ? text : `${text.slice(0, MAX_CHARS)}… ${text.length} characters in all`;
