/** What `openclaw agent --local --json` says at its end. */
import { isRecord } from '../../lib/is-record.ts';
import { hideTokens } from '../../core/redact/hide-tokens.ts';
import { valueAt } from '../../lib/value-at.ts';
import { visible } from '../../core/visible.ts';
import { aggregate } from '../answer/aggregate.ts';
import { readReply } from '../answer/read-event.ts';
import type { MediaReference } from '../answer/turn-event.ts';

export type Output =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly media: readonly MediaReference[];
      /** Where the agent works; relative paths of its files begin there. */
      readonly workspace: string | undefined;
    }
  /** The turn ended without an answer. */
  | { readonly kind: 'failed'; readonly message: string; readonly text: string }
  /** Nothing was run, since … */
  | { readonly kind: 'refused'; readonly why: Refusal; readonly message: string }
  /** It ended without saying anything that can be read. */
  | { readonly kind: 'mute'; readonly exitCode: number | null; readonly message: string };

export type Refusal = 'gateway' | 'busy' | 'config' | 'agent';

/** By the words that OpenClaw has for it: there is no code. */
const REFUSALS: readonly (readonly [words: RegExp, why: Refusal])[] = [
  [/^A Gateway is running for this state directory/, 'gateway'],
  [/^failed to acquire gateway (?:state ownership|lock)/, 'busy'],
  [
    /^(?:another embedded OpenClaw state writer is active|state directory is locked|gateway already running)/,
    'busy',
  ],
  [/^OpenClaw config is invalid/, 'config'],
  [/^Agent \S+ is not present in the configured roster|^Unknown agent id/, 'agent'],
];

export function readOutput(exitCode: number | null, stdout: string, lastWords: string): Output {
  const said = parse(stdout);
  if (!isRecord(said)) return { kind: 'mute', exitCode, message: reasonIn(lastWords) };
  const error = valueAt(said, ['error', 'message']);
  if (typeof error === 'string') return readError(error, said['issues']);
  const { text, media } = aggregate(readReply({ status: 'ok', result: said }));
  if (exitCode === 0) {
    const workspace = valueAt(said, ['meta', 'systemPromptReport', 'workspaceDir']);
    return {
      kind: 'answered',
      text,
      media,
      workspace: typeof workspace === 'string' ? workspace : undefined,
    };
  }
  return readFailure(said, text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readError(error: string, issues: unknown): Output {
  const message = shown([error, ...issuesIn(issues)].join('; '));
  const refusal = REFUSALS.find(([words]) => words.test(error));
  return refusal === undefined
    ? { kind: 'failed', message, text: '' }
    : { kind: 'refused', why: refusal[1], message };
}

const MAX_ISSUES = 3;

const issuesIn = (issues: unknown): string[] =>
  (Array.isArray(issues) ? issues : [])
    .filter(isRecord)
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `${String(path)}: ${String(message)}`);

/** What went wrong is a part of the answer, beside what was said until then. */
function readFailure(said: Readonly<Record<string, unknown>>, all: string): Output {
  const payloads = Array.isArray(said['payloads']) ? said['payloads'].filter(isRecord) : [];
  const errors = payloads.filter(({ isError }) => isError === true).map(({ text }) => String(text));
  const told = valueAt(said, ['meta', 'error', 'message']);
  const message = errors.at(-1) ?? (typeof told === 'string' ? told : all);
  const text = payloads
    .filter(({ isError, text }) => isError !== true && typeof text === 'string')
    .map((each) => String(each['text']))
    .join('\n\n');
  return { kind: 'failed', message: shown(message || 'The agent failed and did not say why.'), text };
}

/** What OpenClaw calls the reason, and how it begins where it does not get so far. */
const REASON = /^(?:\[openclaw\] Reason|openclaw): (.+)$/gm;

/** The last line where no reason is given. Empty: it said nothing. */
function reasonIn(lastWords: string): string {
  const reason = [...lastWords.matchAll(REASON)].at(-1)?.[1];
  const lines = lastWords.split('\n').filter((line) => line.trim() !== '' && !STACK.test(line));
  return shown(reason ?? lines.at(-1) ?? '');
}

const STACK = /^\s+at |^\s*[{}\]]|^Node\.js v/;
const MAX_SHOWN = 1_000;

const shown = (text: string): string => visible(hideTokens(text.trim().slice(0, MAX_SHOWN)));
