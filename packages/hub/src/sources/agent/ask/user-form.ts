/** What an agent asks its user, as a form for the person at the MCP client. */
import type { Era } from '../../../core/protocol.ts';
import type { Exchange, SourceRequest } from '../../../core/request.ts';
import { visible } from '../../../core/visible.ts';
import { jsonBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import type { UserAnswers, UserQuestions } from '../backend.ts';
import { canBeAsked } from './elicitation.ts';
import { cut, putForm } from './form.ts';
import { fieldsOf, isRequired, valuesIn } from './user-fields.ts';

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
