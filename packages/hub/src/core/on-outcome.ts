import type { Outcome } from './outcome.ts';
import type { Exchange } from './request.ts';

/** The same end of a request, at which somebody looks at the outcome before it is passed on. */
export const onOutcome = (exchange: Exchange, look: (outcome: Outcome) => void): Exchange => ({
  notify: (method, params) => exchange.notify(method, params),
  ask: (question) => exchange.ask(question),
  settle(outcome) {
    look(outcome);
    exchange.settle(outcome);
  },
});
