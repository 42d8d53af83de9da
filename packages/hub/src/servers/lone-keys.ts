/**
 * Not every question tells whose it is: on a pipe none does, and over HTTP it may come outside of its call. So a client
 * without a session, who hears of it in the answer of the call, gets a connection per call.
 */
import { PincerError } from '../core/errors.ts';
import { onOutcome, type Exchange } from '../core/request.ts';

export interface LoneKeys {
  /**
   * A connection that no other call uses until this one has ended. Throws where the caller has its share already and
   * `makeRoom` has given up nothing.
   */
  reserve(
    key: string,
    caller: string,
    exchange: Exchange,
    makeRoom?: () => boolean,
  ): { readonly key: string; readonly exchange: Exchange };
}

/** `max`: how many one caller may have, so that calls which wait for a person do not lock others out. */
export function createLoneKeys(max: number): LoneKeys {
  const taken = new Set<string>();
  const counts = new Map<string, number>();

  function free(key: string, caller: string): void {
    taken.delete(key);
    const left = counts.get(caller)! - 1;
    if (left === 0) counts.delete(caller);
    else counts.set(caller, left);
  }

  return {
    reserve(key, caller, exchange, makeRoom = () => false) {
      // A client that does not come back for its calls must not lock itself out.
      while ((counts.get(caller) ?? 0) >= max) if (!makeRoom()) throw tooMany(max);
      const count = counts.get(caller) ?? 0;
      let index = 0;
      while (taken.has(`${key}/${index}`)) index++;
      const lone = `${key}/${index}`;
      taken.add(lone);
      counts.set(caller, count + 1);
      let isFree = false;
      return {
        key: lone,
        exchange: onOutcome(exchange, () => {
          if (!isFree) free(lone, caller);
          isFree = true;
        }),
      };
    },
  };
}

const tooMany = (max: number): PincerError =>
  new PincerError(
    'SERVER_BUSY',
    `${max} calls of this caller are under way at this server, each on a connection of its own.`,
    {
      hint: 'Try again when one has ended, or raise limits.maxOwnConnections.',
    },
  );
