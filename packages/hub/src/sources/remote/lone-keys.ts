/** On a pipe nothing tells whose question it is, so that a client without a session gets a connection per call. */

import type { Exchange } from '../../core/request.ts';

export interface LoneKeys {
  /** A connection that no other call uses until this one has ended. */
  reserve(key: string, exchange: Exchange): { readonly key: string; readonly exchange: Exchange };
}

export function createLoneKeys(): LoneKeys {
  const taken = new Set<string>();
  return {
    reserve(key, exchange) {
      let index = 0;
      while (taken.has(`${key}/${index}`)) index++;
      const lone = `${key}/${index}`;
      taken.add(lone);
      let isFree = false;
      return {
        key: lone,
        exchange: {
          notify: (method, params) => exchange.notify(method, params),
          ask: (question) => exchange.ask(question),
          settle(outcome) {
            if (!isFree) taken.delete(lone);
            isFree = true;
            exchange.settle(outcome);
          },
        },
      };
    },
  };
}
