/** One call between its caller and its source: it ends once, is recorded once, and is heard in the caller's era. */
import { AskRounds } from './bridge/ask-rounds.ts';
import { Conversation } from './bridge/conversation.ts';
import { readInputRequired, type InputRequired } from './bridge/input-required.ts';
import { readResponses } from './bridge/input-responses.ts';
import { resultInEra } from './bridge/result-in-era.ts';
import { unreadable } from './bridge/unreadable.ts';
import type { State, StateSubject } from './bridge/request-state.ts';
import type { Call, CallsParts } from './calls.ts';
import { ABILITY_OF } from './client.ts';
import { PincerError } from './errors.ts';
import { headerValues } from './header-params.ts';
import { notExecuted, outcomeUnknown, type Answered, type Outcome } from './outcome.ts';
import { RPC } from './protocol.ts';
import type { Asked, Exchange, Question, Running, Source, SourceRequest } from './request.ts';
import { unknownTarget, type Route } from './route.ts';
import { taskIdIn } from './task-id.ts';
import { jsonBytes, type ByteText } from './wire/byte-text.ts';
import { editMembers, findMember, readMembers, writeMembers, type Member } from './wire/members.ts';
import { plainString } from './wire/message.ts';

interface Resolved {
  readonly call: Call;
  readonly route: Route;
  readonly exchange: Exchange;
}

const NOTHING_RUNS: Running = { cancel: () => undefined };

export class TrackedCall implements Exchange, Running {
  readonly #parts: CallsParts;
  readonly #ledger: { inFlight: number };
  readonly #call: Call;
  readonly #route: Route;
  readonly #exchange: Exchange;
  readonly #startedAt: number;
  #running: Running = NOTHING_RUNS;
  #rounds: AskRounds | undefined;
  /** It goes on with what an earlier request began, under the progress token of that one. */
  #isResumed = false;
  #ended = false;

  constructor(parts: CallsParts, ledger: { inFlight: number }, { call, route, exchange }: Resolved) {
    this.#parts = parts;
    this.#ledger = ledger;
    this.#call = call;
    this.#route = route;
    this.#exchange = exchange;
    this.#startedAt = parts.clock.elapsed();
  }

  start(): void {
    this.#ledger.inFlight++;
    const refusal = this.#refusal();
    const source = this.#parts.source(this.#route.server);
    if (refusal !== undefined || source === undefined) {
      this.settle(notExecuted(refusal ?? unknownTarget(this.#call)));
      return;
    }
    try {
      if (this.#call.era === 'legacy')
        this.#running = source.request(this.#request(withoutRounds(this.#route.params)), this);
      else this.#converse(source);
    } catch (error) {
      // How far it got nobody knows.
      this.settle(outcomeUnknown(PincerError.from(error)));
    }
  }

  notify(method: string, params: ByteText): void {
    if (this.#ended) return;
    const heard =
      this.#isResumed && method === 'notifications/progress' ? this.#underOwnToken(params) : params;
    if (heard !== undefined) this.#exchange.notify(method, heard);
  }

  /** Only a legacy caller is asked: a conversation keeps the questions for a modern one. */
  ask(question: Question): Asked {
    const ability = ABILITY_OF.get(question.method);
    if (!this.#ended && ability !== undefined && this.#call.client.abilities[ability])
      return this.#exchange.ask(question);
    question.answer({ error: NO_SUCH_METHOD });
    return { withdraw: () => undefined };
  }

  settle(outcome: Outcome): void {
    if (this.#ended) return;
    let heard: Outcome | InputRequired;
    try {
      heard = this.#read(outcome);
    } catch (error) {
      heard = unreadable(error);
    }
    if ('kind' in heard) return this.#end(heard);
    this.#rounds ??= this.#askRounds();
    this.#running = NOTHING_RUNS;
    this.#rounds.next(heard);
  }

  /** What a legacy caller has to be asked before it can be answered, or the answer in the caller's era. */
  #read(outcome: Outcome): Outcome | InputRequired {
    // What was not taken is the last round; the server had begun with the first.
    if (outcome.kind === 'not_executed' && this.#rounds !== undefined) return outcomeUnknown(outcome.reason);
    if (!('result' in outcome)) return outcome;
    const { method, era } = this.#call;
    const mayAsk = outcome.era === 'modern' && era === 'legacy' && method !== 'completion/complete';
    return (mayAsk ? readInputRequired(outcome.result) : undefined) ?? this.#inCallersEra(outcome);
  }

  cancel(reason: string): void {
    if (this.#ended) return;
    this.#rounds?.withdraw(reason);
    if (this.#rounds !== undefined && this.#running === NOTHING_RUNS)
      this.#end(outcomeUnknown(new PincerError('CALL_CANCELLED', `Cancelled: ${reason}.`)));
    else this.#running.cancel(reason);
  }

  #request(params: readonly Member[] = this.#route.params): SourceRequest {
    const { method, meta, era, caller, client } = this.#call;
    const { name, tool } = this.#route;
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
    return { method, name, params, meta, era, caller, client, headers, isRepeatable };
  }

  /** A modern caller: this may be one round of a longer conversation. */
  #converse(source: Source): void {
    const { params } = this.#route;
    const { caller, client } = this.#call;
    const { parking, states } = this.#parts;
    const subject = this.#subject();
    const given = findMember(params, 'requestState');
    const state = given?.startsWith('"') ? states.open(subject, plainString(given)) : undefined;
    if (given !== undefined && state === undefined) return this.settle(outcomeUnknown(BAD_STATE));
    if (state !== undefined && 'parked' in state) {
      const responses = readResponses(findMember(params, 'inputResponses'));
      if (responses === undefined) return this.settle(notExecuted(BAD_RESPONSES));
      const parked = parking.claim(caller.id, state.parked) as Conversation | undefined;
      if (parked === undefined) return this.settle(outcomeUnknown(BAD_STATE));
      this.#running = parked;
      this.#isResumed = true;
      return parked.resume(this, responses);
    }
    const upstream = state === undefined ? params : editMembers(params, ownRound(state));
    const conversation = new Conversation(
      {
        caller: caller.id,
        server: this.#route.server,
        abilities: () => client.abilities,
        parking,
        seal: (state) => states.seal(subject, state),
      },
      this,
    );
    this.#running = conversation;
    conversation.start((exchange) => source.request(this.#request(upstream), exchange));
  }

  #askRounds(): AskRounds {
    return new AskRounds({
      abilities: this.#call.client.abilities,
      timeoutMs: this.#parts.questionTimeoutMs,
      ask: (question) => this.#exchange.ask(question),
      repeat: (members) => {
        const source = this.#parts.source(this.#route.server);
        if (source === undefined) return this.#end(notExecuted(unknownTarget(this.#call)));
        try {
          this.#running = source.request(this.#request(editMembers(this.#route.params, members)), this);
        } catch (error) {
          this.#end(outcomeUnknown(PincerError.from(error)));
        }
      },
      fail: (error) => this.#end({ kind: 'tool_error', error, extra: '' }),
    });
  }

  #underOwnToken(params: ByteText): ByteText | undefined {
    const progressToken = findMember(this.#call.meta, 'progressToken');
    return progressToken === undefined ? undefined : writeMembers(readMembers(params), { progressToken });
  }

  #inCallersEra(outcome: Answered): Outcome {
    const { era, method, caller } = this.#call;
    const { tool, server } = this.#route;
    const task = method === 'tools/call' ? taskIdIn(outcome.result) : undefined;
    if (task !== undefined) this.#parts.tasks.remember(caller.id, task, server);
    // Some modern servers leave out what the specification wants on every result.
    if (outcome.era === era && (era === 'legacy' || outcome.result.includes('"resultType"'))) return outcome;
    return { ...outcome, era, result: resultInEra(outcome.result, era, { method, tool: tool?.definition }) };
  }

  #end(outcome: Outcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ledger.inFlight--;
    const { clock, observers } = this.#parts;
    const record = {
      at: clock.now(),
      caller: this.#call.caller.name,
      surface: this.#call.surface,
      server: this.#route.server,
      method: this.#call.method,
      tool: this.#route.name,
      outcome: outcome.kind,
      code: 'reason' in outcome ? outcome.reason.code : undefined,
      durationMs: clock.elapsed() - this.#startedAt,
      arguments: findMember(this.#call.params, 'arguments'),
    };
    for (const observer of observers) observer.callEnded(record);
    this.#exchange.settle(outcome);
  }

  /** What `requestState` is bound to. */
  #subject(): StateSubject {
    const { caller, method, params } = this.#call;
    const { server, name } = this.#route;
    return { principal: caller.id, server, method, name, params };
  }

  #refusal(): PincerError | undefined {
    const { scoped } = this.#route;
    const decision = this.#parts.policy().decide(this.#call.caller, scoped);
    if (decision === 'allow') return undefined;
    const name =
      scoped.name === '' ? `${this.#call.method} at ${scoped.server}` : `${scoped.server}.${scoped.name}`;
    return new PincerError(
      'POLICY_DENIED',
      decision === 'deny'
        ? `Policy denies ${name}. It was not run.`
        : `${name} needs an approval and nobody can be asked. It was not run.`,
      { hint: `Change "policy" for ${name} in the configuration.` },
    );
  }
}

const READS: ReadonlySet<string> = new Set([
  'prompts/get',
  'resources/read',
  'completion/complete',
  'tasks/get',
]);

/** The members of a round as the server knows them. */
const ownRound = (state: Exclude<State, { parked: string }>): Record<string, ByteText | undefined> =>
  'upstream' in state
    ? { requestState: state.upstream }
    : { requestState: undefined, inputResponses: undefined };

/** A legacy client has no rounds of its own: what it calls so never went through our hands. */
const withoutRounds = (params: readonly Member[]): readonly Member[] =>
  findMember(params, 'requestState') === undefined && findMember(params, 'inputResponses') === undefined
    ? params
    : editMembers(params, { requestState: undefined, inputResponses: undefined });

const NO_SUCH_METHOD: ByteText = jsonBytes({ code: RPC.methodNotFound, message: 'Method not found' });

const BAD_RESPONSES = new PincerError(
  'ARGUMENT_INVALID',
  'A question is answered twice in "inputResponses".',
  {
    hint: 'Send the request again with one answer to each question.',
  },
);

const BAD_STATE = new PincerError(
  'STATE_INVALID',
  'The request state is not one that was given for this request, or it has expired.',
  // An earlier round may have got far.
  {
    hint: 'Check whether the request took effect. If not, send it again without "requestState" and "inputResponses".',
  },
);
