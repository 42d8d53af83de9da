import type { JsonValue } from './json.ts';

interface CancelledCall {
  id: JsonValue;
  tool: string;
  reason: string | null;
  /** How the caller cancelled: by a notification, or by closing the response stream. */
  via: 'notification' | 'closed';
}

interface OpenCall {
  id: JsonValue;
  /** Undefined for requests that are not tool calls: they can be cancelled but are not recorded. */
  tool: string | undefined;
  controller: AbortController;
}

/** The requests in flight of all connections, and the cancelled calls. */
export class CallTable {
  readonly cancelled: CancelledCall[] = [];
  /** Request ids of cancellations that matched no request in flight. */
  readonly stray: string[] = [];
  readonly #open = new Map<string, OpenCall>();

  /** Tools of the calls in flight. */
  get running(): string[] {
    return [...this.#open.values()].flatMap(({ tool }) => tool ?? []);
  }

  open(key: string, id: JsonValue, tool?: string): { signal: AbortSignal; close(): void } {
    const call: OpenCall = { id, tool, controller: new AbortController() };
    this.#open.set(key, call);
    const close = () => {
      if (this.#open.get(key) === call) this.#open.delete(key);
    };
    return { signal: call.controller.signal, close };
  }

  cancel(key: string, via: CancelledCall['via'], reason: string | null = null): void {
    const call = this.#open.get(key);
    if (call === undefined) {
      if (via === 'notification') this.stray.push(key);
      return;
    }
    this.#open.delete(key);
    if (call.tool !== undefined) this.cancelled.push({ id: call.id, tool: call.tool, reason, via });
    call.controller.abort();
  }
}
