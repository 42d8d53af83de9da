/** The path of a request: route, policy, source, outcome, record. Every surface uses it. */
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

/** A request from a surface: `params` use the names of the view. */
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
  /** The caller's total timeout, if it sent one. */
  readonly timeoutMs?: number | undefined;
  /** Lets the caller find the approval that this call waits for. */
  readonly mark?: string | undefined;
}

export interface Calls {
  readonly inFlight: number;
  /** Throws BadParamsError if `params` do not fit the method. */
  start(call: Call, exchange: CallerExchange): Running;
}

export interface CallsParts {
  readonly catalog: CatalogReader;
  readonly policy: () => Policy;
  /** If absent, no person can be asked and `ask` means `deny`. */
  readonly approvals?: Approvals | undefined;
  readonly source: (server: string) => Source | undefined;
  readonly observers: readonly Observer[];
  /**
   * Undefined if every server of the view has sent its lists. Otherwise resolves when they have, or when waiting longer
   * is pointless.
   */
  readonly whenKnown: (view: View) => Promise<void> | undefined;
  /** Explains why a tool that a server does offer is missing. */
  readonly withdrawn?: (request: Addressed) => PincerError | undefined;
  readonly clock: Clock;
  readonly tasks: TaskBook;
  readonly parking: Parking;
  readonly states: RequestStates;
  /** How long a client may take to answer a question. */
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
    // Wait once for servers that have not sent their lists yet.
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
