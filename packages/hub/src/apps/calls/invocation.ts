/** One call of an app's tool. It settles once. */
import { correlationId } from '../../lib/correlation-id.ts';
import type { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Exchange, Running, SourceRequest } from '../../core/request.ts';
import { quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, readElements, readMembers, type Member } from '../../core/wire/members.ts';
import type { Session } from '../directory/session-directory.ts';
import type { InvokeResultFrame, ProgressFrame } from '../frames/frame.ts';
import { invokeText } from '../frames/write-frame.ts';
import { bridgeLost, cancelled, noAnswer, notConnected, unreadableAnswer } from '../refusals.ts';
import { plainString } from '../../core/wire/message.ts';

/** The bridge that a call was sent over. */
export interface Carrier {
  /** The app has said hello. */
  readonly isRich: boolean;
  /** Tells the app to stop: the call has ended. */
  drop(requestId: string, reason: string): void;
}

type InvocationLimits = Pick<Limits, 'appCallMs' | 'bridgeGraceMs' | 'maxCallMs'>;

const NO_ARGUMENTS: ByteText = '{}';

export class Invocation implements Running {
  /** A new id for each time that it is sent. */
  id = correlationId();
  readonly session: Session;
  #request: SourceRequest | undefined;
  /** Receives the outcome. */
  #exchange: Exchange | undefined;
  readonly #limits: InvocationLimits;
  /** Called once if it ends before it was sent. */
  readonly #onUnsentEnd: (invocation: Invocation) => void;
  #carrier: Carrier | undefined;
  #timer: NodeJS.Timeout | undefined;
  #latestEnd = 0;
  #hasEnded = false;
  #wasRepeated = false;

  // oxlint-disable-next-line max-params -- one call
  constructor(
    session: Session,
    request: SourceRequest,
    exchange: Exchange,
    limits: InvocationLimits,
    onUnsentEnd: (invocation: Invocation) => void,
  ) {
    this.session = session;
    this.#request = request;
    this.#exchange = exchange;
    this.#limits = limits;
    this.#onUnsentEnd = onUnsentEnd;
  }

  get text(): string {
    const args = findMember(this.#request?.params ?? [], 'arguments') ?? NO_ARGUMENTS;
    const tool = this.#request?.name ?? '';
    return invokeText({ sessionId: this.session.id, requestId: this.id, tool, args });
  }

  /** Returns why it must not be sent any more. The rules may have changed since the call came in. */
  recheck(): PincerError | undefined {
    return this.#request?.recheck?.();
  }

  /** Waits for a bridge, up to `bridgeGraceMs`. */
  wait(): void {
    this.#timer = setTimeout(() => this.refuse(notConnected()), this.#limits.bridgeGraceMs);
  }

  /** The call may run from now on, so its loss is `outcome_unknown`. */
  sentOver(carrier: Carrier): void {
    clearTimeout(this.#timer);
    this.#carrier = carrier;
    const { appCallMs, maxCallMs } = this.#limits;
    this.#latestEnd = performance.now() + Math.max(appCallMs, maxCallMs);
    // A caller may ask for a longer timeout than the default.
    const timeoutMs = Math.max(appCallMs, Math.min(this.#request?.waitMs ?? 0, maxCallMs));
    this.#timer = setTimeout(() => this.#giveUp(noAnswer(timeoutMs), 'it took too long'), timeoutMs);
  }

  /** Progress restarts the timeout. */
  progress({ progress, total, message }: ProgressFrame): void {
    if (this.#hasEnded) return;
    if (performance.now() < this.#latestEnd) this.#timer?.refresh();
    const token = findMember(this.#request?.meta ?? [], 'progressToken');
    if (token === undefined) return;
    const more = [
      ...(total === undefined ? [] : [`"total":${total}`]),
      ...(message === undefined ? [] : [`"message":${quoted(message)}`]),
    ];
    const params = [`"progressToken":${token}`, `"progress":${progress}`, ...more].join(',');
    this.#exchange?.notify('notifications/progress', `{${params}}`);
  }

  answer(frame: InvokeResultFrame): void {
    const result = resultOf(frame, { isRich: this.#carrier?.isRich === true });
    this.#end({ kind: frame.ok ? 'ok' : 'tool_error', result, era: 'modern', extra: '' });
  }

  /** The answer of the app is invalid. */
  failUnreadable(why: string): void {
    this.#end(outcomeUnknown(unreadableAnswer(why)));
  }

  /** The bridge is lost. */
  lose(): void {
    this.#end(outcomeUnknown(bridgeLost()));
  }

  /** Returns true if the call is safe to retry after a lost bridge. Gives it a new id. */
  prepareRetry(): boolean {
    if (this.#hasEnded || this.#wasRepeated || this.#request?.isRepeatable !== true) return false;
    this.#wasRepeated = true;
    clearTimeout(this.#timer);
    this.#carrier = undefined;
    this.id = correlationId();
    return true;
  }

  /** Ends a call that will not be sent. If it was sent before, it may have run. */
  refuse(reason: PincerError): void {
    const outcome = this.#wasRepeated ? outcomeUnknown(bridgeLost()) : notExecuted(reason);
    if (this.#end(outcome)) this.#onUnsentEnd(this);
  }

  cancel(reason: string): void {
    if (this.#carrier === undefined) this.refuse(cancelled(reason));
    else this.#giveUp(cancelled(reason), reason);
  }

  #giveUp(reason: PincerError, why: string): void {
    if (this.#end(outcomeUnknown(reason))) this.#carrier?.drop(this.id, why);
  }

  #end(outcome: Outcome): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    // Release everything: a Map of calls that changes all the time leaves old tables behind, and V8 keeps their entries,
    // including request and answer, until its next full collection.
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#request = undefined;
    exchange?.settle(outcome);
    return true;
  }
}

type Answer = Pick<InvokeResultFrame, 'ok' | 'content' | 'error'>;

interface ResultOptions {
  /** The app has said hello, and may answer with content blocks. */
  readonly isRich: boolean;
}

/**
 * Turns an answer of an app into the result of a tool call. The result is of the modern era, where structured output is any
 * JSON. For legacy callers, core wraps values that are not objects (core/eras/result-in-era.ts).
 */
export function resultOf({ ok, content, error }: Answer, { isRich }: ResultOptions): ByteText {
  const blocks = isRich && content !== undefined && areContentBlocks(content) ? content : undefined;
  if (!ok) return result(failure(blocks, content, error), true);
  if (content === undefined) return result('[]', false);
  if (blocks !== undefined) return result(blocks, false);
  return result(`[${textBlock(jsonText(content))}]`, false, `,"structuredContent":${content}`);
}

const result = (content: ByteText, isError: boolean, structured: ByteText = ''): ByteText =>
  `{"content":${content}${structured},"isError":${isError},"resultType":"complete"}`;

const textBlock = (text: ByteText): ByteText => `{"type":"text","text":${text}}`;

/** A JSON string of JSON. Bytes beyond ASCII need no escape, so the bytes can be quoted as they are. */
const jsonText = (json: ByteText): ByteText => JSON.stringify(json);

const UNEXPLAINED = 'The app reported a failure of the tool without a reason.';

/** The error of the app, or a general one if it has none. */
function failure(
  blocks: ByteText | undefined,
  content: ByteText | undefined,
  error: string | undefined,
): ByteText {
  const text = error === undefined || error.trim() === '' ? undefined : textBlock(quoted(error));
  if (blocks !== undefined) return text === undefined ? blocks : `[${text},${blocks.slice(1)}`;
  if (text !== undefined) return `[${text}]`;
  if (content === undefined || content === 'null') return `[${textBlock(quoted(UNEXPLAINED))}]`;
  return `[${textBlock(content.startsWith('"') ? content : jsonText(content))}]`;
}

/** Whether the value is a non-empty array of MCP content blocks. An empty array is a plain value. */
function areContentBlocks(json: ByteText): boolean {
  if (!json.startsWith('[')) return false;
  const elements = readElements(json);
  return elements.length > 0 && elements.every(isContentBlock);
}

function isContentBlock(raw: ByteText): boolean {
  const block = membersOf(raw);
  switch (stringOf(block, 'type') ?? '') {
    case 'text':
      return stringOf(block, 'text') !== undefined;
    case 'image':
    case 'audio':
      return isBase64(stringOf(block, 'data')) && stringOf(block, 'mimeType') !== undefined;
    case 'resource_link':
      return stringOf(block, 'uri') !== undefined && stringOf(block, 'name') !== undefined;
    case 'resource':
      return isResource(membersOf(findMember(block, 'resource') ?? ''));
    default:
      return false;
  }
}

const isResource = (resource: readonly Member[]): boolean =>
  stringOf(resource, 'uri') !== undefined &&
  (stringOf(resource, 'text') !== undefined || isBase64(stringOf(resource, 'blob')));

/** Returns no members if it is not an object or has a duplicate key. */
function membersOf(raw: ByteText): readonly Member[] {
  try {
    return isObject(raw) ? readMembers(raw) : [];
  } catch {
    return [];
  }
}

function stringOf(members: readonly Member[], key: string): string | undefined {
  const raw = findMember(members, key);
  return raw?.startsWith('"') === true ? plainString(raw) : undefined;
}

const PADDING = /={1,2}$/;
const NO_BASE64 = /[^A-Za-z0-9+/]/;

/** Clients refuse a whole result with invalid base64. */
const isBase64 = (data: string | undefined): boolean =>
  data !== undefined && data.length % 4 === 0 && !NO_BASE64.test(data.replace(PADDING, ''));
