import { isatty } from 'node:tty';
import pino from 'pino';
import { PincerError } from '../core/errors.ts';
import type { Log, LogFields } from '../core/ports.ts';
import { plainJson } from '../core/plain-json.ts';
import { prettyLine } from './log-pretty.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Takes whole lines, each with its line end. */
export interface LogSink {
  write(line: string): void;
}

const SECRETS = ['authorization', 'Authorization', 'token', 'apiKey', 'headers', 'env', 'clientSecret'];

/** To stderr. Never to stdout: that is where results, and the protocol of the stdio surface, go. */
export const createLog = (level: LogLevel): Log => logTo(stderrSink(), level);

export function logTo(sink: LogSink, level: LogLevel): Log {
  const toFields = errorSerializer(level === 'debug');
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: toFields, err: toFields, reason: toFields },
      redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
    },
    // Whoever looks at the lines later does so on a terminal.
    { write: (line) => sink.write(plainJson(line)) },
  );
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      logger[name](fields, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function stderrSink(): LogSink {
  // Written before the call returns: the last line before a crash is the one that is wanted.
  const stderr = pino.destination({ fd: 2, sync: true });
  // A closed pipe or a full disk behind stderr must not end the hub.
  stderr.on('error', () => {});
  if (!isatty(2)) return stderr;
  // Node's own reading of NO_COLOR, FORCE_COLOR and TERM.
  const colour = process.stderr.hasColors();
  return { write: (line) => stderr.write(prettyLine(line, colour)) };
}

/** The message and the next step; where it happened only for those who debug. */
function errorSerializer(withStack: boolean): (value: unknown) => unknown {
  return (value) => {
    if (!(value instanceof Error)) return value;
    const { message, stack } = value;
    const own = PincerError.is(value) ? { code: value.code, message, hint: value.hint } : { message };
    return withStack ? { ...own, stack } : own;
  };
}
