/** The messages between a surface and a source: era-neutral and lossless. */
import type { Caller } from './caller.ts';
import type { Client } from './client.ts';
import type { View } from './catalog/catalog.ts';
import { PincerError } from './errors.ts';
import { type Outcome, notExecuted } from './outcome.ts';
import type { Decision } from './policy.ts';
import type { Era } from './protocol.ts';
import type { TaskIds } from './call/task-ids.ts';
import type { ByteText } from './wire/byte-text.ts';
import type { Member } from './wire/members.ts';

export interface SourceRequest {
  readonly method: string;
  /** The tool's or prompt's name, the resource's URI or the task's id, as the server calls it. */
  readonly name: string | undefined;
  /** Members of `params` for the server, without `_meta`. */
  readonly params: readonly Member[];
  /** Original members of `params._meta`, the progress token included. */
  readonly meta: readonly Member[];
  /** The caller's era. A source prefers to use the same one. */
  readonly era: Era;
  readonly caller: Caller;
  readonly client: Client;
  /** The ids by which this caller knows the server's tasks; absent if the client cannot be notified outside of this request. */
  readonly tasks?: TaskIds | undefined;
  /** The view it was sent to: everything or one server; for the app proxy the session, as the entry point resolved it. */
  readonly view?: View;
  /** Where to repeat the bytes of media besides their own content; absent: nowhere. */
  readonly mediaBytes?: MediaBytes | undefined;
  /** Arguments that the tool's schema repeats in HTTP headers of the modern era, by header name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How long the caller waits, if it says so. The server may take at least that long. */
  readonly waitMs?: number | undefined;
  /** Safe to run twice: it is marked read-only or idempotent. */
  readonly isRepeatable?: boolean;
  /** For a source that could not send it at once: returns why it may no longer run. */
  readonly recheck?: (() => PincerError | undefined) | undefined;
}

/** In the text of the answer, for programs that read it there, or in its structured content. */
export type MediaBytes = 'in-text' | 'structured';

/** A server's request to the client: sampling, elicitation, roots. */
export interface Question {
  readonly method: string;
  /** A whole JSON object. */
  readonly params: ByteText;
  /** Called exactly once, unless the question was withdrawn. */
  answer(answer: Answer): void;
}

/** `result` is a whole JSON object, `error` a whole JSON-RPC error object. */
export type Answer = { readonly result: ByteText } | { readonly error: ByteText };

/** A question under way. */
export interface Asked {
  /** The server needs no answer any more. `answer` is not called after this. */
  withdraw(reason: string): void;
}

/** How a source reports on one request. */
export interface Exchange {
  /** A notification before the answer; `params` is a whole JSON object. */
  notify(method: string, params: ByteText): void;
  /** The server needs an answer from the client before it can continue. */
  ask(question: Question): Asked;
  /** Ends the request. Called exactly once, possibly before `request` returns. */
  settle(outcome: Outcome): void;
}

/** The caller's end of one request. */
export interface CallerExchange extends Exchange {
  /** The call waits for a person. It frees its slot until it goes on. */
  pause(): void;
  /** Returns false if the credential was revoked: the call may not go on. */
  goOn(): boolean;
}

/** A request under way. */
export interface Running {
  /** The caller cancels. The source is told, and the exchange still settles. */
  cancel(reason: string): void;
}

/** For a request that is settled already or cannot be cancelled. */
export const NOTHING_RUNS: Running = { cancel: () => undefined };

/** Exactly what a request would do, for sources that know it better than its parameters say. */
export interface Prepared {
  /** Combined with policy: the stricter decision wins. */
  readonly decision: Decision;
  /** What a person approves, instead of the members of `params`. Empty if the request would do nothing: no person is asked. */
  readonly subject: readonly Member[];
  /** Does exactly that, or settles as not executed if it is no longer possible. */
  begin(exchange: Exchange): Running;
}

export interface Source {
  readonly name: string;
  request(request: SourceRequest, exchange: Exchange): Running;
  /** Returns undefined if there is nothing to prepare. */
  prepare?(request: SourceRequest): Promise<Prepared> | undefined;
  /** Notifies the client of changes to a resource, until `forget`. */
  watch(uri: string, client: Client): Promise<void>;
  /** Passes a client's notification to that client's own connections. */
  tell(client: Client, method: string, params: ByteText): void;
  /** The client is gone. Ends its subscriptions and its own connections. */
  forget(client: Client): void;
}

/** The same exchange, with a callback before each outcome is passed on. */
export const onOutcome = (exchange: Exchange, look: (outcome: Outcome) => void): Exchange => ({
  notify: (method, params) => exchange.notify(method, params),
  ask: (question) => exchange.ask(question),
  settle(outcome) {
    look(outcome);
    exchange.settle(outcome);
  },
});

/** Starts a call when `ready` resolves. Cancelling before that means it did not run. */
export function startLater<T>(
  ready: Promise<T>,
  start: (value: T) => Running,
  exchange: Exchange,
  explain: (error: PincerError) => PincerError = (error) => error,
): Running {
  let running: Running | undefined;
  let hasEnded = false;
  const end = (reason: PincerError): void => {
    if (hasEnded) return;
    hasEnded = true;
    exchange.settle(notExecuted(reason));
  };
  ready
    .then((value) => {
      if (!hasEnded) running = start(value);
    })
    .catch((error: unknown) => end(explain(PincerError.from(error))));
  return {
    cancel(reason) {
      if (running === undefined)
        end(new PincerError('CALL_CANCELLED', `Cancelled before it was sent: ${reason}.`));
      else running.cancel(reason);
    },
  };
}
