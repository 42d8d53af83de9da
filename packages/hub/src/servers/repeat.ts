/** Repeats a call once where that is certainly right: it did not run, or running it twice does no harm. */
import type { Outcome } from '../core/outcome.ts';
import type { Exchange, Question, Running, SourceRequest } from '../core/request.ts';
import { parseBytes, type ByteText } from '../core/wire/byte-text.ts';

export interface RepeatParts {
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  /** On the connection that there is. */
  first(exchange: Exchange): Running;
  /** From the beginning: the connection may be another one by now. */
  again(exchange: Exchange): Running;
}

/** A call on a connection. What was asked of its client meanwhile rules a repetition out: nobody is asked twice. */
export function withRepetition({ request, exchange, first, again }: RepeatParts): Running {
  let isCancelled = false;
  let hasAsked = false;
  let progress: ByteText | undefined;

  const repeat = (outcome: Outcome): void => {
    if (isCancelled) return exchange.settle(outcome);
    const { notify } = onlyForward(exchange, progress);
    running = again({
      notify,
      ask: (question) => exchange.ask(question),
      // What may have run the first time has not certainly not run, whatever became of the second.
      settle: (second) =>
        exchange.settle(isLost(outcome) && second.kind === 'not_executed' ? outcome : second),
    });
  };
  const attempt: Exchange = {
    notify(method, params) {
      if (method === PROGRESS) progress = params;
      exchange.notify(method, params);
    },
    ask(question: Question) {
      hasAsked = true;
      return exchange.ask(question);
    },
    settle(outcome) {
      if (isCancelled || hasAsked || !mayRepeat(outcome, request)) return exchange.settle(outcome);
      // The wire tells first of the call, and then that the session is gone.
      queueMicrotask(() => repeat(outcome));
    },
  };
  let running = first(attempt);
  return {
    cancel(reason) {
      isCancelled = true;
      running.cancel(reason);
    },
  };
}

const PROGRESS = 'notifications/progress';

const isLost = ({ kind }: Outcome): boolean => kind === 'outcome_unknown';

function mayRepeat(outcome: Outcome, { isRepeatable }: SourceRequest): boolean {
  if (!('reason' in outcome)) return false;
  const { code, data } = outcome.reason;
  // A server that refused with a status would refuse again, unless it was the session that it did not know.
  const wasLost = code === 'SERVER_GONE' || (code === 'SERVER_UNREACHABLE' && data?.['status'] === undefined);
  return wasLost && (outcome.kind === 'not_executed' || isRepeatable === true);
}

/** Progress never goes back, as the specification wants it, though the work begins anew. */
function onlyForward(exchange: Exchange, before: ByteText | undefined): Pick<Exchange, 'notify'> {
  let reached = progressOf(before);
  return {
    notify(method, params) {
      if (method === PROGRESS) {
        const now = progressOf(params);
        if (now <= reached) return;
        reached = now;
      }
      exchange.notify(method, params);
    },
  };
}

function progressOf(params: ByteText | undefined): number {
  const { progress } = (params === undefined ? {} : parseBytes(params)) as { progress?: unknown };
  return typeof progress === 'number' ? progress : -Infinity;
}
