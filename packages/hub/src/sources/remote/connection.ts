/** One negotiated connection: our ids and progress tokens on one side, the callers' on the other. */
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import { RPC, type Era } from '../../core/protocol.ts';
import type { Exchange, Running, ToolRequest } from '../../core/request.ts';
import { quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, writeMembers } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import { writeCallParams } from './call-params.ts';
import { correlationId } from './correlation-id.ts';
import { OwnRequests } from './own-requests.ts';
import type { OpenWire, Wire } from './wire.ts';

export interface ConnectionOptions {
  readonly server: string;
  readonly openWire: OpenWire;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  onToolsChanged(): void;
  onClosed(reason: PincerError): void;
}

interface Pending {
  readonly id: string;
  readonly exchange: Exchange;
  readonly progressToken: ByteText | undefined;
  deadline: number;
  /** There while the call waits for the wire to drain. */
  held: HeldMessage | undefined;
}

interface HeldMessage {
  readonly text: ByteText;
  readonly name: string;
}

export class Connection {
  era: Era = 'legacy';
  readonly #options: ConnectionOptions;
  readonly #wire: Wire;
  /** In the order of their deadlines: all have the same time, and progress moves one to the end. */
  readonly #pending = new Map<string, Pending>();
  readonly #own: OwnRequests;
  #timer: NodeJS.Timeout | undefined;
  #closed: PincerError | undefined;
  #retired: PincerError | undefined;
  #lastUsed: number;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#own = new OwnRequests(options.server);
    this.#lastUsed = options.clock.elapsed();
    this.#wire = options.openWire({
      onMessage: (message) => this.#receive(message),
      onRequestLost: (id, wasSent, reason) => this.#lose(id, wasSent, reason),
      onSessionEnded: (reason) => this.#retire(reason),
      onClosed: (reason) => this.#end(reason),
      onDrain: () => this.#sendHeld(),
    });
  }

  get pid(): number | undefined {
    return this.#wire.pid;
  }

  /** New calls may begin. */
  get isOpen(): boolean {
    return this.#closed === undefined && this.#retired === undefined;
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  get idleMs(): number {
    return this.#pending.size > 0 ? 0 : this.#options.clock.elapsed() - this.#lastUsed;
  }

  /** The era and version from here on; no version while that is still to be settled. */
  speak(era: Era, version: string | undefined): void {
    this.era = era;
    this.#wire.speak(version);
  }

  call(request: ToolRequest, exchange: Exchange): Running {
    const { clock, requestTimeoutMs } = this.#options;
    const id = correlationId();
    const params = writeCallParams(request, this.era, id);
    const text = `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params}}`;
    const pending: Pending = {
      id,
      exchange,
      progressToken: findMember(request.meta, 'progressToken'),
      deadline: clock.elapsed() + requestTimeoutMs,
      held: undefined,
    };
    if (this.#closed !== undefined) {
      exchange.settle(notExecuted(this.#closed));
    } else {
      this.#pending.set(id, pending);
      if (this.#timer === undefined) this.#armTimer();
      if (this.#wire.isReady) this.#wire.send(text, { id, method: 'tools/call', name: request.name });
      else pending.held = { text, name: request.name };
    }
    return {
      cancel: (reason) => this.#cancel(pending, new PincerError('CALL_CANCELLED', `Cancelled: ${reason}.`)),
    };
  }

  /** A request of Pincer's own. Resolves with the answer, a JSON-RPC error included. */
  ask(method: string, params: ByteText, timeoutMs: number): Promise<Message> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const id = correlationId();
    const answer = this.#own.await(id, method, timeoutMs, () => this.#wire.forget(id));
    const text = `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`;
    this.#wire.send(text, { id, method, name: undefined });
    return answer;
  }

  tell(method: string, params: ByteText): void {
    if (this.#closed === undefined)
      this.#wire.send(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`, {
        id: undefined,
        method,
        name: undefined,
      });
  }

  async close(reason: PincerError): Promise<void> {
    this.#end(reason);
    await this.#wire.close();
  }

  #receive(message: Message): void {
    if (message.method === undefined) this.#receiveAnswer(message);
    else if (message.id !== undefined) this.#refuseRequest(message.id, message.method);
    else if (message.method === 'notifications/progress') this.#receiveProgress(message);
    else if (message.method === 'notifications/tools/list_changed') this.#options.onToolsChanged();
    // Any other notification is explained by no call and no subscription: it reaches nobody.
  }

  #receiveAnswer(message: Message): void {
    const id = message.id!.startsWith('"') ? plainString(message.id!) : message.id!;
    const pending = this.#take(id);
    if (pending === undefined) this.#own.settle(id, message);
    else pending.exchange.settle(toOutcome(message, this.era));
  }

  #receiveProgress(message: Message): void {
    const token = findMember(message.params, 'progressToken');
    const pending = token?.startsWith('"') ? this.#pending.get(plainString(token)) : undefined;
    if (pending?.progressToken === undefined) return;
    this.#pending.delete(pending.id);
    pending.deadline = this.#options.clock.elapsed() + this.#options.requestTimeoutMs;
    this.#pending.set(pending.id, pending);
    const params = writeMembers(message.params, { progressToken: pending.progressToken });
    pending.exchange.notify('notifications/progress', params);
  }

  /** What a server may ask of a client is not declared on this connection, `ping` excepted. */
  #refuseRequest(id: ByteText, method: string): void {
    // A server that asks and does not read the answers gets none.
    if (!this.#wire.isReady || id.length > MAX_FOREIGN_ID) return;
    const answer =
      method === 'ping'
        ? '"result":{}'
        : `"error":{"code":${RPC.methodNotFound},"message":"Method not found"}`;
    this.#wire.send(`{"jsonrpc":"2.0","id":${id},${answer}}`, { id: undefined, method: '', name: undefined });
  }

  #take(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (this.#pending.size === 0) {
      this.#lastUsed = this.#options.clock.elapsed();
      if (this.#retired !== undefined) void this.close(this.#retired);
    }
    return pending;
  }

  #cancel(pending: Pending, reason: PincerError): void {
    if (this.#take(pending.id) === undefined) return;
    if (pending.held === undefined) {
      const params = `{"requestId":"${pending.id}","reason":${quoted(reason.message)}}`;
      if (!this.#wire.forget(pending.id)) this.tell('notifications/cancelled', params);
    }
    pending.exchange.settle(pending.held === undefined ? outcomeUnknown(reason) : notExecuted(reason));
  }

  #lose(id: string, wasSent: boolean, reason: PincerError): void {
    const pending = this.#take(id);
    if (pending === undefined) this.#own.settle(id, reason);
    else pending.exchange.settle(wasSent ? outcomeUnknown(reason) : notExecuted(reason));
  }

  #sendHeld(): void {
    for (const pending of this.#pending.values()) {
      if (pending.held === undefined) continue;
      if (!this.#wire.isReady) return;
      const { text, name } = pending.held;
      pending.held = undefined;
      this.#wire.send(text, { id: pending.id, method: 'tools/call', name });
    }
  }

  /** To its owner the connection is gone; calls under way may still end, then it is. */
  #retire(reason: PincerError): void {
    if (!this.isOpen) return;
    this.#retired = reason;
    this.#options.onClosed(reason);
    if (this.#pending.size === 0) void this.close(reason);
  }

  #end(reason: PincerError): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    clearTimeout(this.#timer);
    const calls = [...this.#pending.values()];
    this.#pending.clear();
    for (const { exchange, held } of calls)
      exchange.settle(held === undefined ? outcomeUnknown(lost(reason)) : notExecuted(reason));
    this.#own.failAll(reason);
    if (this.#retired === undefined) this.#options.onClosed(reason);
  }

  /** One timer for all calls: it waits for the first deadline, and looks again when that call has ended. */
  #armTimer(): void {
    this.#timer = undefined;
    const first = this.#pending.values().next().value;
    if (first === undefined) return;
    this.#timer = setTimeout(
      () => this.#expire(),
      Math.max(1, first.deadline - this.#options.clock.elapsed()),
    );
  }

  #expire(): void {
    const now = this.#options.clock.elapsed();
    for (const pending of this.#pending.values()) {
      if (pending.deadline > now) break;
      this.#cancel(pending, this.#timeout());
    }
    this.#armTimer();
  }

  #timeout(): PincerError {
    const { server, requestTimeoutMs } = this.#options;
    return new PincerError(
      'CALL_TIMEOUT',
      `Server "${server}" did not answer within ${requestTimeoutMs} ms; it was told to stop.`,
      {
        hint: `Check what it did before you repeat the call, or raise servers.${server}.requestTimeoutMs.`,
      },
    );
  }
}

/** Longest id of a server's own request that is answered. */
const MAX_FOREIGN_ID = 1_024;

const NO_RESULT = new PincerError('SERVER_PROTOCOL', 'The server answered with a result that is no object.', {
  hint: 'Check whether the call took effect before you repeat it.',
});

const lost = (reason: PincerError): PincerError =>
  new PincerError(reason.code, `${reason.message} The call had been sent: whether it ran is unknown.`, {
    hint: 'Check whether it took effect before you repeat it.',
    cause: reason,
  });

function toOutcome(message: Message, era: Era): Outcome {
  const { result, error, extra } = message;
  if (result === undefined) return { kind: 'tool_error', error: error!, extra };
  if (!isObject(result)) return outcomeUnknown(NO_RESULT);
  return { kind: message.isError ? 'tool_error' : 'ok', result, era, extra };
}
