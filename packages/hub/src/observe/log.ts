import { isatty } from 'node:tty';
import pino from 'pino';
import { PincerError } from '../core/errors.ts';
import type { Log, LogFields } from '../core/ports.ts';
import { plainJson } from '../core/plain-json.ts';
import { styleText } from 'node:util';
import { visible } from '../core/visible.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Takes whole lines, each with its line end. */
export interface LogSink {
  write(line: string): void;
}

const SECRETS = ['authorization', 'Authorization', 'token', 'apiKey', 'headers', 'env', 'clientSecret'];

/** Writes to stderr, never to stdout, which carries results and the stdio protocol. */
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
    // People read the lines in a terminal later.
    { write: (line) => sink.write(plainJson(line)) },
  );
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      logger[name](fields, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function stderrSink(): LogSink {
  // Synchronous: the last line before a crash is the important one.
  const stderr = pino.destination({ fd: 2, sync: true });
  // A closed pipe or a full disk behind stderr must not end the hub.
  stderr.on('error', () => {});
  if (!isatty(2)) return stderr;
  // Node's interpretation of NO_COLOR, FORCE_COLOR and TERM.
  const colour = process.stderr.hasColors();
  return { write: (line) => stderr.write(prettyLine(line, colour)) };
}

/** The message and the hint. The stack only at debug level. */
function errorSerializer(withStack: boolean): (value: unknown) => unknown {
  return (value) => {
    if (!(value instanceof Error)) return value;
    const { message, stack } = value;
    const own = PincerError.is(value) ? { code: value.code, message, hint: value.hint } : { message };
    return withStack ? { ...own, stack } : own;
  };
}

const STYLES = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

const isLevel = (level: unknown): level is keyof typeof STYLES =>
  typeof level === 'string' && level in STYLES;

/** Formats one JSON line of the log as `12:03:11 info  server "x" is ready attempt=2`. */
export function prettyLine(json: string, colour: boolean): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const name = isLevel(level) ? level : 'info';
  const paint = (style: (typeof STYLES)[keyof typeof STYLES], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${fact(value)}`);
  const rest = facts.length === 0 ? '' : paint('gray', visible(facts.join('')));
  return `${paint('gray', clock)} ${paint(STYLES[name], name.padEnd(5))} ${visible(String(msg))}${rest}\n`;
}

const fact = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
