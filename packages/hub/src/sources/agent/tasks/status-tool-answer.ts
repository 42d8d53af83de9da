/** What `order_status` and `order_stop` are answered with. */
import type { Exchange, Running, SourceRequest } from '../../../core/request.ts';
import { parseBytes } from '../../../core/wire/byte-text.ts';
import { findMember } from '../../../core/wire/members.ts';
import { toolFailure, toolText } from '../outcome.ts';
import { firstFault } from '../tool-arguments.ts';
import type { KeptOrder } from './kept-order.ts';
import { hasEnded, noSuchOrder, saidIn, stillWorking, stopped } from './status-tool-text.ts';
import { statusToolSchemas } from './status-tool.ts';
import type { Tasks } from './tasks.ts';
import { answerNow, waitFor } from './wait-for.ts';

export interface StatusToolParts {
  readonly tasks: Tasks;
  /** How long a client is expected to wait. */
  readonly patienceMs: number;
}

/** Undefined: it is another tool. */
export function answerStatusTool(
  { tasks, patienceMs }: StatusToolParts,
  request: SourceRequest,
  exchange: Exchange,
): Running | undefined {
  const { name, params, caller } = request;
  if (name !== 'order_status' && name !== 'order_stop') return undefined;
  const raw = findMember(params, 'arguments');
  const parsed = statusToolSchemas[name].safeParse(raw === undefined ? {} : parseBytes(raw));
  if (!parsed.success) return answerNow(exchange, toolFailure(firstFault(parsed.error)));
  const { orderId, waitMs }: { orderId: string; waitMs?: number | undefined } = parsed.data;
  const order = tasks.find(caller.id, orderId);
  if (order === undefined) return answerNow(exchange, toolFailure(noSuchOrder(orderId)));
  if (name === 'order_stop') return stop(order, request, exchange);
  return waitFor(order, {
    request,
    exchange,
    patience: {
      ms: Math.min(waitMs ?? patienceMs, patienceMs),
      instead: () => toolText(stillWorking(order)),
    },
    onEnd: (outcome) => outcome,
  });
}

/** It has ended when this is answered, or is given up; what it had to say is kept like any answer. */
function stop(order: KeptOrder, request: SourceRequest, exchange: Exchange): Running {
  const said = saidIn(order);
  if (order.outcome === undefined) order.cancel('the order was stopped by its caller');
  return waitFor(order, {
    request,
    exchange,
    onEnd: () => toolText(order.isCancelled ? stopped(said) : hasEnded(order)),
  });
}
