/** A client of the hub that performs operations, answers questions, and checks every message that it receives. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject, type JsonValue } from '../../servers/json.ts';
import { MARKER, Operation } from './operation.ts';
import { isOrderly, planOf, type Plan } from './plan.ts';
import { answerTo, requestOf, type Request } from './requests.ts';
import { Speaker, type SpeakerTraits } from './speaker.ts';
import type { MessageListener, Sent, Wire } from './wires.ts';

export interface PeerTraits extends SpeakerTraits {
  /** The credential of its token. */
  credential: string;
  open(listener: MessageListener): Wire;
}

/** Collects the complaints of all peers, and knows what each may receive. */
export interface Observer {
  complain(peer: Peer, what: string): void;
  /** Whether the wire to a server tells which call a log message belongs to. */
  tellsCalls(server: string): boolean;
  /** Whether a log message of this operation may reach a peer that does not own it. */
  mayOverhear(peer: Peer, marker: string): boolean;
  /** A peer was asked a question. The id or state may be known to others. */
  onAsked(peer: Peer, asked: { id: JsonValue } | Request): void;
}

interface Round {
  operation: Operation;
  sent: Sent;
  request: Request;
  isAnswered: boolean;
}

const NOTICES = /^notifications\/(?:tools|prompts|resources)\/list_changed$/;
/** The log levels of the scripts that a client receives, by its setting; the legacy default is `info`. */
const LEVELS = { debug: ['debug', 'warning'], info: ['warning'], error: [], nothing: [] } as const;

const LEAVE_MS = 100;

const FORGED = { action: 'accept', content: { by: 'a forger' }, roots: [], role: 'assistant', model: 'none' };

export class Peer implements MessageListener {
  readonly traits: PeerTraits;
  readonly wire: Wire;
  /** How many messages of each kind it has received. */
  readonly tally = {
    answers: 0,
    questions: 0,
    progress: 0,
    logs: 0,
    overheard: 0,
    withdrawn: 0,
    cancelled: 0,
  };
  readonly #observer: Observer;
  readonly #own = new Map<string, Operation>();
  readonly #rounds = new Map<JsonValue, Round>();
  readonly #questions = new Set<JsonValue>();
  /** Ids of requests copied from other peers. */
  readonly #stolen = new Set<JsonValue>();
  readonly #speaker: Speaker;
  #isLeaving = false;

  constructor(traits: PeerTraits, observer: Observer) {
    this.traits = traits;
    this.#observer = observer;
    this.wire = traits.open(this);
    this.#speaker = new Speaker(traits, this.wire);
  }

  begin(): Promise<void> {
    return this.#speaker.begin();
  }

  start(plan: Plan): Operation {
    const { name, era, isAble, logLevel = 'info' } = this.traits;
    const isModern = era === 'modern';
    const operation = new Operation(plan, {
      name,
      isAble: isModern ? plan.isAble : isAble,
      levels: LEVELS[isModern ? (plan.hearsLogs ? 'debug' : 'nothing') : logLevel],
      hearsAll: this.#observer.tellsCalls(plan.server) && (isModern || logLevel !== 'info'),
    });
    this.#own.set(operation.marker, operation);
    this.#send(operation, requestOf(plan, operation.marker));
    return operation;
  }

  owns(marker: string): Operation | undefined {
    return this.#own.get(marker);
  }

  /** Cancels the operation at any stage. */
  cancel(operation: Operation): void {
    if (operation.isDone) return;
    operation.isCancelled = true;
    this.tally.cancelled++;
    const open = [...this.#rounds].find(([, round]) => round.operation === operation && !round.isAnswered);
    // It was deciding on a question, so no request is open.
    if (open === undefined) return operation.end();
    const [requestId, { sent }] = open;
    if (this.traits.era === 'modern' && this.wire.kind === 'http') sent.abort();
    else
      this.#speaker.tell({
        method: 'notifications/cancelled',
        params: { requestId, reason: operation.marker },
      });
  }

  /** Answers a question that another peer was asked. */
  forge(id: JsonValue): void {
    this.#speaker.tell({ id, result: FORGED });
  }

  /** Sends another peer's request, which the hub must refuse. */
  steal(request: Request): void {
    this.#stolen.add(this.#speaker.request(request, planOf('')).id);
  }

  /** Stops answering, and lets the sent messages arrive. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    await sleep(LEAVE_MS);
    await this.#speaker.leave();
  }

  receive(text: string, stream: string): void {
    const message = JSON.parse(text) as JsonObject;
    const { id, method } = message;
    for (const marker of text.match(MARKER) ?? []) {
      if (this.#own.has(marker)) continue;
      if (method === 'notifications/message' && this.#observer.mayOverhear(this, marker)) {
        this.tally.overheard++;
        return;
      }
      this.#complain(`received ${marker}, which is not its own: ${text}`);
    }
    if (method === undefined) this.#onAnswer(message, stream);
    else if (id === undefined) this.#onNotice(message, text, stream);
    else this.#onQuestion(message, text, stream);
  }

  ended(stream: string, why: string): void {
    if (this.#speaker.wasOneWay(stream) && why !== 'HTTP 202')
      this.#complain(`sent a one-way message and got ${why}`);
    if (stream === 'pipe' && !(this.#isLeaving && why === 'exit code 0'))
      this.#complain(`lost its pipe: ${why}`);
    for (const { operation, sent, isAnswered } of this.#rounds.values()) {
      if (sent.stream !== stream || isAnswered || operation.isDone) continue;
      if (!operation.isCancelled) this.#complain(`got no answer: ${operation.marker} ended with ${why}`);
      operation.end();
    }
  }

  #send(operation: Operation, request: Request): void {
    const { id, sent } = this.#speaker.request(request, operation.plan);
    this.#rounds.set(id, { operation, sent, request, isAnswered: false });
  }

  #onAnswer(message: JsonObject, stream: string): void {
    const { id, result, error } = message;
    const text = JSON.stringify(message);
    if (this.#speaker.takes(id!)) return;
    if (this.#stolen.delete(id!)) {
      if (error === undefined) this.#complain(`got an answer to a request of others: ${text}`);
      return;
    }
    const round = this.#rounds.get(id!);
    if (round === undefined || round.isAnswered || round.sent.stream !== stream)
      return this.#complain(`got an unexpected or second answer: ${text}`);
    round.isAnswered = true;
    this.tally.answers++;
    if (isObject(result) && result['resultType'] === 'input_required')
      return this.#onInputRequired(round, result);
    const { operation } = round;
    for (const fault of operation.faults(message))
      this.#complain(`rejects ${operation.marker}: ${fault}: ${text}`);
    operation.end(stream);
  }

  #onInputRequired({ operation, request }: Round, result: JsonObject): void {
    if (this.traits.era === 'legacy')
      this.#complain(`got a result of the other era: ${JSON.stringify(result)}`);
    const inputResponses: JsonObject = {};
    for (const [key, asked] of Object.entries(
      result['inputRequests'] as Record<string, { method: string }>,
    )) {
      const about = this.#about(JSON.stringify(asked));
      if (about !== undefined) about.questions++;
      this.tally.questions++;
      inputResponses[key] = answerTo(asked.method, about?.signature ?? 'unknown');
    }
    if (operation.isCancelled) return operation.end();
    const params = { ...request.params, inputResponses, requestState: result['requestState'] };
    const next = { ...request, params };
    if (operation.plan.isForged) this.#observer.onAsked(this, next);
    void sleep(operation.plan.thinkMs).then(() => {
      if (!operation.isCancelled) this.#send(operation, next);
    });
  }

  #onQuestion(message: JsonObject, text: string, stream: string): void {
    const { id, method } = message as { id: JsonValue; method: string };
    if (method === 'ping') return this.#speaker.tell({ id, result: {} });
    if (this.#questions.has(id)) this.#complain(`was asked twice under one id: ${text}`);
    if (this.traits.era === 'modern' || !this.traits.isAble) this.#complain(`was asked: ${text}`);
    const operation = this.#about(text);
    if (operation === undefined) return;
    this.#checkOrder(operation, text, stream);
    this.#questions.add(id);
    this.tally.questions++;
    operation.questions++;
    const { plan, signature } = operation;
    if (plan.isForged) this.#observer.onAsked(this, { id: id });
    void sleep(plan.thinkMs).then(() => {
      if (!this.#questions.has(id) || this.#isLeaving) return;
      const error = { code: -1, message: signature };
      this.#speaker.tell(plan.refuses ? { id, error } : { id, result: answerTo(method, signature) });
    });
  }

  #onNotice(message: JsonObject, text: string, stream: string): void {
    const { method, params } = message as { method: string; params: JsonObject };
    if (NOTICES.test(method)) return;
    if (method === 'notifications/cancelled') {
      this.tally.withdrawn++;
      if (!this.#questions.delete(params['requestId']!)) this.#complain(`had not been asked: ${text}`);
      return;
    }
    const operation = this.#about(text);
    if (operation === undefined) return;
    this.#checkOrder(operation, text, stream);
    if (method === 'notifications/message') {
      this.tally.logs++;
      operation.logs++;
      const isWanted = operation.asker.levels.includes(params['level'] as string);
      // Another of its operations, with a lower log level, may have caused it.
      if (!isWanted && !this.#observer.mayOverhear(this, operation.marker))
        this.#complain(`received an unwanted log message: ${text}`);
    } else if (method === 'notifications/progress') {
      this.tally.progress++;
      operation.progress.push(Number(params['progress']));
      const round = this.#rounds.get(params['progressToken']!);
      if (round?.operation !== operation || round.isAnswered || round.sent.stream !== stream)
        this.#complain(`received progress of another request: ${text}`);
    } else this.#complain(`received an unexpected message: ${text}`);
  }

  /** Returns the peer's own operation that a message refers to. Complaints about others were made before. */
  #about(text: string): Operation | undefined {
    const [marker] = text.match(MARKER) ?? [];
    if (marker === undefined) this.#complain(`received a message without a marker: ${text}`);
    return this.#own.get(marker ?? '');
  }

  #checkOrder(
    { isDone, isCancelled, endStream, plan, marker }: Operation,
    text: string,
    stream: string,
  ): void {
    if (isDone && !isCancelled && endStream === stream && isOrderly(plan))
      this.#complain(`had the answer to ${marker} already: ${text}`);
  }

  #complain(what: string): void {
    this.#observer.complain(this, what);
  }
}
