/** The approval as an elicitation, for clients whose answer counts as the person's. */
import type { ApprovalDecision, OpenApproval } from './approvals.ts';
import type { Abilities } from '../client.ts';
import { isRecord } from '../../lib/record.ts';
import { spellString } from './spell-string.ts';
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';

export const APPROVAL_METHOD = 'elicitation/create';

/** A client that declares elicitation without a mode supports forms (2025-11-25 "Elicitation", capabilities). */
export function takesForms({ elicitation, raw }: Abilities): boolean {
  if (!elicitation) return false;
  const declared = (parseBytes(raw) as { elicitation: object }).elicitation;
  return 'form' in declared || !('url' in declared);
}

/**
 * Params of `elicitation/create`. A question too long for a form is not shown in part. There it can only be denied, and
 * its text names the command that shows all of it.
 */
export const approvalQuestion = (approval: OpenApproval, maxBytes: number): ByteText =>
  jsonBytes({
    message: fitsForm(approval, maxBytes) ? wholeText(approval) : pointer(approval),
    requestedSchema: { type: 'object', properties: {} },
  });

/** Whether the form shows the whole question. Only then can it be allowed there. */
export const fitsForm = (approval: OpenApproval, maxBytes: number): boolean =>
  Buffer.byteLength(wholeText(approval)) <= maxBytes;

/**
 * Names are quoted, and each foreign text is on its own line without line breaks. So no argument can imitate one of our
 * lines.
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
    'Pincer: a call waits for your approval. It is too long to show here.',
    `Server: ${clipped(server)}`,
    `Tool: ${clipped(tool)}`,
    `Asked for by: ${clipped(caller)}`,
    `To see all of it and allow it, run: pincer approvals show ${id}`,
    'Decline to deny it here. Any other answer leaves it open.',
  ].join('\n');

const MAX_NAME = 100;

const clipped = (name: string): string =>
  name.length <= MAX_NAME ? spellString(name) : `${spellString(name.slice(0, MAX_NAME))}…`;

/** Returns undefined if the person did not decide. */
export function readDecision(result: ByteText | undefined): ApprovalDecision | undefined {
  const value = result === undefined ? undefined : parseBytes(result);
  const action = isRecord(value) ? value['action'] : undefined;
  if (action === 'accept') return 'allowed';
  return action === 'decline' ? 'denied' : undefined;
}
