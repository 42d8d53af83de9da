/**
 * Asks a server whether it is still there. A web server's stream may be dead and never say so, after sleep say; a program
 * may hang.
 */
import { PincerError } from '../../core/errors.ts';
import { ownParams } from './call-params.ts';
import type { Connection } from './connection.ts';

export interface HeartbeatParts {
  readonly server: string;
  readonly everyMs: number;
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970: these go on while the machine sleeps. */
  now(): number;
  /** The connection to look after, where there is one that may be dead. */
  suspect(): Connection | undefined;
  /** The connection whose streams do not survive a sleep of this machine, where there is one. */
  fragile(): Connection | undefined;
}

export interface Heartbeat {
  stop(): void;
}

export function startHeartbeat(parts: HeartbeatParts): Heartbeat {
  const { server, everyMs, timeoutMs } = parts;
  let lastBeat = parts.now();
  const timer = setInterval(() => {
    const sinceMs = parts.now() - lastBeat;
    lastBeat += sinceMs;
    if (sinceMs > SLEPT_BEATS * everyMs) return parts.fragile()?.retire(slept(server));
    const connection = parts.suspect();
    if (connection !== undefined) void beat(connection);
  }, everyMs).unref();

  async function beat(connection: Connection): Promise<void> {
    const method = connection.era === 'modern' ? 'server/discover' : 'ping';
    try {
      // An error is an answer too: not every server knows the question.
      await connection.ask(method, ownParams(connection.era), timeoutMs);
    } catch (error) {
      const reason = PincerError.from(error);
      // One that wants to be left alone for a while is there.
      if (reason.data?.['retryAfterMs'] === undefined) connection.retire(silent(server, timeoutMs, reason));
    }
  }

  return { stop: () => clearInterval(timer) };
}

/** A beat that comes this late was not late: the machine slept. */
const SLEPT_BEATS = 2;

const slept = (server: string): PincerError =>
  new PincerError('SERVER_GONE', `This machine slept; the connection to "${server}" is made anew.`);

const silent = (server: string, timeoutMs: number, cause: PincerError): PincerError =>
  new PincerError('SERVER_GONE', `Server "${server}" gave no sign of life within ${timeoutMs} ms.`, {
    cause,
  });
