/** What an agent needs an approval for, put to the person at the MCP client. */
import { takesForms } from '../../core/approvals/question.ts';
import type { Era } from '../../core/protocol.ts';
import type { Exchange, SourceRequest } from '../../core/request.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import type { AgentQuestion } from '../backend.ts';
import { choiceOf, cut, isShownWhole, putForm, type Choice, type Filled } from './form.ts';

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
  if (!canBeAsked(request)) return undefined;
  // What is not shown in full can only be denied.
  const decisions = isShownWhole(visibleBlock(question.detail))
    ? question.decisions
    : question.decisions.slice(-1);
  const form = elicitationFor({ ...question, decisions }, request.era);
  return readAnswer(await putForm(exchange, form, question.signal), decisions);
}

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
      properties: {
        decision: { type: 'string', title: 'Decision', ...choiceOf(decisions.map(choiceFor), era) },
      },
      required: ['decision'],
    },
  });
}

const TITLES: Readonly<Record<string, string>> = { 'allow-once': 'Allow once', deny: 'Deny' };
const choiceFor = (decision: string): Choice => ({
  value: decision,
  title: TITLES[decision] ?? visible(decision),
});

/** Who declines has decided, and who closes the question or accepts it without an answer has not. */
function readAnswer(said: Filled, decisions: readonly string[]): string | undefined {
  if (said === 'declined') return decisions.at(-1);
  return decisions.find((each) => each === said?.['decision']);
}
