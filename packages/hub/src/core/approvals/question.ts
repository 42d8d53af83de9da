/** The question in the words of an elicitation, for clients whose answer counts as the person's. */
import type { ApprovalDecision, OpenApproval } from './approvals.ts';
import type { Abilities } from '../client.ts';
import { isRecord } from '../../lib/record.ts';
import { spellString } from './spell-string.ts';
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';

export const APPROVAL_METHOD = 'elicitation/create';

/** Who declares elicitation and no mode means forms (2025-11-25 "Elicitation", capabilities). */
export function takesForms({ elicitation, raw }: Abilities): boolean {
  if (!elicitation) return false;
  const declared = (parseBytes(raw) as { elicitation: object }).elicitation;
  return 'form' in declared || !('url' in declared);
}

/**
 * Params of `elicitation/create`. A question that is too long for a form is not shown in part: there it can only be
 * denied, and says where it can be seen.
 */
export const approvalQuestion = (approval: OpenApproval, maxBytes: number): ByteText =>
  jsonBytes({
    message: fitsForm(approval, maxBytes) ? wholeText(approval) : pointer(approval),
    requestedSchema: { type: 'object', properties: {} },
  });

/** Whether the form shows all of the question: only then does it count as an approval. */
export const fitsForm = (approval: OpenApproval, maxBytes: number): boolean =>
  Buffer.byteLength(wholeText(approval)) <= maxBytes;

/**
 * Names are quoted and everything that comes from elsewhere is on a line of its own, without line breaks: no argument
 * can look like a line of ours.
 */
const wholeText = ({ server, tool, arguments: shown, caller }: OpenApproval): string =>
  [
    'Pincer: may this call run, once?',
    `Server: ${spellString(server)}`,
    `Tool: ${spellString(tool)}`,
    `Arguments: ${shown}`,
    `Asked for by: ${spellString(caller)}`,
  ].join('\n');

const pointer = ({ id, server, tool, caller }: OpenApproval): string =>
  [
    'Pincer: a call waits for your approval. It is too long to be shown here.',
    `Server: ${clipped(server)}`,
    `Tool: ${clipped(tool)}`,
    `Asked for by: ${clipped(caller)}`,
    `See all of it, and allow it there: pincer approvals show ${id}`,
    'Here it can only be denied: decline. Any other answer leaves it open.',
  ].join('\n');

const MAX_NAME = 100;

const clipped = (name: string): string =>
  name.length <= MAX_NAME ? spellString(name) : `${spellString(name.slice(0, MAX_NAME))}…`;

/** Undefined: the person has put it off. */
export function readDecision(result: ByteText | undefined): ApprovalDecision | undefined {
  const value = result === undefined ? undefined : parseBytes(result);
  const action = isRecord(value) ? value['action'] : undefined;
  if (action === 'accept') return 'allowed';
  return action === 'decline' ? 'denied' : undefined;
}
