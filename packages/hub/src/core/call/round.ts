/**
 * One round of a request: reads which round it is, builds the request for the source, and translates the outcome for
 * the caller. In the modern era a client returns with answers and with the hub's sealed state.
 */
import { readDecision } from '../approvals/question.ts';
import type { ApprovalDecision } from '../approvals/approvals.ts';
import { readResponses, readInputRequired, type InputRequired } from '../eras/input-required.ts';
import type { RequestStates, StateSubject } from '../eras/request-state.ts';
import { PincerError } from '../errors.ts';
import { notExecuted, outcomeUnknown, type Outcome, type Answered } from '../outcome.ts';
import { editMembers, findMember, type Member } from '../wire/members.ts';
import { plainString } from '../wire/message.ts';
import type { Call } from './calls.ts';
import { headerValues } from './header-params.ts';
import type { SourceRequest } from '../request.ts';
import type { Route } from './route.ts';
import { resultInEra, unreadable } from '../eras/in-era.ts';

export type Round = Begun | Resumed | { readonly kind: 'refused'; readonly outcome: Outcome };

/** The server gets a request. */
export interface Begun {
  readonly kind: 'begin';
  /** Members of `params` for the server. */
  readonly params: readonly Member[];
  /** The client has not been asked anything yet. */
  readonly isFirst: boolean;
  /** The client's answer to the question whether the call may run. */
  readonly approval?: AnsweredApproval;
}

/** A parked call resumes with these answers. */
export interface Resumed {
  readonly kind: 'resume';
  readonly parked: string;
  readonly responses: readonly Member[];
}

export interface AnsweredApproval {
  readonly id: string;
  /** Undefined if the client did not decide. */
  readonly decision: ApprovalDecision | undefined;
}

/** The key of the approval question in a round. */
export const APPROVAL_KEY = 'approval';

/** A legacy client has no rounds: if it sends round members, they are not the hub's and are removed. */
export const legacyRound = (params: readonly Member[]): Begun => ({
  kind: 'begin',
  params: withoutRound(params),
  isFirst: true,
});

/** `params` are the members for the server. */
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
  '"requestState" does not belong to this request, or it has expired.',
  // An earlier round may have run in part.
  {
    hint: 'Check whether the request took effect. If not, send it again without "requestState" and "inputResponses".',
  },
);

const READS: ReadonlySet<string> = new Set([
  'prompts/get',
  'resources/read',
  'completion/complete',
  'tasks/get',
]);

interface RequestSubject {
  readonly call: Call;
  readonly route: Route;
  readonly tasks?: SourceRequest['tasks'];
}

/** Builds the request for the source; `params` are those of this round. */
export function sourceRequest(
  { call, route, tasks }: RequestSubject,
  params: readonly Member[],
  recheck: SourceRequest['recheck'],
): SourceRequest {
  const { method, meta, era, caller, client, view, mediaBytes, timeoutMs } = call;
  const { name, tool } = route;
  const headers =
    tool === undefined || tool.definition.headerParams.length === 0
      ? undefined
      : Object.fromEntries(
          headerValues(tool.definition, findMember(params, 'arguments')).map(({ header, value }) => [
            header,
            value,
          ]),
        );
  const isRepeatable =
    method === 'tools/call'
      ? tool !== undefined && (tool.definition.readOnly || tool.definition.idempotent)
      : READS.has(method);
  return {
    method,
    name,
    params,
    meta,
    era,
    caller,
    client,
    tasks,
    view,
    mediaBytes,
    headers,
    waitMs: timeoutMs,
    isRepeatable,
    recheck,
  };
}

/** Removes the members that belong to a round. */
export const withoutRound = (params: readonly Member[]): readonly Member[] =>
  findMember(params, 'requestState') === undefined && findMember(params, 'inputResponses') === undefined
    ? params
    : editMembers(params, { requestState: undefined, inputResponses: undefined });

interface AnswerSubject {
  readonly call: Call;
  readonly route: Route;
}

/**
 * Translates a source's outcome to the caller's era. Returns an InputRequired if a legacy caller must answer a question
 * first.
 */
export function readAnswer(outcome: Outcome, subject: AnswerSubject): Outcome | InputRequired {
  if (!('result' in outcome)) return outcome;
  const { method, era } = subject.call;
  const mayAsk = outcome.era === 'modern' && era === 'legacy' && method !== 'completion/complete';
  try {
    return (mayAsk ? readInputRequired(outcome.result) : undefined) ?? inCallersEra(outcome, subject);
  } catch (error) {
    return unreadable(error);
  }
}

function inCallersEra(outcome: Answered, { call, route }: AnswerSubject): Outcome {
  const { era, method } = call;
  const { tool } = route;
  // Some modern servers omit `resultType`, which the specification requires on every result.
  if (outcome.era === era && (era === 'legacy' || outcome.result.includes('"resultType"'))) return outcome;
  const result = resultInEra(outcome.result, era, { method, tool: tool?.definition });
  return { ...outcome, era, result, pieces: undefined };
}
