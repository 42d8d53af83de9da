/** What becomes of an order: read, named, handed to a backend, and answered. */
import type { AgentConfig } from '../../config/schema.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import type { SourceRequest } from '../../core/request.ts';
import { findMember } from '../../core/wire/members.ts';
import { lost, refused } from './outcome.ts';
import type { Backend, OrderListener } from './backend.ts';
import { freshKey } from './fresh-key.ts';
import { sessionKeyFor } from './session-key.ts';
import { createMediaBudget } from './media/budget.ts';
import type { Shelf } from './media/out/shelf.ts';
import { outcomeOf } from './order-outcome.ts';
import { readOrder } from './read-order.ts';

export interface OrdersParts {
  readonly backend: Pick<Backend, 'run'>;
  readonly shelf: Shelf;
  readonly limits: Limits;
  readonly clock: Clock;
  settings(): AgentConfig;
}

export interface Orders {
  /** Never rejects. */
  perform(request: SourceRequest, listener: OrderListener): Promise<Outcome>;
}

export function createOrders({ backend, shelf, limits, clock, settings }: OrdersParts): Orders {
  const budget = createMediaBudget(limits.maxMediaBytesAtOnce);

  async function perform(request: SourceRequest, listener: OrderListener): Promise<Outcome> {
    const { caller, client, params } = request;
    const { agents, commands } = settings();
    const { message, sessionKey, agent, attachments } = readOrder(
      findMember(params, 'arguments'),
      agents,
      limits,
    );
    using _room = budget.take(attachments);
    const end = await backend.run(
      {
        message,
        sessionKey: sessionKeyFor({
          caller: caller.id,
          // An empty one is what clients send that mean none.
          key: sessionKey || freshKey(clock.now()),
          agentId: agent,
        }),
        agentId: agent,
        attachments,
        commands,
      },
      listener,
    );
    try {
      return outcomeOf(end, { limits, isLine: client.readsLines, shelf: shelf.of(caller.id) });
    } catch (error) {
      // It has run: nobody may take it for something that can be ordered again.
      return lost(PincerError.from(error));
    }
  }

  return {
    perform: (request, listener) =>
      perform(request, listener).catch((error: unknown) => refused(PincerError.from(error))),
  };
}
