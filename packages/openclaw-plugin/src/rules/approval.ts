/** Lets OpenClaw ask a person about a call, and sends the decision to the hub before the call reaches it. */
import { ask, type AskedQuestion, type HubClient } from 'pincer/client';
import type { ApprovalRequest, ApprovalResolution } from '../host.ts';

interface ApprovalParts {
  readonly hub: HubClient;
  readonly question: AskedQuestion;
  /** The whole question, as OpenClaw shows it. */
  readonly text: Pick<ApprovalRequest, 'title' | 'description'>;
  /** Aborted if the call is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** OpenClaw could not ask a person. */
  onUnattended(): void;
  warn(message: string): void;
}

/** The host's default. The call has not begun, so no timeout of the call runs. */
const ANSWER_MS = 120_000;
/** The host does not report the end if another plugin refuses the call meanwhile. */
const FORGOTTEN_MS = ANSWER_MS + 30_000;

export function approvalOf(parts: ApprovalParts): ApprovalRequest {
  const { question, text } = parts;
  const forgotten = setTimeout(() => void withdraw(parts), FORGOTTEN_MS).unref();
  return {
    ...text,
    severity: 'warning',
    timeoutMs: ANSWER_MS,
    timeoutReason:
      `The person has not decided about ${nameOf(question)}. It was not run. ` +
      'Tell the person, and call it again when they are present: they are asked again. ' +
      `They can also allow it with: /mcp approvals allow ${question.id}`,
    // A decision is for one call. Permanent permissions are in the configuration.
    allowedDecisions: ['allow-once', 'deny'],
    async onResolution(decision) {
      clearTimeout(forgotten);
      await sendDecision(parts, decision);
    },
  };
}

/**
 * The host does not wait for this. If the call reaches the hub first, it waits there for the decision. An unanswered
 * question stays open: `/mcp approvals` shows it, and the same call runs once it is allowed there.
 */
async function sendDecision(parts: ApprovalParts, decision: ApprovalResolution): Promise<void> {
  switch (decision) {
    case 'allow-once':
    case 'allow-always':
      return decide(parts, 'allowed');
    case 'deny':
      return decide(parts, 'denied');
    case 'cancelled':
      if (parts.signal?.aborted === true) return withdraw(parts);
      parts.onUnattended();
      return;
    case 'timeout':
      return;
  }
}

const decide = (parts: ApprovalParts, decision: 'allowed' | 'denied'): Promise<void> =>
  warnOnFailure(parts, () => ask(parts.hub, 'POST approvals', { body: { id: parts.question.id, decision } }));

const withdraw = (parts: ApprovalParts): Promise<void> =>
  warnOnFailure(parts, () => ask(parts.hub, 'DELETE approvals', { query: { id: parts.question.id } }));

/** If the hub does not receive the decision, it asks by itself when the call comes. */
async function warnOnFailure(
  { question, warn }: ApprovalParts,
  change: () => Promise<unknown>,
): Promise<void> {
  try {
    await change();
  } catch (error) {
    warn(`The decision about ${nameOf(question)} did not reach the hub: ${String(error)}`);
  }
}

// OpenClaw's limits. It refuses a longer question, and the call with it.
const MAX_TITLE = 80;
const MAX_DESCRIPTION = 512;
const MAX_NAME = 128;
/** The most bytes of arguments that can fit. */
export const ARGUMENTS_ROOM = MAX_DESCRIPTION;

/** Characters that the host escapes, which makes the text longer. */
const HOST_ESCAPES =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0]/gu;

/** Returns undefined if OpenClaw cannot show the whole call: a person must not decide about a part of it. */
export function questionText(
  { server, tool, arguments: given, isCut }: AskedQuestion,
  agent: string | undefined,
): Pick<ApprovalRequest, 'title' | 'description'> | undefined {
  // Names are quoted, and foreign text has its own line, so that no argument can imitate a line of ours.
  const description = [
    `Server: ${quoted(server)}`,
    `Tool: ${quoted(tool)}`,
    ...(agent === undefined ? [] : [`Agent: ${quoted(agent)}`]),
    `Arguments: ${onOneLine(given)}`,
  ].join('\n');
  if (isCut || Array.from(description).length > MAX_DESCRIPTION) return undefined;
  return { title: `Run ${clipped(onOneLine(`${server}.${tool}`), MAX_TITLE - 10)} once?`, description };
}

/** Tells the model how the person can approve. */
export const elsewhere = (question: AskedQuestion): string =>
  `${nameOf(question)} needs the approval of the owner, but is too long for a question in OpenClaw. It was not run. ` +
  `Ask the owner to type: /mcp approvals show ${question.id}. ` +
  'That shows the whole call, or where to see it. After the owner has allowed it, call it again with the same arguments.';

const nameOf = ({ server, tool }: AskedQuestion): string => clipped(onOneLine(`${server}.${tool}`), MAX_NAME);

const quoted = (name: string): string => onOneLine(JSON.stringify(name));

const onOneLine = (text: string): string =>
  text.replaceAll(HOST_ESCAPES, (char) => `\\u{${char.codePointAt(0)!.toString(16).toUpperCase()}}`);

/** The host counts whole characters. */
function clipped(text: string, max: number): string {
  const chars = Array.from(text);
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}
