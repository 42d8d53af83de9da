/** Reads the output of `openclaw agent --local --json`, and explains failures with a hint. */
import { hasCode, PincerError } from '../../core/errors.ts';
import { hideTokens } from '../../core/redact/hide-tokens.ts';
import { visible } from '../../core/visible.ts';
import { isRecord, valueAt } from '../../lib/record.ts';
import { aggregate } from '../answer/aggregate.ts';
import { readReply, type MediaReference } from '../answer/read-event.ts';
import type { OrderEnd } from '../backend.ts';

export type Output =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly media: readonly MediaReference[];
      /** The agent's working folder, the base of relative paths. */
      readonly workspace: string | undefined;
    }
  /** The turn failed. */
  | { readonly kind: 'failed'; readonly message: string; readonly text: string }
  /** Nothing was run. */
  | { readonly kind: 'refused'; readonly why: Refusal; readonly message: string }
  /** It ended without readable output. */
  | { readonly kind: 'silent'; readonly exitCode: number | null; readonly message: string };

type Refusal = 'gateway' | 'busy' | 'config' | 'agent';

/** OpenClaw has no error codes for these, so its messages are matched. */
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
  const output = parse(stdout);
  if (!isRecord(output)) return { kind: 'silent', exitCode, message: reasonIn(lastWords) };
  const error = valueAt(output, ['error', 'message']);
  if (typeof error === 'string') return readError(error, output['issues']);
  const { text, media } = aggregate(readReply({ status: 'ok', result: output }));
  if (exitCode === 0) {
    const workspace = valueAt(output, ['meta', 'systemPromptReport', 'workspaceDir']);
    return {
      kind: 'answered',
      text,
      media,
      workspace: typeof workspace === 'string' ? workspace : undefined,
    };
  }
  return readFailure(output, text);
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

/** The error is one of the payloads, beside the text so far. */
function readFailure(output: Readonly<Record<string, unknown>>, all: string): Output {
  const payloads = Array.isArray(output['payloads']) ? output['payloads'].filter(isRecord) : [];
  const errors = payloads.filter(({ isError }) => isError === true).map(({ text }) => String(text));
  const reason = valueAt(output, ['meta', 'error', 'message']);
  const message = errors.at(-1) ?? (typeof reason === 'string' ? reason : all);
  const text = payloads
    .filter(({ isError, text }) => isError !== true && typeof text === 'string')
    .map((each) => String(each['text']))
    .join('\n\n');
  return { kind: 'failed', message: shown(message || 'The agent failed and did not say why.'), text };
}

/** How OpenClaw prints a reason, also if it fails to start. */
const REASON = /^(?:\[openclaw\] Reason|openclaw): (.+)$/gm;

/** The reason, else the last line, else an empty text. */
function reasonIn(lastWords: string): string {
  const reason = [...lastWords.matchAll(REASON)].at(-1)?.[1];
  const lines = lastWords.split('\n').filter((line) => line.trim() !== '' && !STACK.test(line));
  return shown(reason ?? lines.at(-1) ?? '');
}

const STACK = /^\s+at |^\s*[{}\]]|^Node\.js v/;
const MAX_SHOWN = 1_000;

const shown = (text: string): string => visible(hideTokens(text.trim().slice(0, MAX_SHOWN)));

/** OpenClaw could not be started. */
export function startFailed(error: unknown, program: string): PincerError {
  const why = hasCode(error, 'ENOENT')
    ? `the program ${program} was not found`
    : hasCode(error, 'EACCES')
      ? `${program} is not executable`
      : String(error instanceof Error && 'code' in error ? error.code : 'for an unknown reason');
  return new PincerError(
    'SERVER_UNREACHABLE',
    `No gateway of OpenClaw runs, and OpenClaw could not be started: ${why}.`,
    {
      hint: 'Install it (npm install -g openclaw), set agent.command to the command that runs it, or set agent.gatewayUrl to a gateway on another machine.',
    },
  );
}

const REFUSED = {
  gateway: {
    code: 'SERVER_BUSY',
    hint: 'Send it again: with agent.backend auto the next order goes to that gateway.',
  },
  busy: {
    code: 'SERVER_BUSY',
    hint: 'Another OpenClaw on this machine locks the state folder. Wait for it, or start the gateway: openclaw gateway',
  },
  config: { code: 'SERVER_UNREACHABLE', hint: 'Run: openclaw doctor --fix' },
  agent: { code: 'ARGUMENT_INVALID', hint: 'List the agents: openclaw agents list' },
} as const;

/** OpenClaw refused, and nothing was run. */
export function refused(why: Refusal, message: string): PincerError {
  const { code, hint } = REFUSED[why];
  return new PincerError(code, `OpenClaw refused: ${message}`, { hint, data: { reason: why } });
}

/** Adds a hint to OpenClaw's message about a failed turn. */
export function withHint(message: string): { readonly message: string; readonly hint: string } {
  const hint = /auth|api key|credential|\b40[13]\b/i.test(message)
    ? "Check the model's credentials with `openclaw status` and `openclaw doctor`."
    : 'Check `openclaw status` and `openclaw doctor`, or ask again.';
  return { message, hint };
}

const HINT = 'Run: openclaw doctor. For long work start the gateway: openclaw gateway';

const failed = (message: string): OrderEnd => ({ kind: 'failed', message, hint: HINT, text: '' });

export const timedOut = (timeoutMs: number): OrderEnd =>
  failed(`OpenClaw was stopped: it took longer than ${timeoutMs / 1_000} seconds.`);

export const outputTooLarge = (): OrderEnd => failed('OpenClaw was stopped: its answer was too long.');

/** It exited without an answer. */
export function endedWithoutAnswer(exitCode: number | null, lastWords: string): OrderEnd {
  const detail = lastWords === '' ? '.' : `: ${lastWords}`;
  if (exitCode !== null) return failed(`OpenClaw ended with code ${exitCode} and without an answer${detail}`);
  const reason = new PincerError(
    'SERVER_GONE',
    `OpenClaw was ended by a signal before it answered${detail}`,
    {
      hint: HINT,
    },
  );
  return { kind: 'lost', reason };
}
