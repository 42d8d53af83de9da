/**
 * Regular checks of a server's main connection: whether it is still there, and whether it is still used. A web server's
 * stream may be dead without any sign, for example after the machine slept; a program may hang.
 */
import { PincerError } from '../../core/errors.ts';
import { ownParams } from '../connection/call-params.ts';
import type { Connection } from '../connection/connection.ts';

interface HeartbeatParts {
  readonly server: string;
  readonly everyMs: number;
  /** A pipe that is dead says so; a program that does not answer on it hangs. */
  readonly isProgram: boolean;
  /** Milliseconds since 1970: these go on while the machine sleeps. */
  now(): number;
  /** The connection to look after, where there is one. */
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
    // The streams of a web server do not survive that.
    if (!isProgram && sinceMs > SLEPT_BEATS * everyMs) connection.retire(slept(server));
    else if (isProgram ? connection.isSuspect : connection.silentMs >= everyMs / 2) void beat(connection);
  }, everyMs).unref();

  async function beat(connection: Connection): Promise<void> {
    const method = connection.era === 'modern' ? 'server/discover' : 'ping';
    try {
      // An error is an answer too: not every server knows the question.
      await connection.ask(method, ownParams(connection.era), timeoutMs);
    } catch (error) {
      const reason = PincerError.from(error);
      if (reason.code === 'SIGN_IN_NEEDED' || reason.code === 'SERVER_GONE') connection.retire(reason);
      // Whoever refuses is there.
      else if (reason.data?.['status'] === undefined && reason.data?.['retryAfterMs'] === undefined)
        connection.retire(silent(server, timeoutMs, reason));
    }
  }

  return { stop: () => clearInterval(timer) };
}

/** How long an answer may take. */
const MAX_WAIT_MS = 10_000;
/** A beat that comes this late was not late: the machine slept. */
const SLEPT_BEATS = 2;

const slept = (server: string): PincerError =>
  new PincerError('SERVER_GONE', `This machine slept; the connection to "${server}" is made anew.`);

const silent = (server: string, timeoutMs: number, cause: PincerError): PincerError =>
  new PincerError('SERVER_GONE', `Server "${server}" gave no sign of life within ${timeoutMs} ms.`, {
    cause,
  });

/** Ends the connection to a server that nobody has used for a while. */
interface IdleStopParts {
  readonly idleMs: number;
  isNeeded(): boolean;
  current(): Connection | undefined;
  /** Told before the connection ends: that is no loss. */
  rest(): void;
}

/** Looks this many times as often as the time that it waits for. */
const LOOKS = 4;

export function startIdleStop({ idleMs, isNeeded, current, rest }: IdleStopParts): { stop(): void } {
  const timer = setInterval(() => {
    const connection = current();
    if (connection === undefined || isNeeded() || connection.idleMs < idleMs) return;
    rest();
    void connection.close(new PincerError('SERVER_GONE', 'Stopped because nobody used it.'));
  }, idleMs / LOOKS).unref();
  return { stop: () => clearInterval(timer) };
}
