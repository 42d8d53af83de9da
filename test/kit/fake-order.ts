/** Orders whose work the test controls, and requests about them. For unit tests. */
import type { Outcome } from '../../packages/hub/src/core/outcome.ts';
import type { Answer, Asked, Exchange, SourceRequest } from '../../packages/hub/src/core/request.ts';
import { jsonBytes, parseBytes } from '../../packages/hub/src/core/wire/byte-text.ts';
import { readMembers } from '../../packages/hub/src/core/wire/members.ts';
import type { OrderProgress } from '../../packages/hub/src/agent/backend.ts';
import type { Work } from '../../packages/hub/src/agent/tasks/kept-orders.ts';
import { HandClient } from './fake-wire.ts';

export const answeredWith = (text: string): Outcome => ({
  kind: 'ok',
  result: jsonBytes({ content: [{ type: 'text', text }], isError: false }),
  era: 'legacy',
  extra: '',
});

export class HandWork {
  runs = 0;
  signal: AbortSignal | undefined;
  readonly answers: Answer[] = [];
  #tell: ((read: () => OrderProgress) => void) | undefined;
  #ask: Exchange['ask'] | undefined;
  readonly #end = Promise.withResolvers<Outcome>();

  readonly work: Work = (signal, tell, ask) => {
    this.runs++;
    this.signal = signal;
    this.#tell = tell;
    this.#ask = ask;
    return this.#end.promise;
  };

  say(text: string, tool?: string): void {
    this.#tell!(() => ({ text, tool }));
  }

  ask(message: string): Asked {
    const params = jsonBytes({ message, requestedSchema: { type: 'object', properties: {} } });
    return this.#ask!({ method: 'elicitation/create', params, answer: (said) => this.answers.push(said) });
  }

  /** Resolves after all listeners were notified. */
  async end(outcome: Outcome = answeredWith('Done.')): Promise<void> {
    this.#end.resolve(outcome);
    await turns();
  }

  async fail(error: unknown): Promise<void> {
    this.#end.reject(error);
    await turns();
  }
}

/** Lets settled promises run their callbacks. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

export interface OrderRequestParts {
  readonly method?: string;
  readonly name?: string;
  readonly params?: object;
  readonly meta?: object;
  readonly era?: SourceRequest['era'];
  readonly caller?: string;
  /** The client's declared capabilities. */
  readonly capabilities?: object;
  readonly client?: HandClient;
}

export function orderRequest(parts: OrderRequestParts = {}): SourceRequest {
  const { method = 'tools/call', name = 'order_openclaw', params = {}, meta = {} } = parts;
  const { era = 'legacy', caller = 'me', capabilities = {} } = parts;
  return {
    method,
    name,
    params: readMembers(jsonBytes(params)),
    meta: readMembers(jsonBytes(meta)),
    era,
    caller: { id: caller, name: caller, scopes: {} },
    client: parts.client ?? new HandClient({ capabilities: jsonBytes(capabilities) }),
  };
}

/** The result as the caller reads it. */
export function resultIn(outcome: Outcome | undefined): Record<string, unknown> {
  if (outcome === undefined) throw new Error('The call has no outcome yet.');
  const raw = 'result' in outcome ? outcome.result : 'shown' in outcome ? outcome.shown : undefined;
  if (raw === undefined) throw new Error(`The outcome has no result: ${JSON.stringify(outcome)}`);
  return parseBytes(raw) as Record<string, unknown>;
}

export const textIn = (outcome: Outcome | undefined): string =>
  (resultIn(outcome)['content'] as { text: string }[]).map(({ text }) => text).join('|');
