/** Delivers one kind of data to the collector, or drops and counts it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/ports.ts';
import type { Sender } from './sender.ts';

export interface Delivery {
  readonly sent: number;
  readonly dropped: number;
  /** `count` is the number of items in the body. Never rejects. */
  deliver(body: string, count: number): Promise<void>;
  drop(count: number): void;
}

export interface DeliveryParts {
  readonly signal: 'traces' | 'metrics';
  readonly sender: Sender;
  readonly log: Log;
  /** Once aborted, a retry no longer waits. */
  readonly ending: AbortSignal;
}

export function createDelivery({ signal, sender, log, ending }: DeliveryParts): Delivery {
  let sent = 0;
  let dropped = 0;
  let isFailing = false;

  function fail(count: number, reason: string): void {
    dropped += count;
    // Logged once until a delivery succeeds again. The metrics have the count.
    if (!isFailing) log.warn('telemetry cannot be delivered and is dropped', { signal, reason });
    isFailing = true;
  }

  return {
    get sent() {
      return sent;
    },
    get dropped() {
      return dropped;
    },
    drop: (count) => fail(count, 'the queue is full'),
    async deliver(body, count) {
      let verdict = await sender.post(signal, body);
      if (verdict.kind === 'later' && !ending.aborted) {
        // Rejects when the hub stops: there is no time left, so the retry follows at once.
        await sleep(verdict.waitMs, undefined, { ref: false, signal: ending }).catch(() => undefined);
        verdict = await sender.post(signal, body);
      }
      if (verdict.kind !== 'taken') return fail(count, verdict.reason);
      sent += count - Math.min(count, verdict.rejected);
      if (verdict.rejected > 0) return fail(Math.min(count, verdict.rejected), 'the collector rejected it');
      isFailing = false;
    },
  };
}
