/** What passes between a surface and a source: era-neutral and lossless. */
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
  /** What it is about, as its server calls it: a tool's or prompt's name, a resource's URI, a task's id. */
  readonly name: string | undefined;
  /** Members of `params` as the server is to get them, `_meta` excepted. */
  readonly params: readonly Member[];
  /** Members of `params._meta` as they came, the progress token included. */
  readonly meta: readonly Member[];
  /** The era that the caller speaks: a source prefers to be asked in the same one. */
  readonly era: Era;
  readonly caller: Caller;
  readonly client: Client;
  /** The ids that this caller knows the server's tasks by; absent: nothing is said to the client outside of this request. */
  readonly tasks?: TaskIds | undefined;
  /** Where it was asked: everything, or one server; for the app proxy the session, as the entry point found it. */
  readonly view?: View;
  /** Where bytes of media are wanted besides their own content; absent: nowhere. */
  readonly mediaBytes?: MediaBytes | undefined;
  /** Arguments that the tool's schema wants repeated in HTTP headers of the modern era, by header name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How long the caller waits for the answer, if it said so: the server may take at least that long. */
  readonly waitMs?: number | undefined;
  /** To run it twice does no harm: it only reads, or says that it is idempotent. */
  readonly isRepeatable?: boolean;
  /** For a source that could not send it at once: why it may not run any more. */
  readonly recheck?: (() => PincerError | undefined) | undefined;
}

/** In the text of the answer, for programs that read it there; or in its structured content. */
export type MediaBytes = 'in-text' | 'structured';

/** What a server asks of the client before it can go on: sampling, elicitation, roots. */
export interface Question {
  readonly method: string;
  /** A whole JSON object. */
  readonly params: ByteText;
  /** Exactly once, unless the question was taken back. */
  answer(answer: Answer): void;
}

/** A whole JSON object, or a whole JSON-RPC error object. */
export type Answer = { readonly result: ByteText } | { readonly error: ByteText };

/** A question that somebody thinks about. */
export interface Asked {
  /** The server no longer wants to know: `answer` is not called any more. */
  withdraw(reason: string): void;
}

/** Where a source says what becomes of one request. */
export interface Exchange {
  /** Something on the way to the answer; `params` is a whole JSON object. */
  notify(method: string, params: ByteText): void;
  /** The server needs something of the client before it can answer. */
  ask(question: Question): Asked;
  /** The end; called exactly once, possibly before `request` has returned. */
  settle(outcome: Outcome): void;
}

/** The caller's end of one request. */
export interface CallerExchange extends Exchange {
  /** It waits for a person, and takes up none of what calls are rationed by until it goes on. */
  pause(): void;
  /** False: it may not go on, its credential has been revoked. */
  goOn(): boolean;
}

/** A request under way. */
export interface Running {
  /** The caller no longer wants it. The source is told; the exchange settles all the same. */
  cancel(reason: string): void;
}

/** Of a request that is settled already, or that nobody can stop. */
export const NOTHING_RUNS: Running = { cancel: () => undefined };

/** What exactly a request would do, where its source knows that better than the request's own words say it. */
export interface Prepared {
  /** Of this and policy, the stricter one counts. */
  readonly decision: Decision;
  /** What a person is asked about, in place of the members of `params`. Empty: nothing would be done, so nobody is asked. */
  readonly subject: readonly Member[];
  /** Does exactly that; where it can no longer be done, it settles as not executed. */
  begin(exchange: Exchange): Running;
}

export interface Source {
  readonly name: string;
  request(request: SourceRequest, exchange: Exchange): Running;
  /** Undefined: there is nothing to be said of it before it is done. */
  prepare?(request: SourceRequest): Promise<Prepared> | undefined;
  /** Lets the client hear of changes of a resource, until it is forgotten. */
  watch(uri: string, client: Client): Promise<void>;
  /** A notification of a client to the connections that are its own. */
  tell(client: Client, method: string, params: ByteText): void;
  /** The client is gone: its subscriptions and its own connections with it. */
  forget(client: Client): void;
}

/** The same end of a request, at which somebody looks at the outcome before it is passed on. */
export const onOutcome = (exchange: Exchange, look: (outcome: Outcome) => void): Exchange => ({
  notify: (method, params) => exchange.notify(method, params),
  ask: (question) => exchange.ask(question),
  settle(outcome) {
    look(outcome);
    exchange.settle(outcome);
  },
});

/** A call that cannot start before something is there. Until then, cancelling it costs nothing. */
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
