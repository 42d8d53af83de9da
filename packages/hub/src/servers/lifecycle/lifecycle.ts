/** The lifecycle of a server: its state, its problem, and when to retry. */
import { PincerError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { BACKOFF, backoffMs } from './backoff.ts';
import { orTooLate, within } from '../../lib/time.ts';

export type ServerState =
  | 'idle'
  | 'connecting'
  | 'ready'
  | 'backoff'
  | 'needs-sign-in'
  | 'disabled'
  | 'failed'
  | 'stopped';

export interface Lifecycle {
  readonly state: ServerState;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The last problem that is not resolved yet. */
  readonly problem: PincerError | undefined;
  /** Consecutive failed attempts. */
  readonly failures: number;
  /** How often it became ready. */
  readonly connects: number;
  /** Time of the next automatic attempt, in milliseconds since 1970. */
  readonly nextTryAt: number | undefined;
  /** Failed so recently that another attempt would fail, too. */
  readonly hasJustFailed: boolean;
  /** How long `hasJustFailed` stays true. */
  readonly failFastMs: number;
  connecting(): void;
  ready(): void;
  /** An attempt to connect failed. */
  failed(reason: PincerError): void;
  /** The main connection was lost after `heldMs`. */
  lost(reason: PincerError, heldMs: number): void;
  /** Sets a problem of a connected server; undefined clears it. */
  note(problem: PincerError | undefined): void;
  /** Stopped because it is not used; the next call starts it again. */
  idle(): void;
  stop(): void;
  /** Resolves when the next attempt has ended, with or without success. */
  whenTried(): Promise<void>;
}

interface LifecycleParts {
  readonly clock: Clock;
  /** Called when the next attempt is due. */
  onRetry(): void;
  /** Called when it starts to wait for a sign-in. */
  onSignInNeeded?(reason: PincerError): void;
}

/** A connection that held this long resets the backoff. */
const STEADY_MS = 30_000;
/** After a failure this recent, a call does not trigger another attempt. */
const FAIL_FAST_MS = 1_000;

export function createLifecycle({ clock, onRetry, onSignInNeeded }: LifecycleParts): Lifecycle {
  let state: ServerState = 'idle';
  let since = clock.now();
  let problem: PincerError | undefined;
  let failures = 0;
  let connects = 0;
  /** Losses since a connection last held long enough. */
  let losses = 0;
  /** Failed attempts since the last connection. */
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

  /** Retries with growing backoff if time may help, otherwise once a minute. */
  function goDown(reason: PincerError, step: number): void {
    problem = reason;
    const recovery = recoveryOf(reason);
    become(recovery === 'time' ? 'backoff' : recovery === 'sign-in' ? 'needs-sign-in' : 'failed');
    if (recovery === 'sign-in') return onSignInNeeded?.(reason);
    const delay = recovery === 'time' ? backoffMs(step, Math.random()) : BACKOFF.maxMs;
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
    get failFastMs() {
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
      goDown(reason, waits++);
      ended();
    },
    lost(reason, heldMs) {
      if (state === 'stopped') return;
      if (heldMs >= STEADY_MS) losses = 0;
      // A server that keeps crashing right after its start is not restarted by every call.
      if (losses > 0 && heldMs < FAIL_FAST_MS) failedAt = clock.elapsed();
      goDown(reason, losses++);
      waits = 1;
    },
    note(found) {
      problem = found;
    },
    idle: () => become('idle'),
    stop() {
      become('stopped');
      ended();
    },
    whenTried: () => tried.promise,
  };
}

/**
 * What may bring an unreachable server back. With `person`, a setting or the server must change; it is still retried,
 * but rarely.
 */
type Recovery = 'time' | 'sign-in' | 'person';

/** Refusals that persist until something is changed: forbidden, wrong endpoint, gone. */
const LASTING_STATUSES: readonly unknown[] = [301, 302, 303, 307, 308, 403, 404, 405, 410, 415];

export function recoveryOf({ code, data }: PincerError): Recovery {
  if (code === 'SIGN_IN_NEEDED' || code === 'SCOPE_NEEDED') return 'sign-in';
  // It was connected a moment ago.
  if (code === 'SERVER_GONE') return 'time';
  if (data?.['neverRan'] === true || LASTING_STATUSES.includes(data?.['status'])) return 'person';
  return code === 'SERVER_PROTOCOL' && data?.['status'] === undefined ? 'person' : 'time';
}

/** Upper limit for a server's `Retry-After`. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** The delay that the server asked for. */
export function retryAfterOf({ data }: PincerError): number | undefined {
  const given = data?.['retryAfterMs'];
  return typeof given === 'number' ? Math.min(given, MAX_RETRY_AFTER_MS) : undefined;
}

interface OpenWithinParts {
  readonly lifecycle: Lifecycle;
  readonly clock: Clock;
  /** How long a call waits at most. */
  readonly maxWaitMs: number;
}

const TRIES = 3;

/**
 * Opens a connection, waiting for up to three attempts, so that a call does not fail while its server comes back.
 * Rejects when waiting longer is pointless.
 */
export async function openWithin<T>(open: () => Promise<T>, parts: OpenWithinParts): Promise<T> {
  const { lifecycle, clock, maxWaitMs } = parts;
  const giveUpAt = clock.elapsed() + maxWaitMs;
  for (;;) {
    if (!lifecycle.hasJustFailed || lifecycle.state === 'ready') {
      try {
        // On timeout the attempt goes on: other calls may need the connection.
        return await orTooLate(open(), Math.max(1, giveUpAt - clock.elapsed()), () => STILL_STARTING);
      } catch (error) {
        const reason = PincerError.from(error);
        // If the main connection is fine, another try would fail the same way.
        if (!lifecycle.hasJustFailed || recoveryOf(reason) !== 'time') throw error;
      }
    }
    const { problem, failures } = lifecycle;
    const leftMs = giveUpAt - clock.elapsed();
    const isComing = lifecycle.state === 'backoff' || lifecycle.state === 'connecting';
    if (!isComing || failures >= TRIES || leftMs <= 0)
      throw problem ?? new PincerError('SERVER_UNREACHABLE', 'It was stopped.');
    // A crashing server is retried by the calls, after a pause; an unreachable one by the backoff timer.
    await within(lifecycle.whenTried(), failures === 0 ? Math.min(leftMs, lifecycle.failFastMs) : leftMs);
  }
}

const STILL_STARTING = new PincerError('SERVER_UNREACHABLE', 'The server is still starting.', {
  hint: 'Try again in a moment.',
});
