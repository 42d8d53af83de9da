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
  /** The connection to look after, where there is one that may be dead. */
  suspect(): Connection | undefined;
}

export interface Heartbeat {
  stop(): void;
}

export function startHeartbeat(parts: HeartbeatParts): Heartbeat {
  const { server, everyMs, timeoutMs } = parts;
  const timer = setInterval(() => {
    const connection = parts.suspect();
    if (connection !== undefined) void beat(connection);
  }, everyMs).unref();

  async function beat(connection: Connection): Promise<void> {
    const method = connection.era === 'modern' ? 'server/discover' : 'ping';
    try {
      // An error is an answer too: not every server knows the question.
      await connection.ask(method, ownParams(connection.era), timeoutMs);
    } catch (error) {
      connection.retire(silent(server, timeoutMs, PincerError.from(error)));
    }
  }

  return { stop: () => clearInterval(timer) };
}

const silent = (server: string, timeoutMs: number, cause: PincerError): PincerError =>
  new PincerError('SERVER_GONE', `Server "${server}" gave no sign of life within ${timeoutMs} ms.`, {
    cause,
  });
