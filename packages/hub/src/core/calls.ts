/** The way of a call: look-up, policy, source, outcome, record. Every surface goes through here. */
import { mayUse, type Caller } from './caller.ts';
import type { Catalog, CatalogTool, View } from './catalog.ts';
import { PincerError } from './errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from './outcome.ts';
import type { Policy } from './policy.ts';
import type { Clock, Observer } from './ports.ts';
import type { Era } from './protocol.ts';
import type { Exchange, Running, Source } from './request.ts';
import { startLater } from './start-later.ts';
import type { ByteText } from './wire/byte-text.ts';
import type { Member } from './wire/members.ts';

export interface ToolCall {
  readonly caller: Caller;
  readonly surface: string;
  readonly view: View;
  /** The tool as the view names it. */
  readonly name: string;
  readonly params: readonly Member[];
  readonly meta: readonly Member[];
  readonly era: Era;
  readonly session: string | undefined;
}

export interface Calls {
  readonly inFlight: number;
  start(call: ToolCall, exchange: Exchange): Running;
}

export interface CallsParts {
  readonly catalog: Catalog;
  readonly policy: () => Policy;
  readonly source: (server: string) => Source | undefined;
  readonly observers: readonly Observer[];
  /** Undefined: every server of the view has been heard. Otherwise resolves when that is so, or not worth waiting for. */
  readonly whenKnown: (view: View) => Promise<void> | undefined;
  readonly clock: Clock;
}

const NOTHING_RUNS: Running = { cancel: () => undefined };

export function createCalls(parts: CallsParts): Calls {
  const ledger = { inFlight: 0 };

  function start(call: ToolCall, exchange: Exchange, mayWait: boolean): Running {
    const tool = parts.catalog.resolve(call.view, call.name);
    const known = tool === undefined && mayWait ? parts.whenKnown(call.view) : undefined;
    // A server that has not been heard yet is waited for once.
    if (known !== undefined) return startLater(known, () => start(call, exchange, false), exchange);
    // What a caller may not use it does not see: the same answer as for a tool that does not exist.
    if (tool === undefined || !mayUse(call.caller.scopes, tool)) {
      exchange.settle(notExecuted(unknownTool(call.name)));
      return NOTHING_RUNS;
    }
    const tracked = new TrackedCall(parts, ledger, { call, tool, exchange });
    tracked.start();
    return tracked;
  }

  return {
    get inFlight() {
      return ledger.inFlight;
    },
    start: (call, exchange) => start(call, exchange, true),
  };
}

const unknownTool = (name: string): PincerError =>
  new PincerError('TOOL_UNKNOWN', `Unknown tool: ${name}`, { hint: 'Ask for the list of tools again.' });

interface Resolved {
  readonly call: ToolCall;
  readonly tool: CatalogTool;
  readonly exchange: Exchange;
}

/** One call between its caller and its source; makes sure that it ends once and is recorded once. */
class TrackedCall implements Exchange, Running {
  readonly #parts: CallsParts;
  readonly #ledger: { inFlight: number };
  readonly #call: ToolCall;
  readonly #tool: CatalogTool;
  readonly #exchange: Exchange;
  readonly #startedAt: number;
  #running: Running = NOTHING_RUNS;
  #ended = false;

  constructor(parts: CallsParts, ledger: { inFlight: number }, { call, tool, exchange }: Resolved) {
    this.#parts = parts;
    this.#ledger = ledger;
    this.#call = call;
    this.#tool = tool;
    this.#exchange = exchange;
    this.#startedAt = parts.clock.elapsed();
  }

  start(): void {
    this.#ledger.inFlight++;
    const refusal = this.#refusal();
    const source = this.#parts.source(this.#tool.server);
    if (refusal !== undefined || source === undefined) {
      this.settle(notExecuted(refusal ?? unknownTool(this.#call.name)));
      return;
    }
    const { params, meta, era, caller, session } = this.#call;
    const name = this.#tool.name;
    try {
      this.#running = source.request(
        { method: 'tools/call', name, params, meta, era, caller, session },
        this,
      );
    } catch (error) {
      // How far it got nobody knows.
      this.settle(outcomeUnknown(PincerError.from(error)));
    }
  }

  notify(method: string, params: ByteText): void {
    if (!this.#ended) this.#exchange.notify(method, params);
  }

  settle(outcome: Outcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ledger.inFlight--;
    const { clock, observers } = this.#parts;
    const record = {
      at: clock.now(),
      caller: this.#call.caller.name,
      surface: this.#call.surface,
      server: this.#tool.server,
      tool: this.#tool.name,
      outcome: outcome.kind,
      code: 'reason' in outcome ? outcome.reason.code : undefined,
      durationMs: clock.elapsed() - this.#startedAt,
    };
    for (const observer of observers) observer.callEnded(record);
    this.#exchange.settle(outcome);
  }

  cancel(reason: string): void {
    if (!this.#ended) this.#running.cancel(reason);
  }

  #refusal(): PincerError | undefined {
    const decision = this.#parts.policy().decide(this.#call.caller, this.#tool);
    if (decision === 'allow') return undefined;
    const name = `${this.#tool.server}.${this.#tool.name}`;
    return new PincerError(
      'POLICY_DENIED',
      decision === 'deny'
        ? `Policy denies ${name}. It was not run.`
        : `${name} needs an approval and nobody can be asked. It was not run.`,
      { hint: `Change "policy" for ${name} in the configuration.` },
    );
  }
}
