/** A server that says when it wants to be asked again (429, 503) is left alone until then. */
import { PincerError } from '../../core/errors.ts';
import { backoffMs } from '../life/backoff.ts';
import type { HttpFailure } from './http-failure.ts';
import { inSeconds } from './http-headers.ts';

/** A message that is to be sent. */
export interface Errand {
  /** Our id, for a request that awaits an answer. */
  readonly id: string | undefined;
  /** `isFirst`: it may be attempted once more, where the server refuses for a moment. */
  attempt(isFirst: boolean): void;
  /** It was not sent, and is not going to be. */
  refuse(reason: PincerError): void;
}

export interface Courtesy {
  /** Attempts it: now, or when the server may be asked again. What would have to wait for long is refused. */
  begin(errand: Errand): void;
  /** The server has answered something else than that it wants to be left alone. */
  welcome(): void;
  /** It has refused. True: it did not run it, and the errand, where one is given, is attempted a little later. */
  repeats(failure: HttpFailure, errand: Errand | undefined): boolean;
  /** True: it was waiting, and now never leaves. */
  forget(id: string): boolean;
  close(): void;
}

/** What is known of a server's wish, by all connections to it. */
export interface Pause {
  until: number;
  /** Refusals in a row that did not say for how long. */
  refusals: number;
  /** The HTTP status that it was said with. */
  status: number;
}

export const noPause = (): Pause => ({ until: 0, refusals: 0, status: 0 });

/** Notifications and answers that wait; further ones are dropped. */
const MAX_WAITING_UNANSWERED = 64;

/** What would have to wait for longer than `inPlaceMs` is refused instead. */
export function createCourtesy(server: string, inPlaceMs: number, pause: Pause = noPause()): Courtesy {
  let waiting: { readonly errand: Errand; readonly isFirst: boolean }[] = [];
  let timer: NodeJS.Timeout | undefined;

  const remainingMs = (): number => Math.max(0, pause.until - performance.now());

  function release(): void {
    timer = undefined;
    const all = waiting;
    waiting = [];
    for (const { errand, isFirst } of all) begin(errand, isFirst);
  }

  function begin(errand: Errand, isFirst: boolean): void {
    const { id } = errand;
    const rest = remainingMs();
    if (rest === 0) errand.attempt(isFirst);
    else if (id !== undefined && rest > inPlaceMs) errand.refuse(leftAlone(server, rest, pause.status));
    else if (id !== undefined || waiting.length < MAX_WAITING_UNANSWERED) wait(errand, isFirst, rest);
  }

  function wait(errand: Errand, isFirst: boolean, ms: number): void {
    waiting.push({ errand, isFirst });
    timer ??= setTimeout(release, ms).unref();
  }

  /** Undefined: the refusal is none that time alone would put right. */
  function wishOf({ reason: { data } }: HttpFailure): number | undefined {
    const asked = data?.['retryAfterMs'];
    if (typeof asked === 'number') return asked;
    if (data?.['status'] !== 429) return undefined;
    return remainingMs() > 0 ? remainingMs() : backoffMs(pause.refusals++, Math.random());
  }

  return {
    begin: (errand) => begin(errand, true),
    welcome() {
      pause.refusals = 0;
    },
    repeats(failure, errand) {
      const wish = failure.wasSent ? undefined : wishOf(failure);
      if (wish === undefined) return false;
      pause.until = Math.max(pause.until, performance.now() + wish);
      pause.status = Number(failure.reason.data?.['status']);
      if (errand === undefined || remainingMs() > inPlaceMs) return false;
      wait(errand, false, remainingMs());
      return true;
    },
    forget(id) {
      const before = waiting.length;
      waiting = waiting.filter(({ errand }) => errand.id !== id);
      return waiting.length < before;
    },
    close() {
      clearTimeout(timer);
      waiting = [];
    },
  };
}

const leftAlone = (server: string, ms: number, status: number): PincerError =>
  new PincerError('SERVER_UNREACHABLE', `Server "${server}" has asked to be left alone for a while.`, {
    hint: `Try again in ${inSeconds(ms)}: the server asks for that.`,
    data: { status, retryAfterMs: Math.ceil(ms) },
  });
