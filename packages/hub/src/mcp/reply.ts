/** The answer to one message: its destination (HTTP response or line) and its text. */
import { jsonBytes, quoted, type ByteText, parseBytes } from '../core/wire/byte-text.ts';
import type { ErrorCode, PincerError } from '../core/errors.ts';
import type { Outcome } from '../core/outcome.ts';
import { RPC, type Era, ERROR_KEY } from '../core/protocol.ts';
import { inChatTerms } from '../core/chat-terms.ts';
import { shellWord } from '../lib/text.ts';
import { findMember, isObject, readMembers, DuplicateKeyError } from '../core/wire/members.ts';
import type { Log } from '../core/ports.ts';
import { MalformedMessageError } from '../core/wire/message.ts';

/** Sends unsolicited JSON-RPC messages to a client. */
export interface Outlet {
  /** Each message is one line of a pipe. */
  readonly isLine?: true;
  /** Sends a notification; it may be dropped. */
  notify(text: ByteText): void;
  /** Sends a request; it is not dropped. Returns false if the client cannot be reached here. */
  ask(text: ByteText): boolean;
}

/** Messages that are sent here precede the answer. */
export interface Reply extends Outlet {
  /** Sends a JSON-RPC answer. `status` is for HTTP; `pieces` are the same text, if it is long. */
  answer(text: ByteText, status: number, pieces?: readonly ByteText[]): void;
  /** Ends without an answer: for a notification, or if the client no longer wants the answer. */
  accept(): void;
  /** For an answer that may take days: releases the slot. Returns a failure to answer instead. */
  linger(): RpcFailure | undefined;
  /** Releases the slot while the call waits for a person. */
  pause(): void;
  /** Takes the slot again. Returns false if the credential was revoked. */
  goOn(): boolean;
}

/** Questions may exceed a slow client's buffer limit by this factor. */
export const QUESTION_SLACK = 8;

export const notificationText = (method: string, params: ByteText): ByteText =>
  `{"jsonrpc":"2.0","method":${quoted(method)},"params":${params}}`;

export const resultText = (id: ByteText, result: ByteText, extra = ''): ByteText =>
  `${resultHead(id)}${result}${extra}}`;

const resultPieces = (id: ByteText, pieces: readonly ByteText[], extra: ByteText): readonly ByteText[] => [
  resultHead(id),
  ...pieces,
  `${extra}}`,
];

const resultHead = (id: ByteText): ByteText => `{"jsonrpc":"2.0","id":${id},"result":`;

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly status: number;
}

export const errorText = (id: ByteText | undefined, { code, message, data }: RpcFailure): ByteText =>
  `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${jsonBytes({ code, message, data })}}`;

/** An outcome as an answer in the caller's era. */
interface OutcomeText {
  readonly text: ByteText;
  readonly status: number;
  /** Set if it is long. */
  readonly pieces?: readonly ByteText[];
}

/** How failures are reported to a client. Default: as JSON-RPC errors. */
export type Failures = 'as-results' | Chat;

export function outcomeText(id: ByteText, outcome: Outcome, era: Era, failures?: Failures): OutcomeText {
  if ('result' in outcome) {
    const { result, pieces, extra } = outcome;
    const text = resultText(id, result, extra);
    return { text, status: 200, ...(pieces !== undefined && { pieces: resultPieces(id, pieces, extra) }) };
  }
  if ('error' in outcome) {
    if (isChat(failures))
      return { text: resultText(id, chatServerError(outcome.error, era), outcome.extra), status: 200 };
    return {
      text: `{"jsonrpc":"2.0","id":${id},"error":${outcome.error}${outcome.extra}}`,
      status: era === 'legacy' ? 200 : statusOfCode(codeOf(outcome.error)),
    };
  }
  if (outcome.shown !== undefined) return { text: resultText(id, outcome.shown), status: 200 };
  if (isChat(failures))
    return { text: resultText(id, chatFailure(outcome.kind, outcome.reason, era, failures)), status: 200 };
  if (failures === 'as-results') return { text: failedText(id, outcome.reason.message, era), status: 200 };
  const failure = failureOfOutcome(outcome.kind, outcome.reason, era);
  return { text: errorText(id, failure), status: failure.status };
}

const isChat = (failures: Failures | undefined): failures is Chat => typeof failures === 'object';

/** A tool result that reports an error. */
export const failedText = (id: ByteText, text: string, era: Era): ByteText =>
  resultText(
    id,
    jsonBytes({
      content: [{ type: 'text', text }],
      isError: true,
      ...(era === 'modern' && { resultType: 'complete' }),
    }),
  );

/** Errors for which the specification defines a code. */
const OWN_CODE: Partial<Record<ErrorCode, Record<Era, number>>> = {
  TOOL_UNKNOWN: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  PROMPT_UNKNOWN: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  TASK_UNKNOWN: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  STATE_INVALID: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  RESOURCE_UNKNOWN: { legacy: RPC.resourceNotFound, modern: RPC.invalidParams },
  CAPABILITY_MISSING: { legacy: RPC.missingCapability, modern: RPC.missingCapability },
};

function failureOfOutcome(
  kind: 'not_executed' | 'outcome_unknown',
  reason: PincerError,
  era: Era,
): RpcFailure {
  const code =
    OWN_CODE[reason.code]?.[era] ?? (kind === 'not_executed' ? RPC.notExecuted : RPC.outcomeUnknown);
  const data = { ...reason.data, code: reason.code, outcome: kind, hint: reason.hint };
  return { code, message: reason.message, data, status: era === 'legacy' ? 200 : statusOfCode(code) };
}

/** 2026-07-28, transports: errors of the request itself also set the HTTP status. */
function statusOfCode(code: unknown): number {
  if (code === RPC.headerMismatch || code === RPC.missingCapability || code === RPC.unsupportedVersion)
    return 400;
  return code === RPC.methodNotFound ? 404 : 200;
}

const codeOf = (error: ByteText): unknown => (parseBytes(error) as { code?: unknown } | null)?.code;

/**
 * Set if an agent of OpenClaw reads the answer; `server` is the one that the connection leads to, if it leads to one.
 */
interface Chat {
  readonly server: string | undefined;
}

type Kind = 'not_executed' | 'outcome_unknown';

/**
 * The failure of a call by OpenClaw's client, as a tool result. After a JSON-RPC error on a resumable stream that
 * client resumes the stream, gives up, and closes the connection with all other calls of the conversation (ADR 0046).
 * `_meta` has the `data` of the JSON-RPC error.
 */
function chatFailure(kind: Kind, reason: PincerError, era: Era, { server }: Chat): ByteText {
  const message = inChatTerms(reason.message);
  const hint = nextStep(reason, message, server);
  const error = { ...reason.data, code: reason.code, outcome: kind, hint };
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return resultOf(quoted(text), jsonBytes(error), era);
}

/** The server's own JSON-RPC error; `_meta` keeps it unchanged. */
function chatServerError(error: ByteText, era: Era): ByteText {
  const message = isObject(error) ? findMember(readMembers(error), 'message') : undefined;
  const text = message?.startsWith('"') ? message : quoted('The server answered with an error.');
  return resultOf(text, `{"code":"TOOL_ERROR","outcome":"tool_error","error":${error}}`, era);
}

/** `text` is a JSON string. */
const resultOf = (text: ByteText, error: ByteText, era: Era): ByteText =>
  `{"content":[{"type":"text","text":${text}}],"isError":true,` +
  `${era === 'modern' ? '"resultType":"complete",' : ''}"_meta":{"${ERROR_KEY}":${error}}}`;

/** Adds a chat command to a hint that has none. */
function nextStep({ code, hint }: PincerError, message: string, server?: string): string | undefined {
  const chatHint = hint === undefined ? undefined : inChatTerms(hint);
  const command = COMMANDS[code]?.(server === undefined ? undefined : shellWord(server));
  if (command === undefined || chatHint?.includes('/mcp ') || message.includes('/mcp ')) return chatHint;
  return chatHint === undefined ? command : `${chatHint} ${command}`;
}

type Command = (server: string | undefined) => string;

const status: Command = (server) =>
  server === undefined ? 'See: /mcp servers' : `See its state: /mcp status ${server}`;

const COMMANDS: Partial<Record<ErrorCode, Command>> = {
  APPROVAL_DENIED: () => 'See what waits: /mcp approvals',
  APPROVAL_PENDING: () => 'See what waits: /mcp approvals',
  CALL_TIMEOUT: status,
  SCOPE_NEEDED: (server = '<name>') => `Sign in again: /mcp auth ${server}`,
  SERVER_BUSY: status,
  SERVER_DISABLED: status,
  SERVER_GONE: status,
  SERVER_PROTOCOL: status,
  SERVER_UNREACHABLE: status,
  SIGN_IN_NEEDED: (server = '<name>') => `Sign in: /mcp auth ${server}`,
  TOOL_UNKNOWN: (server) =>
    server === undefined
      ? 'See: /mcp tools'
      : `See what it offers: /mcp tools ${server}. If it was disconnected: /mcp connect ${server}`,
};

/** The answer to a message that could not be handled; logs errors that are not the message's fault. */
export function failureOfError(error: unknown, log: Log): { failure: RpcFailure; id: ByteText | undefined } {
  if (error instanceof MalformedMessageError)
    return { failure: { code: error.rpcCode, message: error.message, status: 400 }, id: error.id };
  if (error instanceof DuplicateKeyError)
    return { failure: { code: RPC.invalidRequest, message: error.message, status: 400 }, id: undefined };
  log.error('a request could not be handled', { error });
  return { failure: { code: RPC.internalError, message: 'Internal error', status: 500 }, id: undefined };
}

// Refusals of requests that never became a call.

export const NOT_JSON: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Content-Type must be application/json.',
  status: 415,
};
export const NO_SLOT: RpcFailure = {
  code: RPC.notExecuted,
  message: 'Too many calls are running. Nothing was run; try again in a moment.',
  status: 503,
};
export const NO_SESSION: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Unknown session: initialize again.',
  status: 404,
};
export const TOO_MANY_STREAMS: RpcFailure = {
  code: RPC.notExecuted,
  message: 'Too many streams are open. Close one, or try again in a moment.',
  status: 503,
};
export const NO_EVENTS: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Accept must list text/event-stream.',
  status: 406,
};
export const HAS_STREAM: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'The session already has an open stream.',
  status: 409,
};
/** 405 is the only status after which the official SDK does not retry. */
export const STREAM_OVER: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'The stream has ended, and all of its events were delivered.',
  status: 405,
};
export const TOO_SLOW: RpcFailure = {
  code: RPC.notExecuted,
  message: 'The body took too long to arrive. Nothing was run.',
  status: 408,
};
export const WRONG_METHOD: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Use POST with a JSON-RPC message.',
  status: 405,
};
export const tooLarge = (maxBytes: number): RpcFailure => ({
  code: RPC.invalidRequest,
  message: `The body is larger than ${maxBytes} bytes.`,
  status: 413,
});
