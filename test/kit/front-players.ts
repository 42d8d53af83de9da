/** Plays cuts of clients, each against its own server. */
import { expect } from 'vitest';
import { bytesToCut, differences, playAll } from './cuts.ts';
import type { Connection } from './http.ts';
import { callText, parseAnswer, textOf } from './messages.ts';
import { eventually } from './processes.ts';
import type { Lane, ScriptedHub } from './scripted-hub.ts';

export interface Player {
  lane: Lane;
  path: string;
  /** A connection that is not cut. */
  connection: Connection;
}

export interface At {
  at: number;
}

/** The same length for each cut. */
export const tagAt = (at: number): string => String(at).padStart(4, '0');

/** The byte positions at which to cut a text. `isWhole` adds a cut after the last byte. */
export const cutsIn = (text: string, isWhole = false): At[] =>
  bytesToCut(text.length + (isWhole ? 1 : 0), endsIn(text)).map((at) => ({ at }));

/** Where headers and events end. */
const endsIn = (text: string): number[] =>
  [...text.matchAll(/\r?\n\r?\n/g)].map(({ index, 0: end }) => index + end.length);

export function playersOf(scripted: ScriptedHub, kind: string): Player[] {
  return scripted.lanes(kind).map((lane) => {
    lane.script.hold = undefined;
    return { lane, path: `/mcp/${lane.name}`, connection: scripted.hub.connect() };
  });
}

export async function expectAll(
  players: Player[],
  cuts: At[],
  play: (player: Player, cut: At) => Promise<string[]>,
): Promise<void> {
  const problems = await playAll(players, cuts, async (player, cut) => {
    const { lane } = player;
    lane.script.forget();
    lane.script.hold = undefined;
    return await play(player, cut);
  });
  for (const { connection } of players) await connection.destroy();
  expect(problems).toEqual([]);
}

/** Checks that the next call works and how many calls have run in total. */
export async function nextRuns({ lane, path, connection }: Player, ran: number[]): Promise<string[]> {
  const answer = parseAnswer((await connection.post(callText('q'), { path })).messages.at(-1)!);
  const seen = { next: textOf(answer), ran: lane.script.times('quick') };
  return differences(seen, { next: ['quick'], ran });
}

/** Checks that every unanswered call was cancelled. */
export async function expectNoneOpen(players: Player[]): Promise<void> {
  expect(await eventually(() => players.every(({ lane }) => lane.script.open.size === 0))).toBe(true);
}
