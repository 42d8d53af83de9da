/** The connection to a server is cut at every byte of its handshake, in both directions. */
import { describe, expect, it } from 'vitest';
import { answered, playScenario, type Part, type Scenario, type Wanted } from '../kit/cut-call.ts';
import { cutsOf, playAll } from '../kit/cuts.ts';
import { callText, parseAnswer, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { expectIdle, startScriptedHub, type Kind, type Lane } from '../kit/scripted-hub.ts';
import type { Era } from '../servers/flags.ts';
import type { Cut } from '../servers/scripted/outgoing.ts';

const LEGACY = { era: 'legacy', body: 'sse', end: 'framed' } as const;
const MODERN = { era: 'modern', body: 'sse', end: 'framed' } as const;

/** Servers per hub. With very many, each change costs the hub more. */
const SERVERS = 300;
/** A generous timeout: the retry follows after one or two seconds. */
const BACK_MS = 20_000;

describe("before a client's first call, which is then not executed", () => {
  const NEVER: Wanted = { end: ['not_executed'], received: [[]], call: [0], again: [0] };
  /** The child is exiting when the call is sent to it. */
  const LOST: Wanted = { ...NEVER, end: ['not_executed', 'outcome_unknown'], isDying: true };

  it.each<[string, Kind['manner'], Era, Pick<Scenario, 'parts' | 'wanted'>]>([
    [
      'over HTTP',
      LEGACY,
      'legacy',
      {
        parts: bothSides('initialize', 'initialized', 'listen'),
        wanted: ({ leg, side, at }, sizes) =>
          leg === 'initialize' && (side === 'in' || at < sizes.get(leg)!.out) ? NEVER : answered('legacy'),
      },
    ],
    [
      'over stdio',
      'legacy',
      'legacy',
      {
        parts: [...bothSides('initialize'), ['initialized', 'in']],
        wanted: ({ leg, side, at }, sizes) =>
          leg === 'initialize' && (side === 'in' || at < sizes.get(leg)!.out) ? NEVER : LOST,
      },
    ],
    [
      'over stdio in the modern era',
      'modern',
      'modern',
      {
        parts: bothSides('discover'),
        wanted: ({ side, at }, sizes) => (side === 'in' || at < sizes.get('discover')!.out ? NEVER : LOST),
      },
    ],
  ])('%s', async (_what, manner, era, scenario) => {
    await using scripted = await startScriptedHub({ one: { manner, count: 16 } });
    const { hub } = scripted;
    const problems = await playScenario({
      ...scenario,
      hub,
      lanes: scripted.lanes('one'),
      era,
      isFirst: true,
    });
    expect(problems).toEqual([]);
    await expectIdle(hub);
  });
});

function bothSides(...legs: Part[0][]): Part[] {
  return legs.flatMap((leg): Part[] => [
    [leg, 'in'],
    [leg, 'out'],
  ]);
}

describe('at the start of the hub, which then reconnects by itself', () => {
  it.each<[string, Kind['manner'], Part[]]>([
    // The other legs are the same as for a client's own connection.
    ['a legacy server over HTTP', LEGACY, bothSides('discover', 'list')],
    ['a modern server over HTTP', MODERN, bothSides('discover', 'list')],
    ['a legacy server over stdio', 'legacy', bothSides('list')],
    ['a modern server over stdio', 'modern', bothSides('initialize', 'list')],
  ])('%s', async (_what, manner, parts) => {
    const cuts = await measure(manner, parts);
    const problems: string[] = [];
    for (let from = 0; from < cuts.length; from += SERVERS)
      problems.push(...(await startCut(manner, cuts.slice(from, from + SERVERS))));
    expect(problems).toEqual([]);
  });
});

/** Starts one hub with a server for each cut. Returns the problems until all servers answer. */
async function startCut(manner: Kind['manner'], cuts: Cut[]): Promise<string[]> {
  const prepare = (lane: Omit<Lane, 'name'>, index: number): void => void lane.cuts.push(cuts[index]!);
  await using scripted = await startScriptedHub({ one: { manner, count: cuts.length, prepare } });
  const { hub } = scripted;
  const lanes = scripted.lanes('one');
  const players = Array.from({ length: 64 }, () => hub.connect());
  const numbered = cuts.map((cut, index) => ({ index, ...cut }));
  const problems = await playAll(players, numbered, async (connection, { index }) => {
    const { name, script } = lanes[index]!;
    const ends: string[] = [];
    const isBack = async (): Promise<boolean> => {
      const { messages } = await connection.post(callText('q'), { path: `/mcp/${name}` });
      const answer = parseAnswer(messages.at(-1)!);
      ends.push((answer.error?.data?.['outcome'] as string | undefined) ?? textOf(answer));
      return ends.at(-1) === 'quick';
    };
    if (!(await eventually(isBack, BACK_MS, 100))) return ['it never came back'];
    const wrong = ends.slice(0, -1).filter((end) => end !== 'not_executed');
    return script.times('quick') === 1 ? wrong : [...wrong, `ran ${script.times('quick')} times`];
  });
  await expectIdle(hub);
  return problems;
}

async function measure(manner: Kind['manner'], parts: Part[]): Promise<Cut[]> {
  await using scripted = await startScriptedHub({ one: { manner, count: 1 } });
  const { sizes } = scripted.lanes('one')[0]!;
  expect(await eventually(() => parts.every(([leg]) => sizes.has(leg)))).toBe(true);
  return parts.flatMap(([leg, side]) => cutsOf(leg, side, sizes.get(leg)!));
}
