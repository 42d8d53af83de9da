/** A client of the hub over HTTP that can be cut off at any byte that it sends or receives. */
import { LOG, PROGRESS } from '../servers/scripted/legs.ts';
import type { Connection } from './http.ts';
import type { TestHub } from './hub.ts';
import { LEGACY, request } from './messages.ts';
import { eventsIn, hasEnded, openRawStream, type RawStream } from './raw-stream.ts';

const initialize = (version: string): string =>
  request(
    'initialize',
    `{"protocolVersion":"${version}","capabilities":{"elicitation":{}},"clientInfo":{"name":"k","version":"1"}}`,
  );
const CALL = callWith('0');

/** A call of `t`, which its server recognizes by the tag. */
export function callWith(tag: string): string {
  return request('tools/call', `{"name":"t","arguments":{"n":"${tag}"},"_meta":{"progressToken":1}}`);
}

/** The messages of a call, in order. */
export const CALL_MESSAGES: readonly string[] = [PROGRESS, LOG, 'elicitation/create', 'y'];

/** One legacy session with one call. */
export class FrontClient {
  readonly #hub: TestHub;
  readonly #connection: Connection;
  readonly #path: string;
  readonly #session: string;
  readonly #answered = new Set<string>();

  private constructor(hub: TestHub, connection: Connection, path: string, session: string) {
    this.#hub = hub;
    this.#connection = connection;
    this.#path = path;
    this.#session = session;
  }

  // oxlint-disable-next-line max-params -- the client, its address and its version
  static async begin(
    hub: TestHub,
    connection: Connection,
    path: string,
    version = LEGACY,
  ): Promise<FrontClient> {
    const { headers } = await connection.post(initialize(version), { path });
    return new FrontClient(hub, connection, path, String(headers['mcp-session-id']));
  }

  /** The bytes of a request in the session. */
  bytes(verb: 'GET' | 'POST', body = '', lines: string[] = []): string {
    return requestBytes(this.#hub, this.#path, {
      verb,
      body,
      lines: [`Mcp-Session-Id: ${this.#session}`, ...lines],
    });
  }

  call(): Promise<RawStream> {
    return openRawStream(this.#hub.origin, this.bytes('POST', CALL));
  }

  resume(lastEventId: string): Promise<RawStream> {
    return openRawStream(this.#hub.origin, this.resumeBytes(lastEventId));
  }

  resumeBytes(lastEventId: string): string {
    return this.bytes('GET', '', [`Last-Event-ID: ${lastEventId}`]);
  }

  end(): Promise<unknown> {
    return this.#connection.post('', { path: this.#path, method: 'DELETE', headers: this.#headers });
  }

  /** Answers each open question in these bytes. */
  async answer(received: string): Promise<void> {
    for (const answer of answersTo(received)) {
      if (this.#answered.has(answer)) continue;
      this.#answered.add(answer);
      const { status } = await this.#connection.post(answer, { path: this.#path, headers: this.#headers });
      if (status !== 202) throw new Error(`an answer was refused with ${status}`);
    }
  }

  /** Reads up to `bytes` bytes, answers the questions in them, then cuts the stream. */
  async read(stream: RawStream, bytes = Infinity): Promise<string> {
    for (;;) {
      const before = stream.received.length;
      if (before >= bytes || hasEnded(stream.received) || stream.isClosed) break;
      await this.answer(stream.received);
      await stream.until((received) => received.length > before);
    }
    stream.socket.destroy();
    return stream.received.slice(0, bytes);
  }

  get #headers(): Record<string, string> {
    return { 'mcp-session-id': this.#session };
  }
}

interface RequestParts {
  verb: 'GET' | 'POST';
  body: string;
  lines?: string[];
}

export function requestBytes(hub: TestHub, path: string, { verb, body, lines = [] }: RequestParts): string {
  const head = [
    `${verb} ${path} HTTP/1.1`,
    `Host: ${new URL(hub.origin).host}`,
    `Authorization: Bearer ${hub.token}`,
    `Accept: ${verb === 'GET' ? '' : 'application/json, '}text/event-stream`,
    ...(verb === 'GET' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

interface Message {
  id?: unknown;
  method?: string;
  result?: { content?: { text: string }[] };
}

const messagesIn = (received: string): Message[] =>
  eventsIn(received).flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data) as Message]));

/** Answers to the questions in these bytes. */
export const answersTo = (received: string): string[] =>
  messagesIn(received).flatMap(({ id, method }) =>
    id === undefined || method === undefined
      ? []
      : [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"accept","content":{"v":"y"}}}`],
  );

/** The messages in these bytes: methods, and the text of the answer. */
export const methodsIn = (received: string): string[] =>
  messagesIn(received).map(
    (message) => message.method ?? message.result?.content?.[0]?.text ?? JSON.stringify(message),
  );
