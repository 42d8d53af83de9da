/** Spans that wait to be sent: bounded, in batches, one batch under way at a time. */
import type { Delivery } from './delivery.ts';
import type { CallSpan } from './span.ts';

const MAX_WAITING = 8_192;
/** About half a megabyte. */
const BATCH = 1_024;
const MAX_DELAY_MS = 5_000;

export interface SpanQueue {
  readonly waiting: number;
  add(span: CallSpan): void;
  /** Sends all that waits now; resolves when it has been delivered or dropped. */
  drain(): Promise<void>;
}

export interface SpanQueueParts {
  readonly delivery: Delivery;
  readonly maxDelayMs: number;
  encode(spans: readonly CallSpan[]): string;
}

export function createSpanQueue({ delivery, maxDelayMs, encode }: SpanQueueParts): SpanQueue {
  const delayMs = Math.min(maxDelayMs, MAX_DELAY_MS);
  let spans: CallSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let draining: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (spans.length > 0) {
      const batch = spans.slice(0, BATCH);
      spans = spans.slice(BATCH);
      await delivery.deliver(encode(batch), batch.length);
    }
  }

  function drain(): Promise<void> {
    clearTimeout(timer);
    clearImmediate(immediate);
    timer = undefined;
    immediate = undefined;
    draining ??= sendAll().finally(() => (draining = undefined));
    return draining;
  }

  return {
    get waiting() {
      return spans.length;
    },
    add(span) {
      if (spans.length >= MAX_WAITING) return delivery.drop(1);
      spans.push(span);
      if (draining !== undefined) return;
      if (spans.length < BATCH) timer ??= setTimeout(() => void drain(), delayMs).unref();
      else immediate ??= setImmediate(() => void drain()).unref();
    },
    drain,
  };
}
