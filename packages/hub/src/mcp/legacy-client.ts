import type { Caller } from '../core/caller.ts';
import type { View } from '../core/catalog/catalog.ts';
import { NO_ABILITIES, readAbilities, type Abilities, type Client } from '../core/client.ts';
import type { LogLevel } from '../core/log-level.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from '../core/protocol.ts';
import type { Asked, Question } from '../core/request.ts';
import { detached, type ByteText } from '../core/wire/byte-text.ts';
import { findMember, isObject } from '../core/wire/members.ts';
import { plainString, type Message } from '../core/wire/message.ts';
import { Questions } from './questions.ts';
import { notificationText, type Outlet } from './reply.ts';

/** Told of a client that wants to hear of changes; what it gives back is called when the client has gone. */
export type OnClient = (client: Client, caller: Caller, view: View) => () => void;

/** A client that says `initialize`: an HTTP session or a pipe owns one. */
export class LegacyClient implements Client {
  readonly session: string;
  readonly questions: Questions;
  logLevel: LogLevel | undefined;
  readonly #outlet: Outlet;
  #abilities = NO_ABILITIES;
  #info: ByteText | undefined;
  #version: string | undefined;
  #onEnd: (() => void) | undefined;
  #onGone: (() => void) | undefined;
  #hasEnded = false;

  constructor(session: string, outlet: Outlet, maxQuestions: number) {
    this.session = session;
    this.#outlet = outlet;
    this.questions = new Questions(maxQuestions);
  }

  get abilities(): Abilities {
    return this.#abilities;
  }

  get info(): ByteText | undefined {
    return this.#info;
  }

  get readsLines(): boolean {
    return this.#outlet.isLine === true;
  }

  /** The protocol version that was agreed on; undefined before `initialize`. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Clients of older versions take an event without data for a broken message. */
  get takesEmptyEvents(): boolean {
    return this.#version === LATEST_LEGACY_VERSION;
  }

  /** `initialize`. */
  introduce({ params }: Message): void {
    const objectOf = (key: string): ByteText | undefined => {
      const raw = findMember(params, key);
      return raw !== undefined && isObject(raw) && raw.length <= MAX_SAID ? detached(raw) : undefined;
    };
    this.#version = agreedVersion(findMember(params, 'protocolVersion'));
    this.#abilities = readAbilities(objectOf('capabilities'));
    this.#info = objectOf('clientInfo');
  }

  /** `notifications/initialized`: it wants to hear of changes. What `welcome` gives back is called when it has gone. */
  begin(welcome: () => () => void): void {
    if (!this.#hasEnded) this.#onEnd ??= welcome();
  }

  /** What servers keep for it goes with it, whether or not it ever wanted to hear of changes. */
  whenGone(forget: () => void): void {
    this.#onGone ??= forget;
  }

  /** It has gone for good. */
  end(reason: string): void {
    this.#hasEnded = true;
    this.questions.failAll(`The client cannot be reached: ${reason}.`);
    this.#onEnd?.();
    this.#onEnd = undefined;
    this.#onGone?.();
    this.#onGone = undefined;
  }

  notify(method: string, params: ByteText): void {
    if (!this.#hasEnded) this.#outlet.notify(notificationText(method, params));
  }

  /** `via` is the answer of the call that the question belongs to; without it, or when it cannot be used, any way will do. */
  ask(question: Question, via?: Outlet): Asked | undefined {
    if (this.#hasEnded) return undefined;
    return this.questions.ask(question, (text) => via?.ask(text) === true || this.#outlet.ask(text));
  }
}

/** What a client says of itself is kept as long as it is there: beyond this it has said nothing. */
const MAX_SAID = 64 * 1024;

/** The wanted version where Pincer speaks it, else the latest of that era. */
function agreedVersion(raw: ByteText | undefined): string {
  const wanted = raw?.startsWith('"') ? plainString(raw) : undefined;
  return LEGACY_VERSIONS.find((version) => version === wanted) ?? LATEST_LEGACY_VERSION;
}
