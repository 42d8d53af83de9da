/** A wire whose server side the test plays, and what a call over it needs. For unit tests. */
import { NO_ABILITIES, readAbilities, STRANGER, type Client } from '../../packages/hub/src/core/client.ts';
import { PincerError } from '../../packages/hub/src/core/errors.ts';
import type { LogLevel } from '../../packages/hub/src/core/log-level.ts';
import type { Outcome } from '../../packages/hub/src/core/outcome.ts';
import type { Scopes } from '../../packages/hub/src/core/caller.ts';
import type { Asked, CallerExchange, Question, SourceRequest } from '../../packages/hub/src/core/request.ts';
import { toByteText } from '../../packages/hub/src/core/wire/byte-text.ts';
import { editMembers, findMember, readMembers } from '../../packages/hub/src/core/wire/members.ts';
import { parseMessage } from '../../packages/hub/src/core/wire/message.ts';
import { Connection, type ConnectionOptions } from '../../packages/hub/src/servers/connection/connection.ts';
import type { OpenWire, Outgoing, Wire, WireEvents } from '../../packages/hub/src/servers/wire.ts';

/** A message as sent over the wire. */
export interface SentMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

export class HandWire implements Wire {
  isReady = true;
  isClosed = false;
  isListening = false;
  readonly sent: { readonly text: string; readonly about: Outgoing }[] = [];
  readonly forgotten: string[] = [];
  readonly versions: (string | undefined)[] = [];
  #events: WireEvents | undefined;

  readonly open: OpenWire = (events) => {
    this.#events = events;
    return this;
  };

  get events(): WireEvents {
    return this.#events!;
  }

  send(text: string, about: Outgoing): void {
    this.sent.push({ text, about });
  }

  forget(id: string): boolean {
    this.forgotten.push(id);
    return false;
  }

  speak(version: string | undefined): void {
    this.versions.push(version);
  }

  listen(): void {
    this.isListening = true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  /** The methods sent, in order. */
  get methods(): (string | undefined)[] {
    return this.messages.map(({ method }) => method);
  }

  /** The sent messages, parsed. */
  get messages(): SentMessage[] {
    return this.sent.map(
      ({ text }) => JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as SentMessage,
    );
  }

  /** Our id of the last request. */
  get lastId(): string {
    return this.sent.findLast(({ about }) => about.id !== undefined)!.about.id!;
  }

  /** Delivers a server's message. `via` is our id of the request whose stream carries it. */
  receive(text: string, via?: string): void {
    this.events.onMessage(parseMessage(toByteText(text)), via);
  }

  answer(id: string, result: string): void {
    this.receive(`{"jsonrpc":"2.0","id":"${id}","result":${result}}`);
  }

  fail(id: string, error: string): void {
    this.receive(`{"jsonrpc":"2.0","id":"${id}","error":${error}}`);
  }

  drain(): void {
    this.isReady = true;
    this.events.onDrain();
  }

  break(reason = new PincerError('SERVER_GONE', 'Server "s" went away.')): void {
    this.events.onClosed(reason);
  }
}

/** The caller's side of a call; it only records. */
export class HandExchange implements CallerExchange {
  readonly outcomes: Outcome[] = [];
  readonly notified: string[] = [];
  readonly questions: Question[] = [];
  readonly withdrawn: string[] = [];

  ask(question: Question): Asked {
    this.questions.push(question);
    return { withdraw: (reason) => void this.withdrawn.push(reason) };
  }

  notify(method: string, params: string): void {
    this.notified.push(`${method} ${params}`);
  }

  pause(): void {}

  goOn(): boolean {
    return true;
  }

  settle(outcome: Outcome): void {
    this.outcomes.push(outcome);
  }

  get kinds(): string[] {
    return this.outcomes.map(({ kind }) => kind);
  }

  /** The reason, if the call ended without an answer. */
  get reason(): PincerError {
    return (this.outcomes[0] as { reason: PincerError }).reason;
  }
}

/** A client that records its notifications and questions. */
export class HandClient implements Client {
  session: string | undefined;
  abilities = NO_ABILITIES;
  info: string | undefined;
  logLevel: LogLevel | undefined;
  readonly readsLines = false;
  isReachable = true;
  readonly notified: string[] = [];
  readonly questions: Question[] = [];
  readonly withdrawn: string[] = [];

  constructor(parts: { readonly session?: string; readonly capabilities?: string } = {}) {
    this.session = parts.session;
    this.abilities = readAbilities(parts.capabilities);
  }

  notify(method: string, params: string): void {
    this.notified.push(`${method} ${params}`);
  }

  ask(question: Question): Asked | undefined {
    if (!this.isReachable) return undefined;
    this.questions.push(question);
    return { withdraw: (reason) => void this.withdrawn.push(reason) };
  }
}

/** The abilities of a client that answers every kind of question. */
export const EVERYTHING = readAbilities('{"sampling":{},"elicitation":{},"roots":{}}');

/** A connection over the test's wire. */
export const connectionOn = (wire: HandWire, over: Partial<ConnectionOptions> = {}): Connection =>
  new Connection({
    server: 's',
    openWire: wire.open,
    clock: { now: () => Date.now(), elapsed: () => Date.now() },
    requestTimeoutMs: 30_000,
    maxCallMs: 3_600_000,
    questionTimeoutMs: 600_000,
    owner: undefined,
    abilities: EVERYTHING,
    onNotice: () => undefined,
    onClosed: () => undefined,
    ...over,
  });

export interface RequestParts {
  readonly scopes?: Scopes;
  readonly params?: string;
  readonly era?: SourceRequest['era'];
  readonly caller?: string;
  readonly session?: string;
  /** The client's declared capabilities, as JSON. */
  readonly capabilities?: string;
  readonly logLevel?: Client['logLevel'];
}

/** A call of tool `x`, as the core passes it on. */
export function toolRequest(parts: RequestParts = {}): SourceRequest {
  const { params = '{"name":"x","arguments":{}}', era = 'legacy', caller = 'c', session } = parts;
  const members = readMembers(toByteText(params));
  const meta = findMember(members, '_meta');
  return {
    method: 'tools/call',
    name: 'x',
    params: editMembers(members, { name: '"x"' }),
    meta: meta === undefined ? [] : readMembers(meta),
    era,
    caller: { id: caller, name: caller, scopes: parts.scopes ?? {} },
    client: { ...STRANGER, session, logLevel: parts.logLevel, abilities: readAbilities(parts.capabilities) },
  };
}
