import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log, Spawn, SpawnOptions } from '../../core/ports.ts';
import { hideUrlPasswords } from '../../core/redact/redact-secrets.ts';
import { LineReader } from '../../core/wire/line-reader.ts';
import { MalformedMessageError, parseMessage, plainString, type Message } from '../../core/wire/message.ts';
import { asBytes, oneLine, type ByteText } from '../../core/wire/byte-text.ts';
import { malformedAnswer } from '../connection/pending-calls.ts';
import type { OpenWire, Wire } from '../wire.ts';
import { findDownloadFailure, type DownloadFailure } from './download-failure.ts';
import { createTail, type Tail } from './tail.ts';

export interface StdioWireOptions {
  readonly server: string;
  readonly child: SpawnOptions;
  readonly spawn: Spawn;
  readonly limits: Limits;
  readonly log: Log;
  /** Keeps the end of stderr. */
  readonly stderr?: Tail;
}

/** JSON-RPC over the pipes of a child process, one message per line. */
export const openStdioWire =
  (options: StdioWireOptions): OpenWire =>
  (events) => {
    const { server, limits, log } = options;
    const stderr = options.stderr ?? createTail(limits.stderrTailBytes);
    let closed = false;
    let hasSpoken = false;
    let badLines = 0;

    const lines = new LineReader({
      maxBytes: limits.maxMessageBytes,
      onLine(line) {
        if (isBlank(line)) return;
        const message = readLine(line);
        if (message === undefined) return;
        hasSpoken = true;
        events.onMessage(message, undefined);
      },
      onOverflow() {
        close(`sent a line of more than ${limits.maxMessageBytes} bytes`, 'SERVER_PROTOCOL');
        void child.stop();
      },
    });

    /** Programs print to stdout by mistake: such lines are logged and skipped. */
    function readLine(line: ByteText): Message | undefined {
      try {
        return parseMessage(line);
      } catch (error) {
        if (error instanceof MalformedMessageError && error.id?.startsWith('"') === true)
          events.onRequestLost(plainString(error.id), true, malformedAnswer(server, error));
        if (++badLines > MAX_BAD_LINES_LOGGED) return undefined;
        log.warn(`server "${server}" wrote a line that is not a message`, {
          line: hideUrlPasswords(line.slice(0, 200)),
          error: String(error),
        });
        return undefined;
      }
    }

    function close(reason: string, code: 'SERVER_GONE' | 'SERVER_PROTOCOL' = 'SERVER_GONE'): void {
      if (closed) return;
      closed = true;
      const neverRan = child.pid === 0;
      const download = neverRan || hasSpoken ? undefined : findDownloadFailure(stderr.text(), options.child);
      if (download !== undefined) return events.onClosed(notDownloaded(server, download));
      const lastWords = neverRan ? undefined : stderr.lastLine() || undefined;
      events.onClosed(
        new PincerError(neverRan ? 'SERVER_UNREACHABLE' : code, `Server "${server}" ${reason}.`, {
          hint: neverRan
            ? `Is it installed? Check servers.${server}.command.`
            : `See what it wrote to stderr: pincer status ${server}`,
          data: neverRan ? { neverRan } : undefined,
          lastWords,
        }),
      );
    }

    const child = options.spawn(options.child, {
      onStdout: (chunk) => lines.push(chunk),
      onStderr: (chunk) => stderr.push(chunk),
      onDrain: () => events.onDrain(),
      onExit: (reason) => close(reason),
    });

    return {
      pid: child.pid,
      get isReady() {
        return child.unsent < limits.maxUnsentToServerBytes;
      },
      send(message) {
        child.write(`${asBytes(oneLine(message))}\n`);
      },
      forget: () => false,
      speak: () => undefined,
      listen: () => undefined,
      async close() {
        closed = true;
        await child.stop();
      },
    } satisfies Wire;
  };

function notDownloaded(server: string, { reason, isPassing, advice }: DownloadFailure): PincerError {
  return new PincerError('SERVER_UNREACHABLE', `Server "${server}" ${reason}.`, {
    hint: `See what it wrote to stderr: pincer status ${server}`,
    ownersHint: advice,
    data: isPassing ? undefined : { neverRan: true },
  });
}

const MAX_BAD_LINES_LOGGED = 5;

const isBlank = (line: ByteText): boolean => line.length < 2 || line.trim() === '';
