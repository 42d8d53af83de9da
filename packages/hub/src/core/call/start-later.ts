import { PincerError } from '../errors.ts';
import { notExecuted } from '../outcome.ts';
import type { Exchange, Running } from '../request.ts';

/** A call that cannot start before something is there. Until then, cancelling it costs nothing. */
export function startLater<T>(
  ready: Promise<T>,
  start: (value: T) => Running,
  exchange: Exchange,
  explain: (error: PincerError) => PincerError = (error) => error,
): Running {
  let running: Running | undefined;
  let hasEnded = false;
  const end = (reason: PincerError): void => {
    if (hasEnded) return;
    hasEnded = true;
    exchange.settle(notExecuted(reason));
  };
  ready
    .then((value) => {
      if (!hasEnded) running = start(value);
    })
    .catch((error: unknown) => end(explain(PincerError.from(error))));
  return {
    cancel(reason) {
      if (running === undefined)
        end(new PincerError('CALL_CANCELLED', `Cancelled before it was sent: ${reason}.`));
      else running.cancel(reason);
    },
  };
}
