/** Why a call that needs an approval did not run. Models see only the message, so it includes the next step. */
import type { ApprovalRequest } from './subject.ts';
import { PincerError } from '../errors.ts';
import { visible } from '../visible.ts';

const nameOf = ({ server, method, name }: ApprovalRequest): string =>
  visible(method === 'tools/call' ? `${server}.${name}` : `${method} ${name} at ${server}`);

/** For calls whose name alone may be too long. */
const shortName = (request: ApprovalRequest): string => {
  const name = nameOf(request);
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`;
};

const MAX_NAME = 200;

const minutes = (ms: number): string => `${Math.max(1, Math.round(ms / 60_000))} min`;

export const approvalPending = (request: ApprovalRequest, id: string, ttlMs: number): PincerError =>
  new PincerError(
    'APPROVAL_PENDING',
    `${nameOf(request)} needs the approval of a person, who has not answered yet. It was not run. ` +
      `Once they have run \`pincer approvals allow ${id}\`, send the same call again.`,
    {
      hint: `Run \`pincer approvals allow ${id}\`. For ${minutes(ttlMs)} after that, the same call runs once.`,
      data: { approval: id },
    },
  );

export const approvalDenied = (request: ApprovalRequest, id: string, ttlMs: number): PincerError =>
  new PincerError('APPROVAL_DENIED', `A person has denied ${nameOf(request)}. It was not run.`, {
    hint: `Do not repeat it: the same call is denied for ${minutes(ttlMs)}, without asking again.`,
    data: { approval: id },
  });

export const approvalTooLong = (request: ApprovalRequest, maxBytes: number): PincerError =>
  new PincerError(
    'APPROVAL_TOO_LONG',
    `${shortName(request)} needs the approval of a person, but takes more than ${maxBytes} bytes to show in full. ` +
      'A person must see all of it, so it was not run.',
    { hint: 'Send less at once, or raise limits.maxApprovalBytes.' },
  );

export const approvalDropped = (request: ApprovalRequest): PincerError =>
  new PincerError(
    'APPROVAL_PENDING',
    `${nameOf(request)} needs the approval of a person, but too many other approvals are open. It was not run.`,
    { hint: 'Send fewer calls at once, or raise limits.maxApprovals.' },
  );

export const notGoingOn = (request: ApprovalRequest): PincerError =>
  new PincerError(
    'TOKEN_INVALID',
    `${nameOf(request)} was allowed, but the caller's credential has been revoked. It was not run.`,
  );

export const serverChanged = (request: ApprovalRequest): PincerError =>
  new PincerError(
    'TOOL_WITHDRAWN',
    `${nameOf(request)} was allowed, but another server has that name now. It was not run.`,
    { hint: 'List the tools again, then send the call again. It needs a new approval.' },
  );
