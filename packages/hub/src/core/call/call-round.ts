/** Which round of a request this is: in the modern era a client comes back with answers, and with a state of ours. */
import { readDecision } from '../approvals/question.ts';
import type { ApprovalDecision } from '../approvals/approvals.ts';
import { readResponses } from '../bridge/input-responses.ts';
import type { RequestStates, StateSubject } from '../bridge/request-state.ts';
import { withoutRound } from './call-request.ts';
import { PincerError } from '../errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../outcome.ts';
import { editMembers, findMember, type Member } from '../wire/members.ts';
import { plainString } from '../wire/message.ts';

export type Round = Begun | Resumed | { readonly kind: 'refused'; readonly outcome: Outcome };

/** The server is to be asked. */
export interface Begun {
  readonly kind: 'begin';
  /** As the server is to get them. */
  readonly params: readonly Member[];
  /** The client has not been asked anything yet. */
  readonly isFirst: boolean;
  /** The client was asked whether the call may run. */
  readonly approval?: AnsweredApproval;
}

/** A call that waits for these answers goes on. */
export interface Resumed {
  readonly kind: 'resume';
  readonly parked: string;
  readonly responses: readonly Member[];
}

export interface AnsweredApproval {
  readonly id: string;
  /** Undefined: it did not say. */
  readonly decision: ApprovalDecision | undefined;
}

/** The name of that question among those of a round. */
export const APPROVAL_KEY = 'approval';

/** A legacy client has no rounds of its own: what it calls so never went through our hands. */
export const legacyRound = (params: readonly Member[]): Begun => ({
  kind: 'begin',
  params: withoutRound(params),
  isFirst: true,
});

/** `params` are those that the server would get. */
export function modernRound(states: RequestStates, subject: StateSubject, params: readonly Member[]): Round {
  const given = findMember(params, 'requestState');
  if (given === undefined) return { kind: 'begin', params, isFirst: true };
  const state = given.startsWith('"') ? states.open(subject, plainString(given)) : undefined;
  if (state === undefined) return { kind: 'refused', outcome: outcomeUnknown(BAD_STATE) };
  if ('upstream' in state)
    return { kind: 'begin', params: editMembers(params, { requestState: state.upstream }), isFirst: false };
  if ('isPlainRepeat' in state) return { kind: 'begin', params: withoutRound(params), isFirst: false };
  const responses = readResponses(findMember(params, 'inputResponses'));
  if (responses === undefined) return { kind: 'refused', outcome: notExecuted(BAD_RESPONSES) };
  if ('parked' in state) return { kind: 'resume', parked: state.parked, responses };
  const decision = readDecision(findMember(responses, APPROVAL_KEY));
  const approval = { id: state.approval, decision };
  return { kind: 'begin', params: withoutRound(params), isFirst: false, approval };
}

const BAD_RESPONSES = new PincerError(
  'ARGUMENT_INVALID',
  'A question is answered twice in "inputResponses".',
  { hint: 'Send the request again with one answer to each question.' },
);

export const BAD_STATE = new PincerError(
  'STATE_INVALID',
  'The request state is not one that was given for this request, or it has expired.',
  // An earlier round may have got far.
  {
    hint: 'Check whether the request took effect. If not, send it again without "requestState" and "inputResponses".',
  },
);
