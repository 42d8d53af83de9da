/** One POST of a message to the proxy, as a handler for undici's dispatcher. */
import type { Dispatcher } from 'undici';
import { type Outcome, notExecuted, outcomeUnknown } from '../../core/outcome.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, readMembers, readElements } from '../../core/wire/members.ts';
import { MalformedMessageError, parseMessage, type Message, plainString } from '../../core/wire/message.ts';
import { SseReader } from '../../core/wire/sse-reader.ts';
import { type ProxyTarget, TOKEN_VARIABLE, URL_VARIABLE } from './settings.ts';
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { encodeHeader, inSeconds, retryAfterMs } from '../../servers/http/http-headers.ts';
import { headerValues } from '../../core/call/header-params.ts';
import { parseToolDefinition, type ToolDefinition } from '../../core/catalog/tool-definition.ts';
import { MODERN_VERSION, type Era } from '../../core/protocol.ts';
import { envelopeVersion, NAMED_BY } from '../../mcp/modern-envelope.ts';

interface PostOptions {
  readonly target: ProxyTarget;
  /** Undefined for a message without an answer. */
  readonly id: ByteText | undefined;
  readonly maxBytes: number;
  /** Called for each notification or question before the answer. */
  onMessage(text: ByteText, message: Message): void;
  /** Called once with the bytes of the answer. */
  onAnswer(text: ByteText, message: Message): void;
  /** Called once instead of `onAnswer`, if the message has an answer. */
  onFailure(failure: Outcome): void;
  /** Called once at the end, when the connection is no longer needed. */
  onDone(): void;
}

export interface Post extends Dispatcher.DispatchHandler {
  /** Ends the request. After this only `onDone` is called. */
  abort(): void;
}

/** How long the proxy may keep a stream open after the answer. */
const LINGER_MS = 1_000;
const ABORTED = new Error('Aborted.');

export function createPost({ target, id, maxBytes, ...on }: PostOptions): Post {
  let controller: Dispatcher.DispatchController | undefined;
  let head: AnswerHead = { status: 0, headers: {} };
  let events: SseReader | undefined;
  let chunks: Buffer[] = [];
  let size = 0;
  let isAnswered = id === undefined;
  let isDone = false;
  let lingering: NodeJS.Timeout | undefined;

  function done(): void {
    if (isDone) return;
    isDone = true;
    clearTimeout(lingering);
    on.onDone();
  }

  function fail(failure: Outcome): void {
    if (!isDone && !isAnswered) on.onFailure(failure);
    isAnswered = true;
    done();
  }

  function abort(): void {
    isAnswered = true;
    done();
    controller?.abort(ABORTED);
  }

  function failAndAbort(failure: Outcome): void {
    fail(failure);
    controller?.abort(ABORTED);
  }

  /** Ignores an answer with the id of another request. */
  function deliver(text: ByteText): void {
    if (isDone) return;
    const message = parseMessage(text);
    if (message.method !== undefined) return on.onMessage(text, message);
    if (isAnswered || message.id !== id) return;
    isAnswered = true;
    on.onAnswer(text, message);
    if (events !== undefined) lingering = setTimeout(abort, LINGER_MS).unref();
  }

  function onEvent(text: ByteText): void {
    try {
      deliver(text);
    } catch (error) {
      if (!(error instanceof MalformedMessageError)) throw error;
      failAndAbort(notAMessage(error.message));
    }
  }

  function onBody(): void {
    const text = Buffer.concat(chunks).toString('latin1');
    chunks = [];
    try {
      deliver(text);
    } catch (error) {
      if (!(error instanceof MalformedMessageError)) throw error;
      const refusal = head.status >= 400 ? errorOf(text) : undefined;
      if (refusal !== undefined && id !== undefined)
        deliver(`{"jsonrpc":"2.0","id":${id},"error":${refusal}}`);
      else if (head.status === 200) fail(notAMessage(error.message));
    }
  }

  return {
    abort,
    onRequestStart(started) {
      controller = started;
      if (isDone) started.abort(ABORTED);
    },
    onResponseStart(_controller, status, headers) {
      head = { status, headers };
      if (status !== 200 || !String(headers['content-type']).startsWith('text/event-stream')) return;
      events = new SseReader({
        maxBytes,
        onEvent: ({ event, data }) => {
          if (event === 'message' && data !== '') onEvent(data);
        },
        onOverflow: () => failAndAbort(tooLarge(maxBytes)),
      });
    },
    onResponseData(_controller, chunk) {
      if (events !== undefined) return events.push(chunk.toString('latin1'));
      size += chunk.length;
      if (size > maxBytes) failAndAbort(tooLarge(maxBytes));
      else chunks.push(chunk);
    },
    onResponseEnd() {
      if (isDone) return;
      if (size > 0) onBody();
      fail(failureOfStatus(target, head));
    },
    onResponseError(_controller, error) {
      fail(failureOfTransport(target, error, controller !== undefined));
    },
  };
}

/** Returns the JSON-RPC error of a refusal without an id, which the proxy wrote before it read the message. */
function errorOf(text: ByteText): ByteText | undefined {
  try {
    JSON.parse(text);
    const error = isObject(text) ? findMember(readMembers(text), 'error') : undefined;
    const code = error !== undefined && isObject(error) ? findMember(readMembers(error), 'code') : undefined;
    return code !== undefined && /^-?\d/.test(code) ? error : undefined;
  } catch {
    return undefined;
  }
}

interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const WHERE = `Start it with \`pincer up\` or \`pincer proxy\`, or correct its URL: --proxy-base-url or ${URL_VARIABLE}.`;
const REPEAT = 'Check whether it took effect before you repeat it.';

/** The outcome of a request after a network error. `wasSent`: the connection was open and the request was written to it. */
export function failureOfTransport({ base }: ProxyTarget, error: Error, wasSent: boolean): Outcome {
  const why = (error as NodeJS.ErrnoException).code ?? error.message;
  return wasSent
    ? unknown('SERVER_GONE', `The connection to the proxy broke before the answer (${why}).`, REPEAT, error)
    : notRun('HUB_UNREACHABLE', `The proxy at ${base} cannot be reached (${why}).`, {
        hint: WHERE,
        cause: error,
      });
}

export function failureOfStatus({ base, token }: ProxyTarget, { status, headers }: AnswerHead): Outcome {
  const data = { status };
  if (status >= 200 && status < 300)
    return unknown('SERVER_GONE', 'The proxy ended the stream without an answer.', REPEAT);
  if (status === 401)
    return notRun('TOKEN_INVALID', 'The proxy does not accept the token.', {
      hint: hintOfToken(token),
      data,
    });
  if (status === 404)
    return notRun('SESSION_UNKNOWN', 'The proxy has no such session, or it has expired.', {
      hint: 'Let the app register again, then start `pincer proxy-stdio` with the new session id.',
      data,
    });
  if (status === 429 || status === 503) return busy(status, retryAfterMs(headers['retry-after'], Date.now()));
  if (status < 500)
    return notRun('SERVER_UNREACHABLE', `${base} refused the request with HTTP ${status}.`, {
      hint: `Check that this is the URL of the proxy: --proxy-base-url or ${URL_VARIABLE}.`,
      data,
    });
  return unknown('SERVER_PROTOCOL', `The proxy failed with HTTP ${status}.`, REPEAT);
}

/**
 * A 503 with Retry-After comes from a busy proxy, so the request did not run. Without it, the 503 may come from a web
 * server in front of the proxy after a timeout.
 */
function busy(status: number, waitMs: number | undefined): Outcome {
  if (status === 503 && waitMs === undefined)
    return unknown('SERVER_BUSY', 'The proxy is busy (HTTP 503).', REPEAT);
  const hint = waitMs === undefined ? 'Wait a little, then try again.' : `Try again in ${inSeconds(waitMs)}.`;
  const data = { status, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  return status === 429
    ? notRun('RATE_LIMITED', 'The proxy received too many requests.', { hint, data })
    : notRun('SERVER_BUSY', 'The proxy is busy.', { hint, data });
}

function hintOfToken(token: string | undefined): string {
  if (token === undefined) return `Set ${TOKEN_VARIABLE} in the environment or in .env.`;
  // Not every client replaces variables in its configuration.
  if (token.startsWith('${'))
    return `${TOKEN_VARIABLE} is "${token}": the client did not replace the variable.`;
  return `Check ${TOKEN_VARIABLE}: it must be the token that the proxy was started with.`;
}

const notAMessage = (what: string): Outcome =>
  unknown('SERVER_PROTOCOL', `The proxy sent an answer that is not MCP: ${what}`, REPEAT);

const tooLarge = (maxBytes: number): Outcome =>
  unknown(
    'SERVER_PROTOCOL',
    `The proxy answered with more than ${maxBytes} bytes.`,
    'Request less data from the tool.',
  );

const notRun = (
  code: ErrorCode,
  message: string,
  details: ConstructorParameters<typeof PincerError>[2],
): Outcome => notExecuted(new PincerError(code, message, details));

const unknown = (code: ErrorCode, message: string, hint: string, cause?: unknown): Outcome =>
  outcomeUnknown(new PincerError(code, message, { hint, cause }));

type Headers = Readonly<Record<string, string>>;

interface RequestHeaders {
  /** The negotiated version of the legacy era. */
  readonly version: string | undefined;
  of(message: Message, era: Era): Headers;
  /** Headers of the legacy GET stream. */
  ofStream(): Headers;
  /** Learns the version and the tools' header parameters from answers of the proxy. */
  learn(method: string, era: Era, result: ByteText): void;
}

export function createRequestHeaders(own: Headers): RequestHeaders {
  let version: string | undefined;
  const annotated = new Map<string, ToolDefinition>();

  const legacy = (): Headers =>
    version === undefined ? own : { ...own, 'mcp-protocol-version': encodeHeader(version) };

  function modern(message: Message): Headers {
    const { method = '', params } = message;
    const named = NAMED_BY.get(method);
    const name = named === undefined ? undefined : stringOf(findMember(params, named));
    return {
      ...own,
      'mcp-protocol-version': encodeHeader(envelopeVersion(message) ?? MODERN_VERSION),
      'mcp-method': encodeHeader(method),
      ...(name !== undefined && { 'mcp-name': encodeHeader(name) }),
      ...(method === 'tools/call' && name !== undefined && repeated(name, message)),
    };
  }

  /** Arguments that the tool requires in headers, too. */
  function repeated(tool: string, { params }: Message): Headers {
    const definition = annotated.get(tool);
    const args = findMember(params, 'arguments');
    if (definition === undefined || args === undefined || !isObject(args)) return {};
    const values = headerValues(definition, args);
    return Object.fromEntries(values.map(({ header, value }) => [header.toLowerCase(), encodeHeader(value)]));
  }

  function learnTools(result: ByteText): void {
    const tools = findMember(readMembers(result), 'tools');
    if (tools === undefined || !tools.startsWith('[')) return;
    for (const raw of readElements(tools)) {
      const definition = parseToolDefinition(raw, 'modern');
      if (definition === undefined) continue;
      if (definition.headerParams.length === 0) annotated.delete(definition.name);
      else annotated.set(definition.name, definition);
    }
  }

  return {
    get version() {
      return version;
    },
    of: (message, era) => (era === 'modern' ? modern(message) : legacy()),
    ofStream: legacy,
    learn(method, era, result) {
      if (!isObject(result)) return;
      if (method === 'initialize') version = stringOf(findMember(readMembers(result), 'protocolVersion'));
      else if (method === 'tools/list' && era === 'modern') learnTools(result);
    },
  };
}

const stringOf = (raw: ByteText | undefined): string | undefined =>
  raw?.startsWith('"') ? plainString(raw) : undefined;
