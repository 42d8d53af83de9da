/** Plays a fixed exchange once for every byte at which it can be cut, many at a time. */
import type { Leg } from '../servers/scripted/legs.ts';
import type { Cut, Size } from '../servers/scripted/outgoing.ts';
import { sampled } from './depth.ts';

/** In `npm test`, a tenth of the bytes away from a boundary are cut. */
const SHARE = 0.1;

/** Cuts after each byte of a leg, and after the last byte only if something is left to cut. */
export function cutsOf(leg: Leg, side: Cut['side'], size: Size, how: Cut['how'] = 'close'): Cut[] {
  const count = side === 'in' ? size.in : size.out + (how === 'close' ? 1 : 0);
  const boundaries = side === 'in' ? [] : size.marks;
  return bytesToCut(count, boundaries).map((at) => ({ leg, side, at, how }));
}

/** The first and last bytes, those beside each boundary, and a sample of the others. A deep run returns all. */
export function bytesToCut(count: number, boundaries: readonly number[] = []): number[] {
  const all = Array.from({ length: count }, (_, at) => at);
  const near = [0, count - 1, ...boundaries];
  return sampled(all, SHARE, (at) => near.some((boundary) => Math.abs(at - boundary) <= 1));
}

/** Stops after this many problems. */
const MAX_PROBLEMS = 20;

/** Each lane plays its cuts one after the other. Returns the problems found, with the cut. */
export async function playAll<L, C extends object>(
  lanes: readonly L[],
  cuts: readonly C[],
  play: (lane: L, cut: C) => Promise<string[]>,
): Promise<string[]> {
  const problems: string[] = [];
  const left = cuts.values();
  await Promise.all(
    lanes.map(async (lane) => {
      // All lanes share the iterator, so each cut is played once.
      for (const cut of left) {
        if (problems.length >= MAX_PROBLEMS) return;
        const found = await play(lane, cut).catch((error: unknown) => [String(error)]);
        for (const problem of found) problems.push(`${Object.values(cut).join(' ')}: ${problem}`);
      }
    }),
  );
  return problems;
}

/** The members whose seen value is not one of the wanted values. */
export function differences(seen: object, wanted: object): string[] {
  return Object.entries(wanted).flatMap(([key, values]) => {
    const is = JSON.stringify(seen[key as keyof typeof seen]);
    const should = (values as unknown[]).map((value) => JSON.stringify(value));
    return should.includes(is) ? [] : [`${key} is ${is}, not ${should.join(' or ')}`];
  });
}
