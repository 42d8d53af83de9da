/** Explains what is wrong with a setting. Values are never shown: one may be a secret. */
import type { z } from 'zod';
import { valueAt } from '../lib/record.ts';
import { closest } from '../lib/text.ts';
import { keysAt } from './shape.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface ExplainedIssue {
  readonly path: Path;
  readonly message: string;
}

/** `config` is the checked value. Each unknown key of an object is an issue of its own. */
export function explainIssue(issue: Issue, config: unknown): ExplainedIssue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: explainUnknown(key, keysAt(issue.path)),
    }));
  return [{ path: issue.path, message: explain(issue, valueAt(config, issue.path)) }];
}

/** Names of settings in other programs that read such files. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  mcpServers: 'servers',
  type: 'transport',
  timeout: 'requestTimeoutMs',
  connectTimeout: 'connectTimeoutMs',
  connectionTimeoutMs: 'connectTimeoutMs',
  workingDirectory: 'cwd',
  disabled: 'enabled',
  http_headers: 'headers',
  oauth: 'auth',
};
/** A longer list does not help. */
const MAX_LISTED = 8;

/** Explains an unknown key, and suggests the right name if one is similar. */
export function explainUnknown(key: string, known: readonly string[]): string {
  const other = Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key]! : undefined;
  const near = other !== undefined && known.includes(other) ? other : closest(key, known);
  if (near !== undefined) return `unknown; did you mean "${near}"?`;
  return known.length > MAX_LISTED ? 'unknown' : `unknown; it takes ${known.join(', ')}`;
}

function explain(issue: Issue, value: unknown): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code === 'invalid_type') return `must be ${kind(issue.expected)}, not ${kindOf(value)}`;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String);
    return `must be ${oneOf(values)}${typeof value === 'string' ? meant(value, values) : ''}`;
  }
  if (issue.code === 'too_small')
    return issue.origin === 'number' || issue.origin === 'int'
      ? `must be at least ${issue.minimum}`
      : 'must not be empty';
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (issue.code === 'invalid_format' && issue.format === 'url')
    return 'must be a URL that begins with https:// or http://';
  return issue.message;
}

const meant = (word: string, words: readonly string[]): string => {
  const near = closest(word, words);
  return near === undefined ? '' : `; did you mean "${near}"?`;
};

const oneOf = (values: readonly string[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

const KINDS: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

const kind = (expected: string): string => KINDS[expected] ?? expected;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : (KINDS[typeof value] ?? '');
}

/** Adds a full stop. A question already has its mark. */
export const ended = (sentence: string): string => (sentence.endsWith('?') ? sentence : `${sentence}.`);

/** For use after a sentence or a colon: one message on the same line, several on separate lines. */
export const listed = (messages: readonly string[]): string =>
  messages.length === 1 ? ` ${ended(messages[0]!)}` : messages.map((message) => `\n  ${message}`).join('');
