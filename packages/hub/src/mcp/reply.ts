/** The answer to one message: where it goes, an HTTP response or a line, and its text. */
import { jsonBytes, quoted, type ByteText, parseBytes } from '../core/wire/byte-text.ts';
import type { ErrorCode, PincerError } from '../core/errors.ts';
import type { Outcome } from '../core/outcome.ts';
import { RPC, type Era, ERROR_KEY } from '../core/protocol.ts';
import { inChatTerms } from '../core/chat-terms.ts';
import { shellWord } from '../lib/text.ts';
import { findMember, isObject, readMembers, DuplicateKeyError } from '../core/wire/members.ts';
import type { Log } from '../core/ports.ts';
import { MalformedMessageError } from '../core/wire/message.ts';

/** A way to a client for whole JSON-RPC messages that it did not ask for. */
export interface Outlet {
  /** Each message is one line of a pipe. */
  readonly isLine?: true;
  /** A notification: it may be lost. */
  notify(text: ByteText): void;
  /** A request: not lost on the way. False: the client cannot be reached here. */
  ask(text: ByteText): boolean;
}

/** What is said here besides the answer comes before it. */
export interface Reply extends Outlet {
  /** A whole JSON-RPC answer. `status` matters where there is HTTP; `pieces` are the same text where it is long. */
  answer(text: ByteText, status: number, pieces?: readonly ByteText[]): void;
  /** Nothing to say: a notification was taken, or the client no longer wants the answer. */
  accept(): void;
  /** The answer may take days: it holds no slot from now on. A failure is what to answer instead. */
  linger(): RpcFailure | undefined;
  /** The call waits for a person: it holds no slot until it goes on. */
  pause(): void;
  /** False: it may not, its credential has been revoked. */
  goOn(): boolean;
}

/** A question is put to a client that reads slowly, and not to one that has this much more than its share unread. */
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
  /** Where it is long. */
  readonly pieces?: readonly ByteText[];
}

/** How a client hears why a call failed. Absent: as a JSON-RPC error. */
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

/** A result that says what is wrong. */
export const failedText = (id: ByteText, text: string, era: Era): ByteText =>
  resultText(
    id,
    jsonBytes({
      content: [{ type: 'text', text }],
      isError: true,
      ...(era === 'modern' && { resultType: 'complete' }),
    }),
  );

/** The specification has codes of its own for some. */
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

/** 2026-07-28 transports: what is wrong with the request itself shows in the status, too. */
function statusOfCode(code: unknown): number {
  if (code === RPC.headerMismatch || code === RPC.missingCapability || code === RPC.unsupportedVersion)
    return 400;
  return code === RPC.methodNotFound ? 404 : 200;
}

const codeOf = (error: ByteText): unknown => (parseBytes(error) as { code?: unknown } | null)?.code;

/** Set where an agent of OpenClaw's reads the answer: the server that the connection leads to, if it leads to one. */
interface Chat {
  readonly server: string | undefined;
}

type Kind = 'not_executed' | 'outcome_unknown';

/**
 * Why a call of OpenClaw's client failed, as a tool result. After a JSON-RPC error on a resumable stream that
 * client comes back to the stream, gives up, and closes the connection with all other calls of the conversation
 * (ADR 0046). `_meta` has what `data` of the JSON-RPC error has for other clients.
 */
function chatFailure(kind: Kind, reason: PincerError, era: Era, { server }: Chat): ByteText {
  const message = inChatTerms(reason.message);
  const hint = nextStep(reason, message, server);
  const error = { ...reason.data, code: reason.code, outcome: kind, hint };
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return resultOf(quoted(text), jsonBytes(error), era);
}

/** The server's own JSON-RPC error; `_meta` keeps it as it came. */
function chatServerError(error: ByteText, era: Era): ByteText {
  const message = isObject(error) ? findMember(readMembers(error), 'message') : undefined;
  const text = message?.startsWith('"') ? message : quoted('The server answered with an error.');
  return resultOf(text, `{"code":"TOOL_ERROR","outcome":"tool_error","error":${error}}`, era);
}

/** `text` is a JSON string. */
const resultOf = (text: ByteText, error: ByteText, era: Era): ByteText =>
  `{"content":[{"type":"text","text":${text}}],"isError":true,` +
  `${era === 'modern' ? '"resultType":"complete",' : ''}"_meta":{"${ERROR_KEY}":${error}}}`;

/** A hint that names no command of the chat is followed by one that fits. */
function nextStep({ code, hint }: PincerError, message: string, server?: string): string | undefined {
  const said = hint === undefined ? undefined : inChatTerms(hint);
  const command = COMMANDS[code]?.(server === undefined ? undefined : shellWord(server));
  if (command === undefined || said?.includes('/mcp ') || message.includes('/mcp ')) return said;
  return said === undefined ? command : `${said} ${command}`;
}

type Command = (server: string | undefined) => string;

const status: Command = (server) =>
  server === undefined ? 'See: /mcp servers' : `See what is wrong with it: /mcp status ${server}`;

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

/** What to answer when a message could not be handled; what is not the message's fault is logged. */
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
  message: 'The session has its stream open already.',
  status: 409,
};
/** 405: the only status after which the official SDK does not try again. */
export const STREAM_OVER: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'The stream has ended, and nothing of it is missing.',
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
