/** A server stalls at every byte of a call, in both directions, with its connection open. The deadline ends the call. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answered,
  playScenario,
  STEPS,
  unknown,
  wantedOf,
  type Part,
  type Scenario,
} from '../kit/cut-call.ts';
import { atDepth } from '../kit/depth.ts';
import { expectIdle, startScriptedHub, type ScriptedHub } from '../kit/scripted-hub.ts';
import type { Era } from '../servers/flags.ts';

const LEGACY = { era: 'legacy', body: 'sse', end: 'framed' } as const;
const MODERN = { era: 'modern', body: 'sse', end: 'framed' } as const;
const settings = { requestTimeoutMs: 2_000 };
/** Waiting costs no CPU time, so many calls wait at once. */
const KINDS = {
  web: { manner: LEGACY, count: atDepth(64, 256), settings },
  resumed: { manner: { ...LEGACY, ids: true }, count: atDepth(32, 128), settings },
  'modern-web': { manner: MODERN, count: atDepth(64, 256), settings },
  pipe: { manner: 'legacy', count: atDepth(16, 64), settings },
  'modern-pipe': { manner: 'modern', count: atDepth(16, 64), settings },
  'deaf-pipe': { manner: 'legacy', count: atDepth(16, 48), settings },
  'modern-deaf-pipe': { manner: 'modern', count: atDepth(16, 64), settings },
} as const;

let scripted: ScriptedHub;

beforeAll(async () => {
  scripted = await startScriptedHub(KINDS);
});
afterAll(async () => {
  await expectIdle(scripted.hub);
  await scripted[Symbol.asyncDispose]();
});

const stalled = (...parts: Part[]): Part[] => parts.map(([leg, side]) => [leg, side, 'stall']);

async function expectAll(
  kind: keyof typeof KINDS,
  parts: Part[],
  more: Partial<Scenario> & { isDying?: boolean } = {},
): Promise<void> {
  const { hub, lanes } = scripted;
  const { isDying = false, ...rest } = more;
  const server: Era = kind.startsWith('modern') ? 'modern' : 'legacy';
  const problems = await playScenario({
    hub,
    lanes: lanes(kind),
    era: server,
    parts,
    isHasty: true,
    wanted: (cut, sizes) => ({ ...wantedOf(cut, sizes, server), isDying }),
    ...rest,
  });
  expect(problems).toEqual([]);
}

describe.concurrent('over HTTP', () => {
  it('a legacy server', () =>
    expectAll('web', [
      ...stalled(['call', 'in'], ['call', 'out'], ['answer', 'in']),
      // The server waits forever for an answer that was lost.
      ['answer', 'in', 'close'],
    ]));

  it('a legacy server whose stream is resumed', () =>
    expectAll('resumed', stalled(['resume', 'in'], ['resume', 'out']), {
      also: (sizes) => [{ leg: 'call', side: 'out', at: sizes.get('call')!.marks[1]!, how: 'close' }],
      wanted({ side, at }, sizes) {
        const { marks } = sizes.get('resume')!;
        const complete = side === 'in' ? 0 : marks.filter((mark) => mark <= at).length;
        return complete === marks.length ? answered('legacy') : unknown(STEPS.slice(0, 1 + complete), 1);
      },
    }));

  it('a modern server', () =>
    expectAll('modern-web', stalled(['call', 'in'], ['call', 'out'], ['again', 'in'], ['again', 'out'])));
});

describe.concurrent('over stdio, with the rest after the deadline', () => {
  it('a legacy server', () => expectAll('pipe', stalled(['call', 'out'])));
  it('a modern server', () => expectAll('modern-pipe', stalled(['call', 'out'], ['again', 'out'])));
});

describe.concurrent('over stdio, with stdin closed by the server', () => {
  const more = { isFirst: true, isDying: true };
  it('a legacy server', () =>
    expectAll(
      'deaf-pipe',
      [
        ['call', 'in', 'deaf'],
        ['answer', 'in', 'deaf'],
      ],
      more,
    ));
  it('a modern server', () => expectAll('modern-deaf-pipe', [['call', 'in', 'deaf']], more));
});
