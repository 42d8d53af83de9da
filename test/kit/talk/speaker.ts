/** The sending half of a client: its handshake, its session, and messages in the format of its era. */
import type { Era } from '../../servers/flags.ts';
import type { JsonObject, JsonValue } from '../../servers/json.ts';
import { INITIALIZED, LEGACY, modernHeaders, type Headers } from '../messages.ts';
import type { Plan } from './plan.ts';
import { ABLE, envelopeOf, type Request } from './requests.ts';
import type { Sent, Wire } from './wires.ts';

export interface SpeakerTraits {
  name: string;
  era: Era;
  /** For a legacy client: whether it accepts questions. */
  isAble: boolean;
  /** For a legacy client: its log level; undefined if it sets none. */
  logLevel?: 'debug' | 'error';
  /** For a legacy client over HTTP: whether it opens a stream for messages outside of calls. */
  listens?: boolean;
}

export class Speaker {
  readonly #traits: SpeakerTraits;
  readonly #wire: Wire;
  /** Streams of messages that expect no answer. */
  readonly #oneWay = new Set<string>();
  /** Pending requests of the handshake, by id. */
  readonly #awaited = new Map<JsonValue, () => void>();
  #session: Headers = {};
  #lastId = 0;

  constructor(traits: SpeakerTraits, wire: Wire) {
    this.#traits = traits;
    this.#wire = wire;
  }

  async begin(): Promise<void> {
    const { era, isAble, logLevel, listens, name } = this.#traits;
    if (era === 'modern') return;
    const clientInfo = { name, version: '1' };
    const capabilities = isAble ? ABLE : {};
    const headers = await this.#ask('initialize', { protocolVersion: LEGACY, capabilities, clientInfo });
    const session = headers['mcp-session-id'];
    if (session !== undefined) this.#session = { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY };
    this.tell(JSON.parse(INITIALIZED) as JsonObject);
    if (logLevel !== undefined) await this.#ask('logging/setLevel', { level: logLevel });
    if (listens === true) await this.#wire.listen(this.#session);
  }

  /** Sends a request as the plan describes it. */
  request({ method, name, params }: Request, plan: Plan): { id: number; sent: Sent } {
    const { era, name: client } = this.#traits;
    // Every client numbers its ids and progress tokens from 1, so they collide between clients.
    const id = ++this.#lastId;
    const _meta = {
      ...(era === 'modern' && envelopeOf(client, plan)),
      ...(plan.hasToken && { progressToken: id }),
    };
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    const headers = era === 'modern' ? modernHeaders(method, name) : this.#session;
    return { id, sent: this.#wire.send(text, headers) };
  }

  /** Sends a message that expects no answer. */
  tell(message: JsonObject): void {
    const { stream } = this.#wire.send(JSON.stringify({ jsonrpc: '2.0', ...message }), this.#session);
    if (this.#wire.kind === 'http') this.#oneWay.add(stream);
  }

  leave(): Promise<void> {
    return this.#wire.end(this.#session);
  }

  /** Whether this answers a request of the handshake. */
  takes(id: JsonValue): boolean {
    this.#awaited.get(id)?.();
    return this.#awaited.has(id);
  }

  /** Whether this was the stream of a message that expects no answer. */
  wasOneWay(stream: string): boolean {
    return this.#oneWay.delete(stream);
  }

  async #ask(method: string, params: JsonObject): Promise<Headers> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited.set(method, resolve);
    const text = JSON.stringify({ jsonrpc: '2.0', id: method, method, params });
    const { headers } = this.#wire.send(text, this.#session);
    await promise;
    return headers;
  }
}
