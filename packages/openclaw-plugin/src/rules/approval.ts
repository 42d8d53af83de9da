/** A person is asked by OpenClaw, in the words of the hub; what they say is told to the hub before the call reaches it. */
import { ask, type AskedQuestion, type HubClient } from 'pincer/client';
import type { ApprovalRequest, ApprovalResolution } from '../host.ts';
import { nameOf } from './question-text.ts';

export interface ApprovalParts {
  readonly hub: HubClient;
  readonly question: AskedQuestion;
  /** All of it, as OpenClaw shows it. */
  readonly text: Pick<ApprovalRequest, 'title' | 'description'>;
  /** The call is not wanted any more. */
  readonly signal: AbortSignal | undefined;
  /** OpenClaw has found nobody whom it could ask. */
  onNobody(): void;
  warn(message: string): void;
}

/** What the host waits by default. The call has not begun, so none of its deadlines runs. */
const ANSWER_MS = 120_000;
/** The host says how it ended; unless another plugin has refused the call meanwhile. */
const FORGOTTEN_MS = ANSWER_MS + 30_000;

export function approvalOf(parts: ApprovalParts): ApprovalRequest {
  const { question, text } = parts;
  const forgotten = setTimeout(() => void withdraw(parts), FORGOTTEN_MS).unref();
  return {
    ...text,
    severity: 'warning',
    timeoutMs: ANSWER_MS,
    timeoutReason:
      `Nobody has said whether ${nameOf(question)} may run. It was not run. ` +
      'Tell the person, and call it again when they are there: they are asked again. ' +
      `They can also allow it now: /mcp approvals allow ${question.id}`,
    // One answer is for one call. What is always allowed is said in the configuration.
    allowedDecisions: ['allow-once', 'deny'],
    async onResolution(decision) {
      clearTimeout(forgotten);
      await tell(parts, decision);
    },
  };
}

/**
 * The host does not wait for this. A call that is there first waits at the hub for what is told here. A question that nobody
 * has answered stays open: `/mcp approvals` shows it, and the same call runs once it is allowed there.
 */
async function tell(parts: ApprovalParts, decision: ApprovalResolution): Promise<void> {
  switch (decision) {
    case 'allow-once':
    case 'allow-always':
      return decide(parts, 'allowed');
    case 'deny':
      return decide(parts, 'denied');
    case 'cancelled':
      if (parts.signal?.aborted === true) return withdraw(parts);
      parts.onNobody();
      return;
    case 'timeout':
      return;
  }
}

const decide = (parts: ApprovalParts, decision: 'allowed' | 'denied'): Promise<void> =>
  quietly(parts, () => ask(parts.hub, 'POST approvals', { body: { id: parts.question.id, decision } }));

const withdraw = (parts: ApprovalParts): Promise<void> =>
  quietly(parts, () => ask(parts.hub, 'DELETE approvals', { query: { id: parts.question.id } }));

/** Where the hub does not hear of it, it asks in its own way when the call comes. */
async function quietly({ question, warn }: ApprovalParts, change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    warn(`The answer for ${nameOf(question)} did not reach the hub: ${String(error)}`);
  }
}
