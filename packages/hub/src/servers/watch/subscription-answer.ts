import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown } from '../../core/outcome.ts';
import { NOTHING_RUNS, type Exchange, type Running, type SourceRequest } from '../../core/request.ts';
import type { Watch } from './watch.ts';

/** `resources/subscribe` on a shared connection: counted, so that the server is asked once for all who want it. */
export function settleSubscription(watch: Watch, request: SourceRequest, exchange: Exchange): Running {
  const change = request.method === 'resources/subscribe' ? watch.subscribe : watch.unsubscribe;
  change(request.name!, request.client).then(
    (answer) =>
      exchange.settle(
        answer?.error === undefined
          ? { kind: 'ok', result: answer?.result ?? '{}', era: 'legacy', extra: '' }
          : { kind: 'tool_error', error: answer.error, extra: answer.extra },
      ),
    (error: unknown) => {
      const reason = PincerError.from(error);
      exchange.settle(NOT_SENT.has(reason.code) ? notExecuted(reason) : outcomeUnknown(reason));
    },
  );
  // It takes a moment at most, and may serve others as well.
  return NOTHING_RUNS;
}

/** What is said where nothing has reached the server. */
const NOT_SENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SERVER_UNREACHABLE',
  'SERVER_BUSY',
  'ARGUMENT_INVALID',
]);
