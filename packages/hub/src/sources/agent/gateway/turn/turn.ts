/** One turn of an agent: a message goes to it, and what it does comes back until it has ended. */
import type { TurnEvent } from '../../answer/turn-event.ts';
import { takeBack, whenFree } from './busy.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { Order } from './request-for.ts';
import { sendTurn } from './send-turn.ts';
import type { RunName, TurnEnd } from './turn-end.ts';
import { inTime } from './in-time.ts';
import { mayBeCut, readWholeText } from './whole-text.ts';

export interface TurnOrder extends Order {
  /** Stops the run in the gateway, too. */
  readonly signal?: AbortSignal | undefined;
  /** From now on it may run, under this name. Undefined: it did not after all, and will under another. */
  onRun?(run: RunName | undefined): void;
  onEvent?(event: TurnEvent): void;
}

export async function runTurn(gateway: Gateway, order: TurnOrder): Promise<TurnEnd> {
  using _held = gateway.hold();
  const { sessionKey, signal } = order;
  const never: TurnEnd = { kind: 'aborted', runId: '', sessionKey, text: '' };
  const isOver = (): boolean => signal?.aborted === true;
  let isSent = false;
  const cancelled = Promise.withResolvers<TurnEnd>();
  const cancel = (): void => {
    if (!isSent) cancelled.resolve(never);
  };
  signal?.addEventListener('abort', cancel);

  async function turn(): Promise<TurnEnd> {
    for (let attempt = 0; !isOver(); attempt++) {
      isSent = true;
      const end = await sendTurn(gateway, order);
      if (end.kind !== 'swallowed') return whole(gateway, end);
      const isBack = await takeBack(gateway, end);
      if (isOver()) return { ...end, kind: 'aborted', text: '' };
      if (!isBack) return end;
      isSent = false;
      order.onRun?.(undefined);
      await whenFree(gateway, end, { attempt, signal });
    }
    return never;
  }

  try {
    return await Promise.race([gateway.keys.run(sessionKey, turn), cancelled.promise]);
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

async function whole(gateway: Gateway, end: TurnEnd): Promise<TurnEnd> {
  if (end.kind !== 'final' || !mayBeCut(end.text, end.wasAway)) return end;
  const read = async (): Promise<string | undefined> => readWholeText(await gateway.connect(), end);
  const text = await inTime(read(), undefined);
  return { ...end, text: text ?? end.text };
}
