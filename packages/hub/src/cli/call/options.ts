/** `call` reads its own arguments: loading a command-line library would take longer than the call. */
import { DEVICE_SOURCE } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import { closest } from '../../lib/text.ts';

export interface CallOptions {
  readonly server: string;
  readonly tool: string;
  /** `key=value` and `key:=JSON`, as they were written. */
  readonly pairs: readonly string[];
  /** JSON text of all arguments; `-` means stdin. */
  readonly args: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Folder for pictures, sounds and files of the result. */
  readonly out: string | undefined;
  /** Arguments are sent though the tool may not take them. */
  readonly isUnchecked: boolean;
}

/** Those of the whole program are read elsewhere, from the same words. */
const FLAGS = new Set(['--json', '--debug']);
const UNCHECKED = '--no-check';
const OPTIONS = ['--args', '--timeout', '--out'] as const;
type Option = (typeof OPTIONS)[number];

export function parseCall(words: readonly string[]): CallOptions {
  const positional: string[] = [];
  const values: Partial<Record<Option, string>> = {};
  let check = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') {
      positional.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-')) positional.push(word);
    else if (word === UNCHECKED) check = false;
    else if (!FLAGS.has(word)) {
      const [name, inline] = splitOption(word);
      const value = inline ?? words[++at];
      if (value === undefined) throw usage(`Option ${name} needs a value.`);
      values[name] = value;
    }
  }
  const [target, ...pairs] = positional;
  const { '--args': args, '--timeout': timeout, '--out': out } = values;
  return toOptions(target, pairs, { args, timeout, out, check });
}

export interface CallFlags {
  readonly args?: string | undefined;
  readonly timeout?: string | undefined;
  readonly out?: string | undefined;
  readonly check?: boolean | undefined;
}

export function toOptions(
  target: string | undefined,
  pairs: readonly string[],
  { args, timeout, out, check = true }: CallFlags,
): CallOptions {
  if (target === undefined) throw usage('Which tool? Nothing was named.');
  const dot = target.indexOf('.');
  if (dot < 1 || dot === target.length - 1)
    throw usage(
      `"${target}" is not SERVER.TOOL.`,
      dottedName(target) ?? 'Run `pincer tools` to see what there is.',
    );
  if (args !== undefined && pairs.length > 0)
    throw usage('Arguments come either as key=value or by --args, not both.');
  const timeoutMs = readTimeout(timeout);
  return {
    server: target.slice(0, dot),
    tool: target.slice(dot + 1),
    pairs,
    args,
    timeoutMs,
    out,
    isUnchecked: !check,
  };
}

/** What a timer can wait for; the longest that a setting takes. */
const MAX_TIMEOUT_MS = 24 * 60 * 60_000;

export function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const timeoutMs = Number(text);
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw new PincerError('USAGE', `--timeout takes milliseconds, not "${text}".`, {
    hint: `A whole number from 1 to ${MAX_TIMEOUT_MS}, which is a day: --timeout 120000`,
  });
}

/** On `/mcp` names are joined by `__`, and those of this machine have no dots there. */
function dottedName(target: string): string | undefined {
  const [, server, tool] = /^(.+?)__(.+)$/.exec(target) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  return `Did you mean ${server}.${server === DEVICE_SOURCE ? tool.replaceAll('_', '.') : tool}?`;
}

function splitOption(word: string): [Option, string | undefined] {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word : word.slice(0, equals);
  const known = OPTIONS.find((option) => option === name);
  if (known !== undefined) return [known, equals === -1 ? undefined : word.slice(equals + 1)];
  const near = closest(name, [...OPTIONS, UNCHECKED, ...FLAGS, '--help']);
  throw usage(`Unknown option ${name}.`, near && `Did you mean ${near}?`);
}

const usage = (message: string, hint?: string): PincerError =>
  new PincerError('USAGE', message, {
    hint: hint ?? 'Write `pincer call SERVER.TOOL key=value …`, or `--args JSON`.',
  });
