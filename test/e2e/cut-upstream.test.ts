/** The connection to a server is cut at every byte of a call, in both directions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answered,
  endOf,
  playScenario,
  STEPS,
  unknown,
  wantedOf,
  wantedOfChild,
  type Part,
  type Scenario,
  type Sizes,
  type Wanted,
} from '../kit/cut-call.ts';
import { startHub } from '../kit/hub.ts';
import { openLineClient } from '../kit/line-client.ts';
import { expectIdle, startScriptedHub, type ScriptedHub } from '../kit/scripted-hub.ts';
import { openHttpLanes } from '../servers/scripted/http.ts';
import type { Cut } from '../servers/scripted/outgoing.ts';
import { verifies } from '../verifies.ts';

const AT_ONCE = 16;
/** No test here should reach this deadline. */
const settings = { requestTimeoutMs: 5_000 };
const LEGACY = { era: 'legacy', body: 'sse', end: 'framed' } as const;
const MODERN = { era: 'modern', body: 'sse', end: 'framed' } as const;
const KINDS = {
  json: { manner: { ...LEGACY, body: 'json' } },
  'json-closed': { manner: { ...LEGACY, body: 'json', end: 'closed' } },
  sse: { manner: LEGACY },
  'sse-closed': { manner: { ...LEGACY, end: 'closed' } },
  // The hub waits a moment before it resumes these.
  ids: { manner: { ...LEGACY, ids: true }, count: 64 },
  'ids-404': { manner: { ...LEGACY, ids: 404 }, count: 64 },
  'ids-405': { manner: { ...LEGACY, ids: 405 }, count: 64 },
  modern: { manner: MODERN },
  pipe: { manner: 'legacy' },
  'modern-pipe': { manner: 'modern' },
} as const;

const CALL: Part[] = [
  ['call', 'in'],
  ['call', 'out'],
];
const ROUNDS: Part[] = [...CALL, ['again', 'in'], ['again', 'out']];

let scripted: ScriptedHub;

beforeAll(async () => {
  const kinds = Object.entries(KINDS).map(([name, kind]) => [name, { count: AT_ONCE, ...kind, settings }]);
  scripted = await startScriptedHub(Object.fromEntries(kinds));
});
afterAll(async () => {
  await scripted[Symbol.asyncDispose]();
});

async function expectAll(kind: keyof typeof KINDS, scenario: Omit<Scenario, 'hub' | 'lanes'>): Promise<void> {
  const { hub, lanes } = scripted;
  const problems = await playScenario({ ...scenario, hub, lanes: lanes(kind) });
  expect(problems).toEqual([]);
  await expectIdle(hub);
}

describe('a legacy server over HTTP', () => {
  const wanted = (cut: Cut, sizes: Sizes): Wanted => wantedOf(cut, sizes, 'legacy');
  const terse = (cut: Cut, sizes: Sizes): Wanted => wantedOf(cut, sizes, 'legacy', []);

  it('with JSON answers', () => expectAll('json', { era: 'legacy', parts: CALL, wanted: terse }));

  it('with JSON answers that end with the connection', () =>
    expectAll('json-closed', { era: 'legacy', parts: CALL, wanted: terse }));

  it('with event streams', () =>
    expectAll('sse', { era: 'legacy', parts: [...CALL, ['answer', 'out']], wanted }));

  it('with event streams that end with the connection', () =>
    expectAll('sse-closed', { era: 'legacy', parts: CALL, wanted }));

  it('with event streams and a modern client, which receives questions as results', () =>
    expectAll('sse', {
      era: 'modern',
      parts: [...CALL, ['answer', 'out']],
      wanted(cut, sizes) {
        const expected = wanted(cut, sizes);
        // A question that is lost at once may not reach the client.
        const isRace = cut.leg === 'call' && cut.side === 'out' && !expected.end.includes('ok');
        return isRace ? { ...expected, received: [...expected.received, STEPS.slice(0, 2)] } : expected;
      },
    }));
});

describe('a legacy server over HTTP with resumable streams', () => {
  const resumed = (cut: Cut, sizes: Sizes): Wanted =>
    cut.leg === 'call' && (cut.side === 'in' || cut.at < sizes.get('call')!.marks[0]!)
      ? { ...wantedOf(cut, sizes, 'legacy'), received: [[]] }
      : answered('legacy');

  it('finishes the call', () => {
    verifies(
      '004-4.5-track-ids',
      '004-4.5-last-event-id',
      '004-4.5-no-cross-replay',
      '004-10-sse-reconnect',
      '004-10-sse-not-cancel',
    );
    return expectAll('ids', { era: 'legacy', parts: CALL, wanted: resumed });
  });

  it('finishes the call even if the resumed stream is cut again', () =>
    expectAll('ids', {
      era: 'legacy',
      parts: [
        ['resume', 'in'],
        ['resume', 'out'],
      ],
      also: (sizes) => [{ leg: 'call', side: 'out', at: sizes.get('call')!.marks[1]!, how: 'close' }],
      wanted: resumed,
    }));

  it.each(['ids-404', 'ids-405'] as const)('and that refuses to resume (%s)', (kind) =>
    expectAll(kind, {
      era: 'legacy',
      parts: [['call', 'out']],
      wanted(cut, sizes) {
        // The first event has no data.
        const [, ...marks] = sizes.get('call')!.marks;
        return wantedOf(cut, new Map([['call', { ...sizes.get('call')!, marks }]]), 'legacy');
      },
    }),
  );
});

describe('a server over HTTP that refuses', () => {
  const REFUSAL = 'HTTP/1.1 403 X\r\ncontent-length: 2\r\n\r\nno'.length;
  const cutsOf = (status: number): Cut[] =>
    Array.from({ length: REFUSAL + 1 }, (_, at) => ({ leg: 'call', side: 'out', at, how: 'close', status }));

  it.each([
    [403, 'has not run the call, if its whole answer arrives', 'not_executed'],
    [503, 'may have run the call', 'outcome_unknown'],
    [500, 'may have run the call', 'outcome_unknown'],
  ] as const)('with %i %s', (status, _what, end) =>
    expectAll('sse', {
      era: 'legacy',
      parts: [],
      cuts: cutsOf(status),
      wanted: ({ at }) => ({ ...unknown([], 0), ...(at === REFUSAL && { end: [end] }) }),
    }),
  );
});

it('a server over HTTP that cannot be reached to resume its stream may have run the call', async () => {
  const lanes = await openHttpLanes(1, { ...LEGACY, ids: true });
  await using hub = await startHub({ servers: { web: { url: lanes.lanes[0]!.url, ...settings } } });
  await using client = await openLineClient(hub, 'web', 'legacy');
  lanes.lanes[0]!.script.hold = () => setImmediate(() => lanes.leave());
  const record = await client.call('t');
  expect(record.received).toEqual(STEPS.slice(0, 2));
  expect(endOf(record)).toBe('outcome_unknown');
  expect(endOf(await client.call('q'))).toBe('not_executed');
});

it('a server over HTTP that closes the connection within a large call may have run it', async () => {
  await using lanes = await openHttpLanes(1, LEGACY);
  const [lane] = lanes.lanes;
  await using hub = await startHub({ servers: { web: { url: lane!.url, ...settings } } });
  await using client = await openLineClient(hub, 'web', 'legacy');
  const large = `{"x":"${'x'.repeat(4_000_000)}"}`;
  expect(endOf(await client.call('t', large))).toBe('ok');
  lane!.script.forget();
  for (const at of [65_536, 100_000, 500_000, 1_000_000, 2_000_000, 3_999_999]) {
    lane!.cuts = [{ leg: 'call', side: 'in', at, how: 'close' }];
    expect(endOf(await client.call('t', large)), String(at)).toBe('outcome_unknown');
    expect(lane!.cuts).toEqual([]);
  }
  expect(lane!.script.times('call')).toBe(0);
  expect(endOf(await client.call('t', large))).toBe('ok');
});

it('a server over HTTP that closes the connection at once has not run the call', async () => {
  await using lanes = await openHttpLanes(1, LEGACY);
  const [lane] = lanes.lanes;
  await using hub = await startHub({ servers: { web: { url: lane!.url, ...settings } } });
  await using client = await openLineClient(hub, 'web', 'legacy');
  for (let round = 0; round < 20; round++) {
    expect(endOf(await client.call('t'))).toBe('ok');
    lane!.script.forget();
    lanes.hangUp(true);
    const record = await client.call('t');
    lanes.hangUp(false);
    expect(['not_executed', 'outcome_unknown']).toContain(endOf(record));
    expect(lane!.script.times('call')).toBe(0);
  }
});

describe('a modern server over HTTP', () => {
  const wanted = (cut: Cut, sizes: Sizes): Wanted => wantedOf(cut, sizes, 'modern');
  it('with a modern client', () => expectAll('modern', { era: 'modern', parts: ROUNDS, wanted }));
  it('with a legacy client, which is asked', () =>
    expectAll('modern', { era: 'legacy', parts: ROUNDS, wanted }));

  it("that refuses a legacy client's answer after it ran the first part of the call", () =>
    expectAll('modern', {
      era: 'legacy',
      parts: [],
      cuts: [{ leg: 'again', side: 'out', at: Infinity, how: 'close', status: 403 }],
      wanted: () => unknown(STEPS, 1),
    }));
});

describe('a server over stdio', () => {
  it('of the legacy era', () =>
    expectAll('pipe', {
      era: 'legacy',
      parts: [...CALL, ['answer', 'in']],
      wanted: (cut, sizes) => wantedOfChild(cut, sizes, 'legacy'),
    }));

  it('of the modern era', () =>
    expectAll('modern-pipe', {
      era: 'modern',
      parts: ROUNDS,
      wanted: (cut, sizes) => wantedOfChild(cut, sizes, 'modern'),
    }));
});
