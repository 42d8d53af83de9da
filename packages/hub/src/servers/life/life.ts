/** The life of a server: its state, since when, what is wrong with it, and when it is tried again. */
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

interface LifeParts {
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

/** What may put right why a server cannot be reached. `person`: somebody has to change a setting, or the server; it is tried again, but rarely. */
type Cure = 'time' | 'sign-in' | 'person';

/** Refusals that say the same until something is changed: forbidden, no such endpoint, gone. */
const LASTING_STATUSES: readonly unknown[] = [301, 302, 303, 307, 308, 403, 404, 405, 410, 415];

export function cureOf({ code, data }: PincerError): Cure {
  if (code === 'SIGN_IN_NEEDED' || code === 'SCOPE_NEEDED') return 'sign-in';
  // It was there a moment ago.
  if (code === 'SERVER_GONE') return 'time';
  if (data?.['neverRan'] === true || LASTING_STATUSES.includes(data?.['status'])) return 'person';
  return code === 'SERVER_PROTOCOL' && data?.['status'] === undefined ? 'person' : 'time';
}

/** The longest that a server can ask for before it is tried all the same. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** How long the server wants to be left alone. */
export function retryAfterOf({ data }: PincerError): number | undefined {
  const given = data?.['retryAfterMs'];
  return typeof given === 'number' ? Math.min(given, MAX_RETRY_AFTER_MS) : undefined;
}

interface PatienceParts {
  readonly life: Life;
  readonly clock: Clock;
  /** How long a call waits at most. */
  readonly maxWaitMs: number;
}

const TRIES = 3;

/** A call does not fail because its server is just coming back: it waits for three tries. Resolves with what `open` gives; rejects when there is no point in waiting any longer. */
export async function openPatiently<T>(open: () => Promise<T>, parts: PatienceParts): Promise<T> {
  const { life, clock, maxWaitMs } = parts;
  const giveUpAt = clock.elapsed() + maxWaitMs;
  for (;;) {
    if (!life.hasJustFailed || life.state === 'ready') {
      try {
        // Other calls may still need a connection that comes too late for this one.
        return await orTooLate(open(), Math.max(1, giveUpAt - clock.elapsed()), () => STILL_STARTING);
      } catch (error) {
        const reason = PincerError.from(error);
        // Where it was not the server's connection that failed, the next look has nothing new to say.
        if (!life.hasJustFailed || cureOf(reason) !== 'time') throw error;
      }
    }
    const { problem, failures } = life;
    const leftMs = giveUpAt - clock.elapsed();
    const isComing = life.state === 'backoff' || life.state === 'connecting';
    if (!isComing || failures >= TRIES || leftMs <= 0)
      throw problem ?? new PincerError('SERVER_UNREACHABLE', 'It was stopped.');
    // One that keeps dying is tried by whoever needs it, after a breath; one that cannot be had is tried by the clock.
    await within(life.whenTried(), failures === 0 ? Math.min(leftMs, life.restMs) : leftMs);
  }
}

const STILL_STARTING = new PincerError('SERVER_UNREACHABLE', 'The server is still starting.', {
  hint: 'Try again in a moment.',
});
