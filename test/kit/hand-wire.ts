/** A wire that the test itself holds the other end of, and what a call over it needs. For unit tests. */
import { PincerError } from '../../packages/hub/src/core/errors.ts';
import type { Outcome } from '../../packages/hub/src/core/outcome.ts';
import type { Exchange, ToolRequest } from '../../packages/hub/src/core/request.ts';
import { toByteText } from '../../packages/hub/src/core/wire/byte-text.ts';
import { readMembers } from '../../packages/hub/src/core/wire/members.ts';
import { parseMessage } from '../../packages/hub/src/core/wire/message.ts';
import type { OpenWire, Outgoing, Wire, WireEvents } from '../../packages/hub/src/sources/remote/wire.ts';

/** A message as it went over the wire. */
export interface SentMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

export class HandWire implements Wire {
  isReady = true;
  isClosed = false;
  readonly sent: { readonly text: string; readonly about: Outgoing }[] = [];
  readonly forgotten: string[] = [];
  readonly versions: (string | undefined)[] = [];
  #events: WireEvents | undefined;

  readonly open: OpenWire = (events) => {
    this.#events = events;
    return this;
  };

  get events(): WireEvents {
    return this.#events!;
  }

  send(text: string, about: Outgoing): void {
    this.sent.push({ text, about });
  }

  forget(id: string): boolean {
    this.forgotten.push(id);
    return false;
  }

  speak(version: string | undefined): void {
    this.versions.push(version);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  /** What was sent, read. */
  get messages(): SentMessage[] {
    return this.sent.map(
      ({ text }) => JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as SentMessage,
    );
  }

  /** Our id of the last request. */
  get lastId(): string {
    return this.sent.findLast(({ about }) => about.id !== undefined)!.about.id!;
  }

  /** The server says this. */
  receive(text: string): void {
    this.events.onMessage(parseMessage(toByteText(text)));
  }

  answer(id: string, result: string): void {
    this.receive(`{"jsonrpc":"2.0","id":"${id}","result":${result}}`);
  }

  fail(id: string, error: string): void {
    this.receive(`{"jsonrpc":"2.0","id":"${id}","error":${error}}`);
  }

  drain(): void {
    this.isReady = true;
    this.events.onDrain();
  }

  break(reason = new PincerError('SERVER_GONE', 'Server "s" went away.')): void {
    this.events.onClosed(reason);
  }
}

/** The caller's end of a call, which only listens. */
export class HandExchange implements Exchange {
  readonly outcomes: Outcome[] = [];
  readonly notified: string[] = [];

  notify(method: string, params: string): void {
    this.notified.push(`${method} ${params}`);
  }

  settle(outcome: Outcome): void {
    this.outcomes.push(outcome);
  }

  get kinds(): string[] {
    return this.outcomes.map(({ kind }) => kind);
  }

  /** Why it ended, where it did not end by an answer. */
  get reason(): PincerError {
    return (this.outcomes[0] as { reason: PincerError }).reason;
  }
}

export interface RequestParts {
  readonly params?: string;
  readonly era?: ToolRequest['era'];
  readonly caller?: string;
  readonly session?: string;
}

/** A call of tool `x`, as a surface hands it over. */
export function toolRequest(parts: RequestParts = {}): ToolRequest {
  const { params = '{"name":"s__x","arguments":{}}', era = 'legacy', caller = 'c', session } = parts;
  const members = readMembers(toByteText(params));
  const meta = members.find(({ key }) => key === '_meta');
  return {
    method: 'tools/call',
    name: 'x',
    params: members,
    meta: meta === undefined ? [] : readMembers(meta.raw),
    era,
    caller: { id: caller, name: caller, scopes: {} },
    session,
  };
}
