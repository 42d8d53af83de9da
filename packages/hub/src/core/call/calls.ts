/** The way of a request: look-up, policy, source, outcome, record. Every surface goes through here. */
import type { Approvals } from '../approvals/approvals.ts';
import type { Parking } from '../eras/parking.ts';
import type { RequestStates } from '../eras/request-state.ts';
import type { Caller } from '../caller.ts';
import type { CatalogReader, View } from '../catalog/catalog.ts';
import type { Client } from '../client.ts';
import type { PincerError } from '../errors.ts';
import { notExecuted } from '../outcome.ts';
import type { Policy } from '../policy.ts';
import type { Clock, Observer } from '../ports.ts';
import type { Era } from '../protocol.ts';
import {
  NOTHING_RUNS,
  type CallerExchange,
  type Running,
  type Source,
  type SourceRequest,
  startLater,
} from '../request.ts';
import { metaToServer, type TaskBook } from './task-ids.ts';
import { BadParamsError, findRoute, unknownTarget, type Addressed } from './route.ts';
import { TrackedCall } from './tracked-call.ts';
import type { Member } from '../wire/members.ts';

/** A request as a surface has it: `params` in the words of the view. */
export interface Call {
  readonly caller: Caller;
  readonly surface: string;
  readonly view: View;
  readonly method: string;
  readonly params: readonly Member[];
  readonly meta: readonly Member[];
  readonly era: Era;
  readonly client: Client;
  readonly mediaBytes?: SourceRequest['mediaBytes'];
  /** How long the caller waits in all, where it has said. */
  readonly timeoutMs?: number | undefined;
  /** By which the caller finds the question that this call waits for. */
  readonly mark?: string | undefined;
}

export interface Calls {
  readonly inFlight: number;
  /** Throws BadParamsError where `params` are not what the method takes. */
  start(call: Call, exchange: CallerExchange): Running;
}

export interface CallsParts {
  readonly catalog: CatalogReader;
  readonly policy: () => Policy;
  /** Where a person is asked; absent: nobody can be, and `ask` means `deny`. */
  readonly approvals?: Approvals | undefined;
  readonly source: (server: string) => Source | undefined;
  readonly observers: readonly Observer[];
  /** Undefined: every server of the view has been heard. Otherwise resolves when that is so, or not worth waiting for. */
  readonly whenKnown: (view: View) => Promise<void> | undefined;
  /** Why a tool is not there that a server does offer. */
  readonly withdrawn?: (request: Addressed) => PincerError | undefined;
  readonly clock: Clock;
  readonly tasks: TaskBook;
  readonly parking: Parking;
  readonly states: RequestStates;
  /** How long a client may think about a question. */
  readonly questionTimeoutMs: number;
}

export function createCalls(parts: CallsParts): Calls {
  const ledger = { inFlight: 0 };

  function start(call: Call, exchange: CallerExchange, mayWait: boolean): Running {
    const route = findRoute(parts, call);
    if (route !== undefined) {
      const tasks = parts.tasks.of(call.caller.id, route.server);
      const meta = metaToServer(call.meta, tasks);
      if (meta === undefined) throw new BadParamsError('"params._meta" is related to an unknown task.');
      const named = meta === call.meta ? call : { ...call, meta };
      const tracked = new TrackedCall(parts, ledger, { call: named, route, exchange, tasks });
      tracked.start();
      return tracked;
    }
    const known = mayWait ? parts.whenKnown(call.view) : undefined;
    // A server that has not been heard yet is waited for once.
    if (known !== undefined) return startLater(known, () => start(call, exchange, false), exchange);
    exchange.settle(notExecuted(parts.withdrawn?.(call) ?? unknownTarget(call)));
    return NOTHING_RUNS;
  }

  return {
    get inFlight() {
      return ledger.inFlight;
    },
    start: (call, exchange) => start(call, exchange, true),
  };
}
