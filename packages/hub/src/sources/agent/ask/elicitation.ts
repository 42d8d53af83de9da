/** A question of an agent, put to the person at the MCP client. */
import { takesForms } from '../../../core/approvals/question.ts';
import { isRecord } from '../../../core/is-record.ts';
import type { Era } from '../../../core/protocol.ts';
import type { Answer, Exchange, SourceRequest } from '../../../core/request.ts';
import { visible, visibleBlock } from '../../../core/visible.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import type { AgentQuestion } from '../backend.ts';

type Asks = Pick<SourceRequest, 'client' | 'era'>;

/** Whether there is somebody to ask. Who declares elicitation and no mode means forms. */
export const canBeAsked = ({ client }: Pick<SourceRequest, 'client'>): boolean =>
  takesForms(client.abilities);

/** What was decided; undefined: nobody has. */
export async function askByElicitation(
  exchange: Pick<Exchange, 'ask'>,
  request: Asks,
  question: AgentQuestion,
): Promise<string | undefined> {
  const { signal, decisions } = question;
  if (!canBeAsked(request) || signal.aborted) return undefined;
  const decided = Promise.withResolvers<string | undefined>();
  const asked = exchange.ask({
    method: 'elicitation/create',
    params: elicitationFor(question, request.era),
    answer: (answer) => decided.resolve(readAnswer(answer, decisions)),
  });
  const withdraw = (): void => {
    asked.withdraw('it has been decided elsewhere, or the agent has stopped');
    decided.resolve(undefined);
  };
  signal.addEventListener('abort', withdraw);
  try {
    return await decided.promise;
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}

/** OpenClaw shows no more than 16,384 characters of a command and refuses longer ones, so that none is cut here. */
const MAX_DETAIL_CHARS = 32 * 1024;

/** Params of `elicitation/create`. What comes from the agent is at the end: nothing in it can pass for a line of ours. */
export function elicitationFor(
  { title, detail, decisions }: Omit<AgentQuestion, 'signal'>,
  era: Era,
): ByteText {
  return jsonBytes({
    message: [
      visible(title),
      'If you decline, it does not run, and the agent is told so.',
      cut(visibleBlock(detail)),
    ].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: { decision: { type: 'string', title: 'Decision', ...choiceOf(decisions, era) } },
      required: ['decision'],
    },
  });
}

const cut = (text: string): string =>
  text.length <= MAX_DETAIL_CHARS
    ? text
    : `${text.slice(0, MAX_DETAIL_CHARS)}… ${text.length} characters in all`;

const TITLES: Readonly<Record<string, string>> = { 'allow-once': 'Allow once', deny: 'Deny' };
const titleOf = (decision: string): string => TITLES[decision] ?? visible(decision);

/** Titles of choices: `oneOf` since 2025-11-25; clients of the legacy era may know `enumNames` only, and all do. */
const choiceOf = (decisions: readonly string[], era: Era): object =>
  era === 'modern'
    ? { oneOf: decisions.map((decision) => ({ const: decision, title: titleOf(decision) })) }
    : { enum: decisions, enumNames: decisions.map(titleOf) };

/** Who declines has decided, and who closes the question or accepts it without an answer has not. */
function readAnswer(answer: Answer, decisions: readonly string[]): string | undefined {
  const value = 'result' in answer ? parseBytes(answer.result) : undefined;
  if (!isRecord(value)) return undefined;
  if (value['action'] === 'decline') return decisions.at(-1);
  const content = value['action'] === 'accept' ? value['content'] : undefined;
  const decision = isRecord(content) ? content['decision'] : undefined;
  return decisions.find((each) => each === decision);
}
