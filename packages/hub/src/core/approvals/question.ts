/** The question in the words of an elicitation, for clients whose answer counts as the person's. */
import type { ApprovalDecision, OpenApproval } from './approvals.ts';
import type { Abilities } from '../client.ts';
import { isRecord } from '../is-record.ts';
import { quotedVisibly } from '../redact/redact-text.ts';
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';

export const APPROVAL_METHOD = 'elicitation/create';

/** Who declares elicitation and no mode means forms (2025-11-25 "Elicitation", capabilities). */
export function takesForms({ elicitation, raw }: Abilities): boolean {
  if (!elicitation) return false;
  const declared = (parseBytes(raw) as { elicitation: object }).elicitation;
  return 'form' in declared || !('url' in declared);
}

/**
 * Params of `elicitation/create`. Names are quoted and everything that comes from elsewhere is on a line of its own,
 * without line breaks: no argument can look like a line of ours.
 */
export const approvalQuestion = ({ server, tool, arguments: shown, caller }: OpenApproval): ByteText =>
  jsonBytes({
    message: [
      'Pincer: may this call run, once?',
      `Server: ${quotedVisibly(server)}`,
      `Tool: ${quotedVisibly(tool)}`,
      `Arguments: ${shown}`,
      `Asked for by: ${quotedVisibly(caller)}`,
    ].join('\n'),
    requestedSchema: { type: 'object', properties: {} },
  });

/** Undefined: the person has put it off. */
export function readDecision(result: ByteText | undefined): ApprovalDecision | undefined {
  const value = result === undefined ? undefined : parseBytes(result);
  const action = isRecord(value) ? value['action'] : undefined;
  if (action === 'accept') return 'allowed';
  return action === 'decline' ? 'denied' : undefined;
}
