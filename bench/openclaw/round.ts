/** One gateway, ten conversations, and their times. */
import { loadavg } from 'node:os';
import { startGateway } from '../../test/kit/openclaw/gateway.ts';
import { connectOperator, type Operator } from '../../test/kit/openclaw/operator.ts';
import { whenQuiet } from '../fleet/quiet.ts';
import { refuseWhenEnding, remember } from '../process/running.ts';
import { type Beyond, beyondGateway } from './beyond.ts';
import type { Variant, VariantName } from './variants.ts';

export const CONVERSATIONS = 10;
const NEXT_CALLS = 10;
const TOOL = 'everything__echo';

export interface Round {
  variant: VariantName;
  loadAverage: number;
  /** The very first turn, which also loads code of OpenClaw itself. */
  coldTurnMs: number;
  /** The first turns of the other conversations, with one call each. */
  firstTurnsMs: number[];
  /** Duration of later turns, divided by their calls. */
  nextTurnsMsPerCall: number[];
  /** The calls of later turns, by the gateway's own clock: whole milliseconds. */
  nextCallsMs: number[];
  before: Beyond;
  after: Beyond;
}

export async function measureRound(variant: Variant, round: number): Promise<Round> {
  refuseWhenEnding();
  const [loadAverage = Number.NaN] = loadavg();
  const { name, profile, outside } = variant;
  const gateway = await whenQuiet(() => startGateway(profile));
  remember(gateway.pid);
  try {
    await variant.whenKnown();
    await using operator = await connectOperator(gateway.url);
    const before = beyondGateway(gateway.pid, outside);
    const keys = Array.from({ length: CONVERSATIONS }, (_, index) => `agent:main:${round}-${index}`);
    const [first = '', ...others] = keys;
    const cold = await timed(() => call(operator, first, 1));
    const firstTurns = await whenQuiet(() => inTurn(others, (key) => timed(() => call(operator, key, 1))));
    const nextTurns = await whenQuiet(() =>
      inTurn(keys, (key) => timed(() => call(operator, key, NEXT_CALLS))),
    );
    return {
      variant: name,
      loadAverage,
      coldTurnMs: cold.ms,
      firstTurnsMs: firstTurns.map(({ ms }) => ms),
      nextTurnsMsPerCall: nextTurns.map(({ ms }) => ms / NEXT_CALLS),
      nextCallsMs: nextTurns.flatMap(({ value }) => value),
      before,
      after: beyondGateway(gateway.pid, outside),
    };
  } finally {
    await gateway.stop();
  }
}

/** One turn with this many calls. Returns the duration of each. */
async function call(operator: Operator, key: string, times: number): Promise<number[]> {
  const word = crypto.randomUUID();
  const { text, calls } = await operator.turn(key, `repeat:${times} call:${TOOL} {"message":"${word}"}`);
  if (text !== `RESULT(Echo: ${word})` || calls.length !== times)
    throw new Error(`A turn with ${times} calls ended with ${calls.length}: ${text}`);
  return calls.map(({ ms }) => ms);
}

async function timed<T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await run();
  return { ms: performance.now() - start, value };
}

async function inTurn<T, U>(all: readonly T[], run: (one: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (const one of all) done.push(await run(one));
  return done;
}
