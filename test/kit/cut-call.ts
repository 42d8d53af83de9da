/** Plays one call of the fixed exchange, cuts it at one byte, and checks the result. */
import type { Era } from '../servers/flags.ts';
import { LOG, PROGRESS, type Leg } from '../servers/scripted/legs.ts';
import type { Cut, Size } from '../servers/scripted/outgoing.ts';
import { cutsOf, differences, playAll } from './cuts.ts';
import type { TestHub } from './hub.ts';
import { openLineClient, type LineClient, type CallRecord } from './line-client.ts';
import { textOf } from './messages.ts';
import { eventually } from './processes.ts';
import { reportRepeat } from './repeats.ts';
import type { Lane } from './scripted-hub.ts';

/** Notifications and questions that the client receives before the answer. */
export const STEPS: readonly string[] = [PROGRESS, LOG, 'elicitation/create'];

export type End = 'ok' | 'outcome_unknown' | 'not_executed';

/** The expected results. Several values mean that a race allows each of them. */
export interface Wanted {
  end: readonly End[];
  received: readonly (readonly string[])[];
  /** How often the server has read the whole call, and the whole repeated call with answers in it. */
  call: readonly number[];
  again: readonly number[];
  /** The server is exiting, so the hub may lose calls before it notices. */
  isDying?: boolean;
}

export type Sizes = ReadonlyMap<Leg, Size>;

/** One direction of a leg, which is cut at each of its bytes. */
export type Part = readonly [leg: Leg, side: Cut['side'], how?: Cut['how']];

export interface Scenario {
  hub: TestHub;
  lanes: readonly Lane[];
  /** The client's era. */
  era: Era;
  parts: readonly Part[];
  /** Replaces the cuts of `parts`. */
  cuts?: readonly Cut[];
  wanted(cut: Cut, sizes: Sizes): Wanted;
  /** Additional cuts for each exchange. */
  also?: (sizes: Sizes) => Cut[];
  /** Each call is the first of its client, so a handshake precedes it. */
  isFirst?: boolean;
  /** Deadlines are short and may pass on a busy machine before the cut. Only then the call is played again. */
  isHasty?: boolean;
}

const HASTY_TRIES = 5;
/** Reported if the deadline passed before the exchange reached the byte to cut. */
const OVERRUN = 'its deadline passed before it was cut';
/** A generous timeout: the call may end before all bytes to be cut have arrived. */
const CUT_MS = 5_000;

const RPC_CODE = { outcome_unknown: -32011, not_executed: -32010 } as const;

export function endOf({ answer }: CallRecord): string {
  const { error } = answer;
  if (error === undefined) return textOf(answer) === 'y' ? 'ok' : JSON.stringify(answer);
  const outcome = error.data?.['outcome'] as keyof typeof RPC_CODE;
  return RPC_CODE[outcome] === error.code ? outcome : JSON.stringify(error);
}

interface Player {
  lane: Lane;
  client: LineClient;
}

/** Plays all cuts and returns the problems found. */
export async function playScenario(scenario: Scenario): Promise<string[]> {
  const { hub, lanes, era, parts, isFirst = false, isHasty = false } = scenario;
  lanes[0]!.sizes.clear();
  const players = await Promise.all(
    lanes.map(async (lane) => ({ lane, client: await openLineClient(hub, lane.name, era) })),
  );
  const sizes = await measure(players[0]!, scenario);
  const cuts = scenario.cuts ?? parts.flatMap(([leg, side, how]) => cutsOf(leg, side, sizes.get(leg)!, how));
  const also = scenario.also?.(sizes) ?? [];
  const problems = await playAll(players, cuts, async ({ lane, client }, cut) => {
    const wanted = scenario.wanted(cut, sizes);
    const once = async (): Promise<string[]> => {
      if (!isFirst) return play({ lane, client }, [...also, cut], wanted);
      await using first = await openLineClient(hub, lane.name, era);
      return await play({ lane, client: first }, [...also, cut], wanted);
    };
    let found = await once();
    const tries = isHasty ? HASTY_TRIES : 1;
    for (let tried = 1; found.includes(OVERRUN) && tried < tries; tried++) {
      reportRepeat('a call whose deadline passed before it was cut', Object.values(cut).join(' '));
      found = await once();
    }
    return found;
  });
  for (const { client } of players) await client[Symbol.asyncDispose]();
  return problems;
}

/** Measures each leg without a cut. */
async function measure({ lane, client }: Player, { also, parts }: Scenario): Promise<Sizes> {
  const whole = await client.call('t');
  if (endOf(whole) !== 'ok') throw new Error(`cannot be measured: ${JSON.stringify(whole)}`);
  const sizes = new Map(lane.sizes);
  if (also !== undefined) {
    lane.cuts = also(sizes);
    await client.call('t');
  }
  // Some legs end after the call.
  if (!(await eventually(() => parts.every(([leg]) => lane.sizes.has(leg)))))
    throw new Error('a leg is missing');
  return new Map([...lane.sizes, ...sizes]);
}

/** Plays one call that is cut and one call after it. */
async function play({ lane, client }: Player, cuts: Cut[], wanted: Wanted): Promise<string[]> {
  const { script } = lane;
  script.forget();
  lane.cuts = cuts;
  const record = await client.call('t');
  const hasOverrun = lane.cuts.length > 0 && record.answer.error?.data?.['code'] === 'CALL_TIMEOUT';
  const seen = {
    end: endOf(record),
    received: record.received,
    call: script.times('call'),
    again: script.times('again'),
  };
  const { isDying = false, ...rest } = wanted;
  const problems = [...(hasOverrun ? [OVERRUN] : []), ...differences(seen, rest)];
  if (!(await eventually(() => lane.cuts.length === 0, CUT_MS))) problems.push('was not cut');
  const isBack = async (): Promise<boolean> => textOf((await client.call('q')).answer) === 'quick';
  if (!(isDying ? await eventually(isBack) : await isBack())) problems.push('the next call fails');
  const ran = script.times('call') + script.times('again');
  if (ran !== seen.call + seen.again) problems.push(`ran once more afterwards`);
  return problems;
}

/** The server has not read the whole request, or its answer did not arrive whole, so the outcome is unknown. */
export const unknown = (received: readonly string[], call: number, again = 0): Wanted => ({
  end: ['outcome_unknown'],
  received: [received],
  call: [call],
  again: [again],
});

export const answered = (server: Era, received = STEPS): Wanted => ({
  end: ['ok'],
  received: [received],
  call: [1],
  again: [server === 'modern' ? 1 : 0],
});

/** Only what arrived whole counts. `steps` is what the client receives before the answer. */
export function wantedOf({ leg, side, at }: Cut, sizes: Sizes, server: Era, steps = STEPS): Wanted {
  const { marks } = sizes.get(leg)!;
  const complete = marks.filter((mark) => mark <= at).length;
  const isWhole = complete === marks.length;
  if (leg === 'call' && side === 'in') return unknown([], 0);
  if (leg === 'call' && !isWhole) return unknown(steps.slice(0, complete), 1);
  if (leg === 'answer' && side === 'in') return unknown(steps, 1);
  if (leg === 'again' && side === 'in') return unknown(steps, 1);
  if (leg === 'again' && !isWhole) return unknown(steps, 1, 1);
  return answered(server, steps);
}

/** The same for a child process: it exits after its last byte, and the hub may still send to it before it notices. */
export function wantedOfChild(cut: Cut, sizes: Sizes, server: Era): Wanted {
  const wanted = { ...wantedOf(cut, sizes, server), isDying: true };
  const isRoundLost = cut.leg === 'call' && server === 'modern' && wanted.end.includes('ok');
  return isRoundLost ? { ...wanted, end: ['ok', 'outcome_unknown'], again: [0, 1] } : wanted;
}
