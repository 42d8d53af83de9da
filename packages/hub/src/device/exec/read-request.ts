/** Parses the arguments of `system.run`. They may have any type. */
import type { Limits } from '../../core/limits.ts';
import { visible } from '../../core/visible.ts';
import { isRecord } from '../../lib/record.ts';
import { isBlockedVariable } from './environment.ts';
import { inlinePayload } from './inline-code.ts';

/** The default and the maximum timeout. */
export type TimeoutLimits = Pick<Limits, 'runTimeoutMs' | 'maxRunTimeoutMs'>;

/** Each word may name a file, which is checked before a person is asked. So the number is bounded. */
const MAX_WORDS = 1_024;
const MAX_COMMAND_CHARS = 256 * 1024;

export interface RunArguments {
  readonly command?: unknown;
  readonly args?: unknown;
  readonly rawCommand?: unknown;
  readonly shell?: unknown;
  readonly cwd?: unknown;
  readonly env?: unknown;
  readonly timeoutMs?: unknown;
  readonly timeout?: unknown;
}

export interface ExecRequest {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  /** Variables that the caller sets. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

interface Problem {
  /** The name that other nodes of OpenClaw use. */
  readonly reason: string;
  /** The text of the answer, if it does not follow from the reason. */
  readonly text?: string;
  readonly hint: string;
}

type ReadRequest = ExecRequest | { readonly problem: Problem };

class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.reason);
    this.problem = problem;
  }
}

const refuse = (reason: string, hint: string, text?: string): never => {
  throw new Refused({ reason, hint, ...(text !== undefined && { text }) });
};

export function readRequest(
  args: RunArguments,
  platform: NodeJS.Platform,
  limits: TimeoutLimits,
): ReadRequest {
  try {
    if (args.shell !== undefined && args.shell !== null)
      refuse(
        'shell-not-supported',
        'Commands run without a shell: leave "shell" out. To use a shell, name it as the program: ["sh", "-c", "…"].',
      );
    const argv = readArgv(args, platform);
    checkLength(argv);
    checkRawCommand(args.rawCommand, argv);
    return {
      argv,
      cwd: readCwd(args.cwd),
      env: readVariables(args.env),
      timeoutMs: readTimeout(args.timeoutMs ?? args.timeout, limits),
    };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem };
    throw error;
  }
}

/** A lone surrogate would reach the program as another character than the one shown. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0') && value.isWellFormed();

const isWords = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const MALFORMED =
  '"command" must be a list of strings, or one line. "args" must be a list of strings, and goes only with a line.';

function readArgv({ command, args }: RunArguments, platform: NodeJS.Platform): readonly string[] {
  if (
    command === undefined ||
    command === null ||
    command === '' ||
    (isWords(command) && command.length === 0)
  )
    return refuse('missing-command', MALFORMED, 'Missing command parameter');
  if (args !== undefined && args !== null && (!isWords(args) || typeof command !== 'string'))
    return refuse('malformed-command', MALFORMED);
  if (typeof command !== 'string') {
    if (!isWords(command)) return refuse('malformed-command', MALFORMED);
    return command[0]!.trim() === '' ? refuse('empty-command', MALFORMED) : command;
  }
  if (!isText(command)) return refuse('malformed-command', MALFORMED);
  const split = splitCommand(command, platform);
  if ('refused' in split)
    return refuse(
      'shell-syntax',
      split.refused === 'quote'
        ? 'The command has a quote without an end.'
        : `The command has ${JSON.stringify(split.refused)}, which only a shell would interpret, and no shell runs it. Put it in single quotes, or send "command" as a list of strings.`,
    );
  const [first = '', ...rest] = split.words;
  if (first === '') return refuse('missing-command', MALFORMED, 'Missing command parameter');
  return [first, ...rest, ...(isWords(args) ? args : [])];
}

function checkLength(argv: readonly string[]): void {
  if (argv.length <= MAX_WORDS && argv.reduce((sum, word) => sum + word.length, 0) <= MAX_COMMAND_CHARS)
    return;
  refuse(
    'command-too-long',
    `A command may have at most ${MAX_WORDS} words and ${MAX_COMMAND_CHARS} characters. Put the rest into a file.`,
  );
}

function checkRawCommand(raw: unknown, argv: readonly string[]): void {
  if (raw === undefined || raw === null) return;
  if (typeof raw !== 'string') return refuse('malformed-raw-command', '"rawCommand" must be a string.');
  if (!isSameCommand(raw, argv))
    refuse('raw-command-mismatch', '"rawCommand" differs from "command". Leave it out.');
}

function readCwd(cwd: unknown): string | undefined {
  if (cwd === undefined || cwd === null) return undefined;
  if (!isText(cwd)) return refuse('malformed-cwd', '"cwd" must be a string.');
  return cwd.trim() === '' ? refuse('empty-cwd', 'Leave "cwd" out, or name a folder.') : cwd;
}

function readVariables(env: unknown): Readonly<Record<string, string>> {
  if (env === undefined || env === null) return {};
  const malformed = '"env" must be an object of strings.';
  if (!isRecord(env)) return refuse('malformed-env', malformed);
  const entries = Object.entries(env);
  const blocked = entries.map(([name]) => name).filter(isBlockedVariable);
  if (blocked.length > 0)
    refuse(
      'custom-env-not-supported',
      'Leave these variables out: they change what a program loads or runs, or look like secrets.',
      `Unsafe environment variable override blocked: ${blocked.map(visible).join(', ')}`,
    );
  return Object.fromEntries(
    entries.map(([name, value]) =>
      isText(name) && isText(value) ? [name, value] : refuse('malformed-env', malformed),
    ),
  );
}

const readTimeout = (value: unknown, { runTimeoutMs, maxRunTimeoutMs }: TimeoutLimits): number => {
  const isGiven = typeof value === 'number' && Number.isFinite(value) && value > 0;
  return Math.min(maxRunTimeoutMs, isGiven ? Math.max(1, Math.trunc(value)) : runTimeoutMs);
};

type SplitCommand =
  | { readonly words: readonly string[] }
  /** The refused character, or `quote` for an unterminated quote. */
  | { readonly refused: string };

const META = new Set('|&;<>$`()\n\r*?[]{}~#!');
const META_ON_WINDOWS = new Set('^%');
/** Shells expand these inside double quotes, too. */
const EXPANDED_IN_QUOTES = new Set('$`');

/**
 * Splits a line into words without a shell. Handles quotes and expands nothing. Refuses characters that a shell would
 * interpret, so that the line never means something else than in a shell.
 */
export function splitCommand(line: string, platform: NodeJS.Platform): SplitCommand {
  const isWindows = platform === 'win32';
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const take = (text: string): void => void (word = (word ?? '') + text);
  while (at < line.length) {
    const char = line[at]!;
    if (char === ' ' || char === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else if (char === '"' || (char === "'" && !isWindows)) {
      const quoted = readQuoted(line, at, char);
      if ('refused' in quoted) return quoted;
      take(quoted.text);
      at = quoted.end;
    } else if (char === '\\' && !isWindows) {
      const next = line[at + 1];
      if (next === undefined || next === '\n') return { refused: '\\' };
      take(next);
      at += 2;
    } else {
      const isMeta = META.has(char) || (isWindows && META_ON_WINDOWS.has(char));
      if (isMeta || char === '\0') return { refused: char };
      take(char);
      at += 1;
    }
  }
  if (word !== undefined) words.push(word);
  // A shell would set a variable. Here it would be the name of the program.
  if (words[0] !== undefined && /^[A-Za-z_]\w*=/.test(words[0])) return { refused: '=' };
  return { words };
}

type Quoted = { readonly text: string; readonly end: number } | { readonly refused: string };

function readQuoted(line: string, start: number, quote: string): Quoted {
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line[at]!;
    if (char === quote) return { text, end: at + 1 };
    if (char === '\0') return { refused: char };
    if (quote === '"') {
      if (EXPANDED_IN_QUOTES.has(char)) return { refused: char };
      const next = line[at + 1];
      if (char === '\\' && (next === '"' || next === '\\')) {
        text += next;
        at += 1;
        continue;
      }
    }
    text += char;
  }
  return { refused: 'quote' };
}

const NEEDS_QUOTES = /[\s"'&|;<>()^%!$`*?[\]{}~]/;

/** The form that rules of `exec-policy.json` match. */
export const formatCommand = (argv: readonly string[]): string =>
  argv.map((word) => (word === '' || NEEDS_QUOTES.test(word) ? quoted(word) : word)).join(' ');

/** The form of gateways: quotes only words with blanks or quotes. */
const formatSparingly = (argv: readonly string[]): string =>
  argv.map((word) => (word === '' || /[\s"]/.test(word) ? quoted(word) : word)).join(' ');

const quoted = (word: string): string => `"${word.replaceAll('"', '\\"')}"`;

/** Whether a line is the same command as the words. For a shell, its code alone is accepted, too. */
const isSameCommand = (line: string, argv: readonly string[]): boolean =>
  [formatCommand(argv), formatSparingly(argv), inlinePayload(argv)].includes(line.trim()) ||
  inlinePayload(argv) === line;
