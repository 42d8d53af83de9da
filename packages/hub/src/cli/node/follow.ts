/** Follows a node until its commands may be used, and says at each step what is to be done for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeReport } from '../../control/contract/machine.ts';
import type { OperatorView } from './operator-look.ts';

export interface PairParts {
  /** Undefined: the hub is no node yet. */
  look(): Promise<NodeReport | undefined>;
  /** What only the gateway's people are told. */
  lookAsOperator(): Promise<OperatorView | undefined>;
  /** Where something has to be done: the text is said once. */
  say(text: string): void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
  readonly refusedMs?: number;
}

/** The gateway knows of this node. */
export const isReached = (seen: NodeReport | undefined): seen is NodeReport =>
  seen?.is === 'connected' || seen?.is === 'paired' || seen?.is === 'pending';

const LOOK_MS = 500;
/** A gateway that has not let the node in within this time will not: it was there a moment before. */
const REFUSED_MS = 5_000;

/**
 * Returns the last that was seen of it: connected, or what it was when the wait ended. A node that the gateway has never let in, nor
 * asked anybody to approve, is not waited for.
 */
export async function followPairing(parts: PairParts): Promise<NodeReport | undefined> {
  const { look, say, signal, everyMs = LOOK_MS, refusedMs = REFUSED_MS } = parts;
  let said = '';
  let settled = '';
  let wasReached = false;
  const giveUpAt = performance.now() + refusedMs;
  for (;;) {
    const seen = await look();
    wasReached ||= isReached(seen);
    const isRefused = !wasReached && (seen?.is === 'backoff' || seen?.is === 'off');
    if (isRefused && performance.now() >= giveUpAt) return seen;
    if (seen?.is === 'connected' && (await isSettled(parts, seen))) {
      // Seen twice: it may be about to change.
      const mark = JSON.stringify(seen.commands);
      if (mark === settled) return seen;
      settled = mark;
    } else settled = '';
    const step = seen && settled === '' ? await stepFor(parts, seen) : undefined;
    if (step !== undefined && step !== said) say((said = step));
    if (signal.aborted) return seen;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A node of which some commands are approved may wait for others. */
async function isSettled({ lookAsOperator }: PairParts, { commands }: NodeReport): Promise<boolean> {
  if (commands === undefined || commands.usable.length === commands.declared.length) return true;
  const operator = await lookAsOperator();
  if (operator === undefined) return true;
  // What was approved at this moment, the node knows at the next.
  return (
    operator.requestId === undefined && operator.commands.every((each) => commands.usable.includes(each))
  );
}

async function stepFor({ lookAsOperator }: PairParts, seen: NodeReport): Promise<string | undefined> {
  const { is, requestId, reason, hint } = seen;
  if (is === 'connecting') return undefined;
  if (is === 'pending')
    return approve('This device', `openclaw devices approve ${requestId ?? '<id of openclaw devices list>'}`);
  if (is === 'paired' || is === 'connected') {
    const operator = await lookAsOperator();
    // Approved at this moment: the next look will see it.
    if (operator !== undefined && operator.requestId === undefined) return undefined;
    const id = operator?.requestId ?? '<id of openclaw nodes pending>';
    const here =
      operator === undefined ? '' : "This machine has the gateway's token: it can be run here, too.\n";
    return `${approve('What it can do', `openclaw nodes approve ${id}`)}${here}`;
  }
  return [reason, hint].filter((text) => text !== undefined).join(' ') + '\n';
}

const approve = (what: string, command: string): string =>
  `${what} waits to be approved. On the gateway's machine run:\n  ${command}\n`;
