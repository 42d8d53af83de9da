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

/** Registers a client for notifications of changes; returns the function to call when it disconnects. */
export type OnClient = (client: Client, caller: Caller, view: View) => () => void;

/** A client that sends `initialize`: owned by an HTTP session or a pipe. */
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

  /** The negotiated protocol version; undefined before `initialize`. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Older clients fail on an event without data. */
  get takesEmptyEvents(): boolean {
    return this.#version === LATEST_LEGACY_VERSION;
  }

  /** Reads `initialize`. */
  introduce({ params }: Message): void {
    const objectOf = (key: string): ByteText | undefined => {
      const raw = findMember(params, key);
      return raw !== undefined && isObject(raw) && raw.length <= MAX_INTRODUCTION_BYTES
        ? detached(raw)
        : undefined;
    };
    this.#version = agreedVersion(findMember(params, 'protocolVersion'));
    this.#abilities = readAbilities(objectOf('capabilities'));
    this.#info = objectOf('clientInfo');
  }

  /**
   * On `notifications/initialized`: registers the client for changes. The function that `welcome` returns is called at
   * its end.
   */
  begin(welcome: () => () => void): void {
    if (!this.#hasEnded) this.#onEnd ??= welcome();
  }

  /** `forget` drops the state that servers keep for the client; called even if the client never sent `initialized`. */
  whenGone(forget: () => void): void {
    this.#onGone ??= forget;
  }

  /** The client has disconnected for good. */
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

  /** Asks via `via`, the answer of the call that the question belongs to; falls back to any stream of the client. */
  ask(question: Question, via?: Outlet): Asked | undefined {
    if (this.#hasEnded) return undefined;
    return this.questions.ask(question, (text) => via?.ask(text) === true || this.#outlet.ask(text));
  }
}

/** Longer capabilities and client info are ignored: they stay in memory as long as the client. */
const MAX_INTRODUCTION_BYTES = 64 * 1024;

/** The requested version if Pincer supports it, otherwise the latest legacy version. */
function agreedVersion(raw: ByteText | undefined): string {
  const wanted = raw?.startsWith('"') ? plainString(raw) : undefined;
  return LEGACY_VERSIONS.find((version) => version === wanted) ?? LATEST_LEGACY_VERSION;
}
