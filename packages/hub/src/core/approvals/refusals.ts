/** Why a call that needs an approval did not run. Models see the message alone, so it says what to do. */
import type { ApprovalRequest } from './subject.ts';
import { PincerError } from '../errors.ts';
import { visible } from '../visible.ts';

const nameOf = ({ server, method, name }: ApprovalRequest): string =>
  visible(method === 'tools/call' ? `${server}.${name}` : `${method} ${name} at ${server}`);

/** Of a call whose name alone may be too long. */
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
    `${shortName(request)} needs the approval of a person, and takes more than ${maxBytes} bytes to be shown in full. ` +
      'Nobody can be asked about what they are not shown, so it was not run.',
    { hint: 'Send less at once, or raise limits.maxApprovalBytes.' },
  );

export const approvalDropped = (request: ApprovalRequest): PincerError =>
  new PincerError(
    'APPROVAL_PENDING',
    `${nameOf(request)} needs the approval of a person, of whom too much else was asked. It was not run.`,
    { hint: 'Ask for less at once, or raise limits.maxApprovals.' },
  );

export const notGoingOn = (request: ApprovalRequest): PincerError =>
  new PincerError(
    'TOKEN_INVALID',
    `${nameOf(request)} was allowed, but the credential that asked for it has been revoked. It was not run.`,
  );

export const serverChanged = (request: ApprovalRequest): PincerError =>
  new PincerError(
    'TOOL_WITHDRAWN',
    `${nameOf(request)} was allowed, but the server of that name is another one by now. It was not run.`,
    { hint: 'Ask for the list of tools again, then send the call again: it needs another approval.' },
  );
