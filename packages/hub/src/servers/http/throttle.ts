/** Pauses requests to a server that answered 429 or 503 until it accepts requests again. */
import { PincerError } from '../../core/errors.ts';
import { backoffMs } from '../lifecycle/backoff.ts';
import type { HttpFailure } from './http-failure.ts';
import { inSeconds } from './http-headers.ts';

/** A message to send. */
export interface Delivery {
  /** The hub's id, for a request that expects an answer. */
  readonly id: string | undefined;
  /** With `isFirst` it may be retried once if the server throttles. */
  attempt(isFirst: boolean): void;
  /** It was not sent and will not be. */
  refuse(reason: PincerError): void;
}

export interface Throttle {
  /** Sends now, or when the server accepts requests again. Refuses if that takes too long. */
  begin(delivery: Delivery): void;
  /** The server has accepted a request. */
  accepted(): void;
  /** Handles a refusal. Returns true if the server did not run the request and it is retried later. */
  retryLater(failure: HttpFailure, delivery: Delivery | undefined): boolean;
  /** Returns true if it was still waiting; it is then never sent. */
  forget(id: string): boolean;
  close(): void;
}

/** The pause that a server asked for, shared by all connections to it. */
export interface Pause {
  until: number;
  /** Consecutive refusals without `Retry-After`. */
  refusals: number;
  /** The HTTP status of the refusal. */
  status: number;
}

export const noPause = (): Pause => ({ until: 0, refusals: 0, status: 0 });

/** Notifications and answers that may wait; further ones are dropped. */
const MAX_WAITING_UNANSWERED = 64;

/** A request that would wait longer than `inPlaceMs` is refused. */
export function createThrottle(server: string, inPlaceMs: number, pause: Pause = noPause()): Throttle {
  let waiting: { readonly delivery: Delivery; readonly isFirst: boolean }[] = [];
  let timer: NodeJS.Timeout | undefined;

  const remainingMs = (): number => Math.max(0, pause.until - performance.now());

  function release(): void {
    timer = undefined;
    const all = waiting;
    waiting = [];
    for (const { delivery, isFirst } of all) begin(delivery, isFirst);
  }

  function begin(delivery: Delivery, isFirst: boolean): void {
    const { id } = delivery;
    const rest = remainingMs();
    if (rest === 0) delivery.attempt(isFirst);
    else if (id !== undefined && rest > inPlaceMs) delivery.refuse(throttled(server, rest, pause.status));
    else if (id !== undefined || waiting.length < MAX_WAITING_UNANSWERED) wait(delivery, isFirst, rest);
  }

  function wait(delivery: Delivery, isFirst: boolean, ms: number): void {
    waiting.push({ delivery, isFirst });
    timer ??= setTimeout(release, ms).unref();
  }

  /** Returns undefined if waiting would not help. */
  function retryDelayOf({ reason: { data } }: HttpFailure): number | undefined {
    const asked = data?.['retryAfterMs'];
    if (typeof asked === 'number') return asked;
    if (data?.['status'] !== 429) return undefined;
    return remainingMs() > 0 ? remainingMs() : backoffMs(pause.refusals++, Math.random());
  }

  return {
    begin: (delivery) => begin(delivery, true),
    accepted() {
      pause.refusals = 0;
    },
    retryLater(failure, delivery) {
      const delay = failure.wasSent ? undefined : retryDelayOf(failure);
      if (delay === undefined) return false;
      pause.until = Math.max(pause.until, performance.now() + delay);
      pause.status = Number(failure.reason.data?.['status']);
      if (delivery === undefined || remainingMs() > inPlaceMs) return false;
      wait(delivery, false, remainingMs());
      return true;
    },
    forget(id) {
      const before = waiting.length;
      waiting = waiting.filter(({ delivery }) => delivery.id !== id);
      return waiting.length < before;
    },
    close() {
      clearTimeout(timer);
      waiting = [];
    },
  };
}

const throttled = (server: string, ms: number, status: number): PincerError =>
  new PincerError('SERVER_UNREACHABLE', `Server "${server}" does not accept requests at the moment.`, {
    hint: `Try again in ${inSeconds(ms)}, as the server requested.`,
    data: { status, retryAfterMs: Math.ceil(ms) },
  });
