/**
 * Periodic checks of a server's main connection: is it alive, and is it used? A web server's stream may be dead without
 * notice, for example after the machine slept; a program may hang.
 */
import { PincerError } from '../../core/errors.ts';
import { ownParams } from '../connection/call-params.ts';
import type { Connection } from '../connection/connection.ts';

interface HeartbeatParts {
  readonly server: string;
  readonly everyMs: number;
  /** A closed pipe is noticed at once; a program that does not answer hangs. */
  readonly isProgram: boolean;
  /** Wall clock in milliseconds since 1970: it advances while the machine sleeps. */
  now(): number;
  /** The main connection, if open. */
  current(): Connection | undefined;
}

interface Heartbeat {
  stop(): void;
}

export function startHeartbeat(parts: HeartbeatParts): Heartbeat {
  const { server, everyMs, isProgram } = parts;
  const timeoutMs = Math.min(everyMs, MAX_WAIT_MS);
  let lastBeat = parts.now();
  const timer = setInterval(() => {
    const sinceMs = parts.now() - lastBeat;
    lastBeat += sinceMs;
    const connection = parts.current();
    if (connection === undefined) return;
    // The streams of a web server do not survive sleep.
    if (!isProgram && sinceMs > SLEPT_BEATS * everyMs) connection.retire(slept(server));
    else if (isProgram ? connection.isSuspect : connection.silentMs >= everyMs / 2) void beat(connection);
  }, everyMs).unref();

  async function beat(connection: Connection): Promise<void> {
    const method = connection.era === 'modern' ? 'server/discover' : 'ping';
    try {
      // An error is also an answer: not every server knows the method.
      await connection.ask(method, ownParams(connection.era), timeoutMs);
    } catch (error) {
      const reason = PincerError.from(error);
      if (reason.code === 'SIGN_IN_NEEDED' || reason.code === 'SERVER_GONE') connection.retire(reason);
      // A server that refuses with a status is alive.
      else if (reason.data?.['status'] === undefined && reason.data?.['retryAfterMs'] === undefined)
        connection.retire(silent(server, timeoutMs, reason));
    }
  }

  return { stop: () => clearInterval(timer) };
}

/** Timeout of a heartbeat. */
const MAX_WAIT_MS = 10_000;
/** A timer this late means that the machine slept. */
const SLEPT_BEATS = 2;

const slept = (server: string): PincerError =>
  new PincerError('SERVER_GONE', `This machine slept; reconnecting to "${server}".`);

const silent = (server: string, timeoutMs: number, cause: PincerError): PincerError =>
  new PincerError('SERVER_GONE', `Server "${server}" did not answer a heartbeat within ${timeoutMs} ms.`, {
    cause,
  });

/** Closes the connection to a server that was not used for a while. */
interface IdleStopParts {
  readonly idleMs: number;
  isNeeded(): boolean;
  current(): Connection | undefined;
  /** Called before the connection closes, so that it does not count as lost. */
  onIdle(): void;
}

/** Checks per idle period. */
const LOOKS = 4;

export function startIdleStop({ idleMs, isNeeded, current, onIdle }: IdleStopParts): { stop(): void } {
  const timer = setInterval(() => {
    const connection = current();
    if (connection === undefined || isNeeded() || connection.idleMs < idleMs) return;
    onIdle();
    void connection.close(new PincerError('SERVER_GONE', 'Stopped because it was not used.'));
  }, idleMs / LOOKS).unref();
  return { stop: () => clearInterval(timer) };
}
