/**
 * One call between its caller and its source: it ends once, is recorded once, and is translated to the caller's era.
 */
import { changedMeanwhile, lostMeanwhile, unknownTarget, type Route } from './route.ts';
import { seekApproval } from './approval-step.ts';
import { underApproval } from '../approvals/wait.ts';
import type { Approvals } from '../approvals/approvals.ts';
import { AskRounds } from '../eras/ask-rounds.ts';
import { Conversation } from '../eras/conversation.ts';
import type { State, StateSubject } from '../eras/request-state.ts';
import {
  readAnswer,
  sourceRequest,
  BAD_STATE,
  legacyRound,
  modernRound,
  type Begun,
  type Resumed,
  type Round,
} from './round.ts';
import { recordOf } from './record.ts';
import { decisionWith, decisionFor, policyDenied, type Decision } from '../policy.ts';
import type { Call, CallsParts } from './calls.ts';
import { ABILITY_OF } from '../client.ts';
import { PincerError } from '../errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../outcome.ts';
import {
  type Asked,
  type CallerExchange,
  type Exchange,
  type Prepared,
  type Question,
  type Running,
  type Source,
  type SourceRequest,
  startLater,
} from '../request.ts';
import { TaskIdExchange, type TaskIds } from './task-ids.ts';
import type { ByteText } from '../wire/byte-text.ts';
import { NO_SUCH_METHOD } from '../wire/message.ts';
import { editMembers, type Member, findMember, readMembers, writeMembers } from '../wire/members.ts';
import { ENVELOPE_META_KEYS } from '../protocol.ts';

interface Resolved {
  readonly call: Call;
  readonly route: Route;
  readonly exchange: CallerExchange;
  readonly tasks: TaskIds;
}

interface HowToRun {
  /** Looked up again if absent, since it may have been replaced. */
  readonly source?: Source;
  /** The source's plan of what exactly it would do. */
  readonly prepared?: Prepared | undefined;
  /** Wraps the exchange to observe the outcome. */
  watched?(exchange: Exchange): Exchange;
  /** Checked again right before the call is sent. */
  readonly check?: typeof lostMeanwhile;
}

/** No source request is running. A source never returns this object, so identity tells them apart. */
const NO_ROUND: Running = { cancel: () => undefined };

export class TrackedCall implements Exchange, Running {
  readonly #parts: CallsParts;
  readonly #ledger: { inFlight: number };
  #call: Call;
  #route: Route;
  readonly #exchange: CallerExchange;
  readonly #startedAt: number;
  readonly #tasks: TaskIds;
  #running: Running = NO_ROUND;
  #rounds: AskRounds | undefined;
  /** Set when this request resumes a call that an earlier request began under another progress token. */
  #isResumed = false;
  #ended = false;

  constructor(parts: CallsParts, ledger: { inFlight: number }, { call, route, exchange, tasks }: Resolved) {
    this.#parts = parts;
    this.#ledger = ledger;
    this.#call = call;
    this.#route = route;
    this.#exchange = exchange;
    this.#startedAt = parts.clock.elapsed();
    this.#tasks = tasks;
  }

  start(): void {
    this.#ledger.inFlight++;
    const decision = this.#decide();
    if (decision === 'deny') return this.#refuse(policyDenied(this.#call.method, this.#route.scoped));
    const source = this.#source();
    if (source === undefined) return this.#refuse(unknownTarget(this.#call));
    if (decision === 'ask')
      ({ call: this.#call, route: this.#route } = withoutHiddenMeta({
        call: this.#call,
        route: this.#route,
      }));
    try {
      const round = this.#round();
      if (round.kind === 'refused') this.#end(round.outcome);
      else if (round.kind === 'resume') this.#resume(round);
      else this.#begin(round, decision, source);
    } catch (error) {
      // It may have run in part.
      this.#end(outcomeUnknown(PincerError.from(error)));
    }
  }

  notify(method: string, params: ByteText): void {
    if (this.#ended) return;
    const forwarded =
      this.#isResumed && method === 'notifications/progress'
        ? underOwnToken(params, this.#call.meta)
        : params;
    if (forwarded !== undefined) this.#exchange.notify(method, forwarded);
  }

  /** Only a legacy caller is asked directly; for a modern caller a conversation keeps the questions. */
  ask(question: Question): Asked {
    const ability = ABILITY_OF.get(question.method);
    if (!this.#ended && ability !== undefined && this.#call.client.abilities[ability])
      return this.#exchange.ask(question);
    question.answer({ error: NO_SUCH_METHOD });
    return { withdraw: () => undefined };
  }

  settle(outcome: Outcome): void {
    if (this.#ended) return;
    // Only the last round was refused; the server had begun with the first.
    if (outcome.kind === 'not_executed' && this.#rounds !== undefined)
      return this.#end(outcomeUnknown(outcome.reason));
    const answer = readAnswer(outcome, { call: this.#call, route: this.#route });
    if ('kind' in answer) return this.#end(answer);
    this.#rounds ??= this.#askRounds();
    this.#running = NO_ROUND;
    this.#rounds.next(answer);
  }

  cancel(reason: string): void {
    if (this.#ended) return;
    this.#rounds?.withdraw(reason);
    if (this.#rounds !== undefined && this.#running === NO_ROUND)
      this.#end(outcomeUnknown(new PincerError('CALL_CANCELLED', `Cancelled: ${reason}.`)));
    else this.#running.cancel(reason);
  }

  #decide(): Decision {
    const { caller, method } = this.#call;
    return decisionFor(method, this.#parts.policy().decide(caller, this.#route.scoped));
  }

  #source(): Source | undefined {
    return this.#parts.source(this.#route.server);
  }

  #round(): Round {
    const { params } = this.#route;
    if (this.#call.era === 'legacy') return legacyRound(params);
    return modernRound(this.#parts.states, this.#subject(), params);
  }

  /** The request that `requestState` is bound to. */
  #subject(): StateSubject {
    const { caller, method, params } = this.#call;
    const { server, name } = this.#route;
    return { principal: caller.id, server, method, name, params };
  }

  #seal(state: State): string {
    return this.#parts.states.seal(this.#subject(), state);
  }

  /** If the source can prepare the call, policy and the person decide about that plan. */
  #begin(round: Begun, decision: Decision, source: Source): void {
    const prepared = source.prepare?.(this.#request(round.params, lostMeanwhile));
    if (prepared === undefined)
      return decision === 'allow' ? this.#run(round.params, { source }) : this.#decided(round, decision);
    this.#running = startLater(
      prepared,
      (ready) => {
        this.#running = NO_ROUND;
        this.#decided(round, decisionWith(decision, ready), ready);
        return NO_ROUND;
      },
      this,
    );
  }

  #decided(round: Begun, decision: Decision, prepared?: Prepared): void {
    if (decision === 'deny') return this.#refuse(policyDenied(this.#call.method, this.#route.scoped));
    if (decision === 'ask') return this.#seekApproval(round, prepared);
    this.#run(round.params, { prepared });
  }

  #request(params: readonly Member[], check: typeof lostMeanwhile): SourceRequest {
    const subject = { call: this.#call, route: this.#route, tasks: this.#tasks };
    return sourceRequest(subject, params, () => this.#recheck(check));
  }

  #seekApproval(round: Begun, prepared: Prepared | undefined): void {
    const { approvals } = this.#parts;
    const { method } = this.#call;
    const { scoped } = this.#route;
    if (approvals === undefined) return this.#refuse(policyDenied(method, scoped, 'no-approver'));
    try {
      seekApproval(
        {
          approvals,
          call: this.#call,
          route: this.#route,
          subject: prepared?.subject,
          exchange: this.#exchange,
          seal: (state) => this.#seal(state),
          onWaiting: (waiting) => (this.#running = waiting),
          onAllowed: (id) => this.#runApproved(round.params, { prepared, approvals, id }),
          onRefused: (reason) => this.#refuse(reason),
          onAsked: (result) => this.#end({ kind: 'ok', result, era: 'modern', extra: '' }, NOT_RUN_YET),
        },
        round,
      );
    } catch (error) {
      this.#refuse(PincerError.from(error));
    }
  }

  #runApproved(
    params: readonly Member[],
    { prepared, approvals, id }: { prepared: Prepared | undefined; approvals: Approvals; id: string },
  ): void {
    if (this.#ended) return approvals.giveBack(id);
    const { era } = this.#call;
    const problem = this.#recheck(changedMeanwhile);
    if (problem === undefined)
      return this.#run(params, {
        prepared,
        watched: (exchange) => underApproval(exchange, { approvals, id, era }),
        check: changedMeanwhile,
      });
    approvals.forget(id);
    this.#refuse(problem);
  }

  /** Why the call may not run any more, although it was allowed when it arrived. */
  #recheck(check: typeof lostMeanwhile): PincerError | undefined {
    if (this.#decide() === 'deny') return policyDenied(this.#call.method, this.#route.scoped);
    return check(this.#parts, this.#call, this.#route);
  }

  #run(params: readonly Member[], how: HowToRun = {}): void {
    const { prepared, watched, check = lostMeanwhile, source = this.#source() } = how;
    if (source === undefined) return this.#refuse(unknownTarget(this.#call));
    const request = this.#request(params, check);
    const begin = (exchange: Exchange): Running => {
      const own = new TaskIdExchange(watched?.(exchange) ?? exchange, request.method, this.#tasks);
      return prepared?.begin(own) ?? source.request(request, own);
    };
    try {
      if (this.#call.era === 'legacy') this.#running = begin(this);
      else this.#converse(begin);
    } catch (error) {
      // It may have run in part.
      this.#end(outcomeUnknown(PincerError.from(error)));
    }
  }

  /** For a modern caller: this may be the first round of a conversation. */
  #converse(begin: (exchange: Exchange) => Running): void {
    const { caller, client } = this.#call;
    const conversation = new Conversation(
      {
        caller: caller.id,
        server: this.#route.server,
        abilities: () => client.abilities,
        parking: this.#parts.parking,
        seal: (state) => this.#seal(state),
      },
      this,
    );
    this.#running = conversation;
    conversation.start(begin);
  }

  #resume({ parked, responses }: Resumed): void {
    const conversation = this.#parts.parking.claim(this.#call.caller.id, parked) as Conversation | undefined;
    if (conversation === undefined) return this.#end(outcomeUnknown(BAD_STATE));
    this.#running = conversation;
    this.#isResumed = true;
    conversation.resume(this, responses);
  }

  #askRounds(): AskRounds {
    return new AskRounds({
      abilities: this.#call.client.abilities,
      timeoutMs: this.#parts.questionTimeoutMs,
      ask: (question) => this.#exchange.ask(question),
      repeat: (members) => this.#run(editMembers(this.#route.params, members)),
      fail: (error) => this.#end({ kind: 'tool_error', error, extra: '' }),
    });
  }

  #refuse(reason: PincerError): void {
    this.#end(notExecuted(reason));
  }

  #end(outcome: Outcome, recorded = outcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ledger.inFlight--;
    const { clock, observers } = this.#parts;
    const record = recordOf({ call: this.#call, route: this.#route }, recorded, clock, this.#startedAt);
    for (const observer of observers) observer.callEnded(record);
    this.#exchange.settle(outcome);
  }
}

/** Recorded while the client is asked for approval: nothing has run. */
const NOT_RUN_YET = notExecuted(
  new PincerError('APPROVAL_PENDING', 'The client is asked whether it may run.'),
);

/** Progress of an earlier request, under this request's token. Returns undefined if this request wants no progress. */
function underOwnToken(params: ByteText, meta: readonly Member[]): ByteText | undefined {
  const progressToken = findMember(meta, 'progressToken');
  return progressToken === undefined ? undefined : writeMembers(readMembers(params), { progressToken });
}

/** `_meta` keys of the protocol itself: progress, era, trace. */
const KEPT: ReadonlySet<string> = new Set([
  'progressToken',
  'traceparent',
  'tracestate',
  ...ENVELOPE_META_KEYS,
]);

interface Subject {
  readonly call: Call;
  readonly route: Route;
}

/**
 * Removes the `_meta` keys that a person is not shown. Clients write ids of one attempt there (Claude Code
 * `claudecode/toolUseId`, Codex `callId`, `itemId` and more). If an approval covered them, a repeated call would never
 * match the approved one.
 */
function withoutHiddenMeta({ call, route }: Subject): Subject {
  const meta = call.meta.filter(({ key }) => KEPT.has(key));
  if (meta.length === call.meta.length) return { call, route };
  const params = editMembers(route.params, { _meta: meta.length === 0 ? undefined : writeMembers(meta) });
  return { call: { ...call, meta }, route: { ...route, params } };
}
