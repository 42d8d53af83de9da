/** The life of a server: its state, since when, what is wrong with it, and when it is tried again. */
import type { PincerError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { BACKOFF, backoffMs } from './backoff.ts';
import { cureOf, retryAfterOf } from './cure.ts';

export type ServerState =
  | 'idle'
  | 'connecting'
  | 'ready'
  | 'backoff'
  | 'needs-sign-in'
  | 'disabled'
  | 'failed'
  | 'stopped';

export interface Life {
  readonly state: ServerState;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** What last went wrong and has not been put right since. */
  readonly problem: PincerError | undefined;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** How often it became ready. */
  readonly connects: number;
  /** When it is tried again by itself, in milliseconds since 1970. */
  readonly nextTryAt: number | undefined;
  /** It failed so recently that another attempt now would fail too. */
  readonly hasJustFailed: boolean;
  /** When that is no longer so. */
  readonly restMs: number;
  connecting(): void;
  ready(): void;
  /** An attempt to connect failed. */
  failed(reason: PincerError): void;
  /** The connection is gone that was there for so long. */
  lost(reason: PincerError, heldMs: number): void;
  /** Something is wrong though it is connected; undefined: no longer. */
  note(problem: PincerError | undefined): void;
  /** Nobody needs it: it is started again when somebody does. */
  rest(): void;
  stop(): void;
  /** Resolves when the next attempt has ended, one way or the other. */
  whenTried(): Promise<void>;
}

export interface LifeParts {
  readonly clock: Clock;
  /** It is time for another attempt. */
  onRetry(): void;
  /** It waits for a sign-in from now on. */
  onSignInNeeded?(reason: PincerError): void;
}

/** A connection that held this long starts its back-off anew. */
const STEADY_MS = 30_000;
/** What has failed this recently is not tried again for a call. */
const FAIL_FAST_MS = 1_000;

export function createLife({ clock, onRetry, onSignInNeeded }: LifeParts): Life {
  let state: ServerState = 'idle';
  let since = clock.now();
  let problem: PincerError | undefined;
  let failures = 0;
  let connects = 0;
  /** How often it was lost since it last held. */
  let losses = 0;
  /** How often it was waited for since it was last there. */
  let waits = 0;
  let failedAt = -Infinity;
  let retry: NodeJS.Timeout | undefined;
  let nextTryAt: number | undefined;
  let tried = Promise.withResolvers<void>();

  function become(next: ServerState): void {
    if (state !== next) since = clock.now();
    state = next;
    clearTimeout(retry);
    nextTryAt = undefined;
  }

  function ended(): void {
    tried.resolve();
    tried = Promise.withResolvers<void>();
  }

  function waitFor(delayMs: number): void {
    nextTryAt = clock.now() + delayMs;
    retry = setTimeout(onRetry, delayMs).unref();
  }

  /** What another attempt may cure is tried ever more rarely; what it hardly can, once a minute. */
  function fall(reason: PincerError, step: number): void {
    problem = reason;
    const cure = cureOf(reason);
    become(cure === 'time' ? 'backoff' : cure === 'sign-in' ? 'needs-sign-in' : 'failed');
    if (cure === 'sign-in') return onSignInNeeded?.(reason);
    const delay = cure === 'time' ? backoffMs(step, Math.random()) : BACKOFF.maxMs;
    waitFor(Math.max(delay, retryAfterOf(reason) ?? 0));
  }

  return {
    get state() {
      return state;
    },
    get since() {
      return since;
    },
    get problem() {
      return problem;
    },
    get failures() {
      return failures;
    },
    get connects() {
      return connects;
    },
    get nextTryAt() {
      return nextTryAt;
    },
    get hasJustFailed() {
      return problem !== undefined && clock.elapsed() - failedAt < FAIL_FAST_MS;
    },
    get restMs() {
      return Math.max(1, failedAt + FAIL_FAST_MS - clock.elapsed());
    },
    connecting: () => become('connecting'),
    ready() {
      if (state === 'stopped') return;
      become('ready');
      problem = undefined;
      failures = 0;
      waits = 0;
      connects++;
      ended();
    },
    failed(reason) {
      if (state === 'stopped') return;
      failures++;
      failedAt = clock.elapsed();
      fall(reason, waits++);
      ended();
    },
    lost(reason, heldMs) {
      if (state === 'stopped') return;
      if (heldMs >= STEADY_MS) losses = 0;
      // One that keeps dying as soon as it lives is not started anew by every call.
      if (losses > 0 && heldMs < FAIL_FAST_MS) failedAt = clock.elapsed();
      fall(reason, losses++);
      waits = 1;
    },
    note(found) {
      problem = found;
    },
    rest: () => become('idle'),
    stop() {
      become('stopped');
      ended();
    },
    whenTried: () => tried.promise,
  };
}
