/** The calls of one connection that wait for an answer, with their deadlines and outcomes. */
import { ShortLivedMap } from '../../lib/short-lived-map.ts';
import type { Clock } from '../../core/ports.ts';
import type { Exchange, SourceRequest } from '../../core/request.ts';
import { type ByteText, parseBytes } from '../../core/wire/byte-text.ts';
import { PincerError } from '../../core/errors.ts';
import { outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import { type Era, RPC } from '../../core/protocol.ts';
import { isObject } from '../../core/wire/members.ts';
import type { Message } from '../../core/wire/message.ts';

export interface PendingCall {
  readonly id: string;
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  readonly progressToken: ByteText | undefined;
  deadline: number;
  /** Timeout without progress. */
  readonly timeoutMs: number;
  /** Progress extends the deadline up to this time. */
  readonly endsBy: number;
  /** The message, while the call waits for the wire to drain. */
  held: ByteText | undefined;
  /** Open questions of the server to the call's client. */
  questions: number;
}

interface PendingCallsOptions {
  readonly clock: Clock;
  onExpired(call: PendingCall): void;
}

export class PendingCalls {
  readonly #options: PendingCallsOptions;
  readonly #running = new ShortLivedMap<string, PendingCall>();
  /** Calls with an open question. Their deadline is suspended, because people take their time. */
  readonly #resting = new Map<string, PendingCall>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #armedFor = Infinity;

  constructor(options: PendingCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size + this.#resting.size;
  }

  add(call: PendingCall): void {
    this.#running.set(call.id, call);
    if (call.deadline < this.#armedFor) this.#arm();
  }

  get(id: string): PendingCall | undefined {
    return this.#running.get(id) ?? this.#resting.get(id);
  }

  take(id: string): PendingCall | undefined {
    const call = this.#running.get(id);
    if (call !== undefined) {
      this.#running.delete(id);
      return call;
    }
    const resting = this.#resting.get(id);
    this.#resting.delete(id);
    return resting;
  }

  /** Restarts the timeout after progress. */
  prolong(call: PendingCall): void {
    const deadline = this.#options.clock.elapsed() + call.timeoutMs;
    // A call that has reported long enough keeps its current deadline.
    if (deadline > call.endsBy || !this.#running.has(call.id)) return;
    call.deadline = deadline;
  }

  questionAsked(call: PendingCall): void {
    call.questions++;
    if (this.#running.delete(call.id)) this.#resting.set(call.id, call);
  }

  questionEnded(call: PendingCall): void {
    call.questions--;
    if (call.questions > 0 || !this.#resting.delete(call.id)) return;
    call.deadline = this.#options.clock.elapsed() + call.timeoutMs;
    this.add(call);
  }

  /** Suspended calls, then the others in sending order. */
  *[Symbol.iterator](): Iterator<PendingCall> {
    yield* this.#resting.values();
    yield* this.#running.values();
  }

  /** Removes and returns all calls. */
  takeAll(): PendingCall[] {
    this.#disarm();
    const calls = [...this];
    this.#running.clear();
    this.#resting.clear();
    return calls;
  }

  /** One timer for all calls: it waits for the earliest deadline and is re-armed after that. */
  #arm(): void {
    this.#disarm();
    for (const { deadline } of this.#running.values())
      if (deadline < this.#armedFor) this.#armedFor = deadline;
    if (this.#armedFor === Infinity) return;
    const delayMs = Math.max(1, this.#armedFor - this.#options.clock.elapsed());
    this.#timer = setTimeout(() => this.#expire(), delayMs);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Infinity;
  }

  #expire(): void {
    const now = this.#options.clock.elapsed();
    for (const call of this.#running.values()) if (call.deadline <= now) this.#options.onExpired(call);
    this.#arm();
  }
}

/** Turns a server's answer into an outcome. */
export function answered(message: Message, era: Era): Outcome {
  const { result, error, extra } = message;
  if (result === undefined) return { kind: 'tool_error', error: error!, extra };
  if (!isObject(result)) return outcomeUnknown(NO_RESULT);
  return { kind: message.isError ? 'tool_error' : 'ok', result, era, extra };
}

const NO_RESULT = new PincerError(
  'SERVER_PROTOCOL',
  'The server answered with a result that is not an object.',
  {
    hint: 'Check whether the call took effect before you repeat it.',
  },
);

/** The reason for a call that was lost with its connection. */
export const lostWith = (reason: PincerError): PincerError =>
  new PincerError(reason.code, `${reason.message} The call had been sent, so it may have run.`, {
    hint: 'Check whether it took effect before you repeat it.',
    cause: reason,
  });

/** The timeout of a call. A caller with a longer timeout than the server's setting gets its own, up to `maxCallMs`. */
export const callTimeoutMs = (
  { waitMs = 0 }: Pick<SourceRequest, 'waitMs'>,
  requestTimeoutMs: number,
  maxCallMs: number,
): number => Math.max(requestTimeoutMs, Math.min(waitMs, maxCallMs));

export function timedOut(
  server: string,
  { timeoutMs, request }: { readonly timeoutMs: number; readonly request: Pick<SourceRequest, 'waitMs'> },
): PincerError {
  const isCapped = (request.waitMs ?? 0) > timeoutMs;
  return new PincerError(
    'CALL_TIMEOUT',
    `Server "${server}" did not answer within ${timeoutMs} ms; it was told to stop.`,
    {
      hint: isCapped
        ? 'Check what it did before you repeat the call. No call may take longer than limits.maxCallMs.'
        : `Check what it did before you repeat the call, or raise servers.${server}.requestTimeoutMs.`,
    },
  );
}

/**
 * Whether the server is gone or no longer accepts us; a server that refuses one request with a status is still there.
 */
export const meansGone = ({ code, data }: PincerError): boolean =>
  code === 'SIGN_IN_NEEDED' || (code === 'SERVER_UNREACHABLE' && data?.['status'] === undefined);

/** The answer arrived but cannot be read. */
export const malformedAnswer = (server: string, error: Error): PincerError =>
  new PincerError(
    'SERVER_PROTOCOL',
    `Server "${server}" answered something that is not MCP: ${error.message}`,
    {
      hint: 'Check whether the call took effect before you repeat it.',
    },
  );

/** Servers use their own words; SDKs: "Unknown tool: x", "Tool x not found". */
const WORDS =
  /\b(unknown tool|no such tool|tool ["'`]?[\w./-]+["'`]? (was )?(not found|is not known|does not exist))\b/i;
/** A longer answer is not such an error. */
const MAX_BYTES = 2_048;

export function saysUnknownTool(outcome: Outcome): boolean {
  if (outcome.kind !== 'tool_error') return false;
  if ('result' in outcome) return outcome.result.length <= MAX_BYTES && WORDS.test(outcome.result);
  if (outcome.error.length > MAX_BYTES) return false;
  const { code, message } = (parseBytes(outcome.error) ?? {}) as { code?: unknown; message?: unknown };
  return (code === RPC.invalidParams || code === RPC.methodNotFound) && WORDS.test(String(message));
}

/** Pending requests of Pincer itself (initialize, tools/list). */
export class OwnRequests {
  readonly #server: string;
  readonly #waiting = new Map<string, (answer: Message | PincerError) => void>();

  constructor(server: string) {
    this.#server = server;
  }

  /**
   * Resolves with the answer, including a JSON-RPC error; without a timeout it may last forever. `onTimeout` makes the
   * wire forget the request.
   */
  await(id: string, method: string, timeoutMs: number | undefined, onTimeout: () => void): Promise<Message> {
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        onTimeout();
        const message = `Server "${this.#server}" did not answer "${method}" within ${timeoutMs} ms.`;
        this.settle(id, new PincerError('CALL_TIMEOUT', message));
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        if (PincerError.is(answer)) reject(answer);
        else resolve(answer);
      });
    });
  }

  /** Returns false if the request is unknown. */
  settle(id: string, answer: Message | PincerError): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.(answer);
    return this.#waiting.delete(id);
  }

  failAll(reason: PincerError): void {
    for (const id of this.#waiting.keys()) this.settle(id, reason);
  }
}
