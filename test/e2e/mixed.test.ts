/** Two servers, two callers, both eras, many operations at once: each client receives only its own messages. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomSteps } from '../kit/talk/random-steps.ts';
import { openWorld, step, type ServerKind, type World } from '../kit/talk/world.ts';

/** A random seed, shown on failure, unless one is given to repeat a run. */
const SEED = Number(process.env['MIXED_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env['MIXED_RUNS'] ?? 8);

const stdio = (era: ServerKind['era'], settings: object = {}): ServerKind => ({
  transport: 'stdio',
  era,
  settings,
});
const http = (era: ServerKind['era'], settings: object = {}): ServerKind => ({
  transport: 'http',
  era,
  settings,
});

const PAIRS: [name: string, one: ServerKind, two: ServerKind][] = [
  ['stdio legacy and http dual', stdio('legacy'), http('dual')],
  ['stdio modern and http legacy', stdio('modern'), http('legacy')],
  ['stdio legacy and stdio modern', stdio('legacy'), stdio('modern')],
  ['http legacy and http dual', http('legacy'), http('dual')],
  ['stdio dual and http modern', stdio('dual'), http('modern')],
  [
    'stdio legacy by caller and http legacy by session',
    stdio('legacy', { isolation: 'caller' }),
    http('legacy', { isolation: 'session' }),
  ],
];

const IDLE = { calls_in_flight: 0, slots_in_use: 0, streams_open: 0, sessions: 0, upstream: 0 };

/** The hub's activity, from its metrics. */
async function activity({ hub }: World): Promise<Record<string, number>> {
  const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
  const gauges = body.matchAll(/^pincer_(calls_in_flight|slots_in_use|streams_open|sessions) (\d+)$/gm);
  const { servers } = (await hub.control('GET', 'status')).value as { servers: { inFlight: number }[] };
  return {
    ...Object.fromEntries([...gauges].map(([, name, count]) => [name!, Number(count)])),
    upstream: servers.reduce((sum, { inFlight }) => sum + inFlight, 0),
  };
}

/** Kinds of messages that a short run may lack. */
const BY_CHANCE: ReadonlySet<string> = new Set(['overheard', 'withdrawn']);

describe('random operations of both callers at', () => {
  it.each(PAIRS)('%s', async (_name, one, two) => {
    // A short timeout, because some clients never answer. Many connections, because modern clients need one for each
    // call.
    await using world = await openWorld({ one, two }, { questionTimeoutMs: 4_000, maxOwnConnections: 64 });
    const property = fc.asyncProperty(randomSteps, async (steps) => {
      expect(await world.play(steps)).toEqual([]);
    });
    // Timing differs in every run, so shrinking is useless.
    const found = await fc.check(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
    if (found.failed)
      throw new Error(`run ${found.counterexamplePath} of MIXED_SEED=${found.seed}`, {
        cause: found.errorInstance,
      });
    for (const [kind, count] of Object.entries(world.tally()))
      if (!BY_CHANCE.has(kind)) expect([kind, count > 0]).toEqual([kind, true]);
    await expect
      .poll(() => activity(world), { timeout: 10_000 })
      .toMatchObject({ calls_in_flight: 0, upstream: 0 });

    await Promise.all(world.peers.map((peer) => peer.leave()));
    await expect.poll(() => activity(world), { timeout: 10_000 }).toEqual(IDLE);
    expect(await world.play([])).toEqual([]);
    expect(await world.hub.stop()).toBe(0);
  });
});

/** A request whose client accepts no questions. */
const PLAIN = { isAble: false };
const OWN = { isolation: 'session' };

/** Fixed versions of what random runs find only by chance. */
describe('fixed cases', () => {
  it('the first modern calls at a legacy server share nothing, although both detect its era', async () => {
    await using world = await openWorld({ one: stdio('legacy') });
    const complaints = await world.play([
      step('host-modern-http', 'elicit'),
      step('guest-modern-http', 'elicit'),
    ]);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['that was cancelled', 'stubborn,wait40,log', { hearsLogs: true, cancelMs: 15 }],
    ['without logs', 'wait40,log', {}],
  ])(
    'a log message of a call %s reaches no other caller of a modern program',
    async (_name, script, plan) => {
      await using world = await openWorld({ one: stdio('modern') });
      const both = ['host-modern-http', 'guest-stdio'].map((peer) => step(peer, 'wait1'));
      expect(await world.play(both)).toEqual([]);
      const complaints = await world.play([
        step('guest-stdio', script, plan),
        step('host-modern-http', 'wait100', { hearsLogs: true }),
      ]);
      expect(complaints).toEqual([]);
    },
  );

  it.each(['host-stdio', 'host-http'])(
    '%s answers a question of one call after another has ended',
    async (peer) => {
      await using world = await openWorld({ one: stdio('legacy') });
      expect(await world.play([step(peer, 'wait1')])).toEqual([]);
      const complaints = await world.play([
        step(peer, 'wait40'),
        step(peer, 'wait10,elicit', { thinkMs: 100 }),
      ]);
      expect(complaints).toEqual([]);
    },
  );

  it('a call does not time out while its client decides and another call runs', async () => {
    await using world = await openWorld({ one: stdio('legacy', { requestTimeoutMs: 1_000 }) });
    expect(await world.play([step('host-stdio', 'wait1')])).toEqual([]);
    const complaints = await world.play([
      step('host-stdio', 'wait800,progress,wait800', { hasToken: true }),
      step('host-stdio', 'wait10,elicit', { thinkMs: 1_300 }),
    ]);
    expect(complaints).toEqual([]);
  });

  it('a question of a cancelled call reaches no other client of the same caller', async () => {
    await using world = await openWorld({ one: stdio('legacy') });
    const warm = [step('host-modern-http', 'wait1'), step('host-modern-http', 'wait1', {}, 500)];
    expect(await world.play(warm)).toEqual([]);
    const complaints = await world.play([
      step('host-modern-http', 'stubborn,wait60,elicit', { cancelMs: 20 }),
      step('host-modern-stdio', 'wait150', {}, 40),
    ]);
    expect(complaints).toEqual([]);
  });

  it('a question outside of its call reaches no other client of the same caller', async () => {
    await using world = await openWorld({ one: http('legacy') });
    expect(await world.play([step('host-modern-http', 'wait1')])).toEqual([]);
    const complaints = await world.play([
      step('host-modern-http', 'wait150'),
      step('host-modern-stdio', 'wait20,elicit^', {}, 20),
    ]);
    expect(complaints).toEqual([]);
  });

  it.each([
    [
      'in flight',
      [step('host-modern-http', 'wait150', PLAIN), step('host-stdio-plain', 'wait20,elicit', {}, 30)],
    ],
    [
      'that was cancelled',
      [
        step('host-stdio-plain', 'stubborn,wait80,elicit', { cancelMs: 20 }),
        step('host-modern-http', 'wait150', PLAIN, 30),
      ],
    ],
  ])('a forbidden question, for a call %s, ends no other call', async (_name, steps) => {
    await using world = await openWorld({ one: stdio('legacy') });
    expect(await world.play([step('host-modern-http', 'wait1', PLAIN)])).toEqual([]);
    expect(await world.play(steps)).toEqual([]);
  });

  describe.each([
    // Clients over HTTP have no session, and share the connection that belongs to one.
    [
      'clients without a session',
      http('legacy', OWN),
      { asking: 'host-modern-http', other: 'host-modern-http-2' },
    ],
    ['a single pipe', stdio('legacy', OWN), { asking: 'host-modern-stdio', other: 'host-modern-stdio' }],
  ])('with a connection for each session, and %s', (_name, one, { asking, other }) => {
    it.each([
      ['in flight', 'wait20,elicit^', PLAIN],
      ['that was cancelled', 'stubborn,wait60,elicit^', { ...PLAIN, cancelMs: 20 }],
    ])('a forbidden question, for a call %s, ends no other call', async (_state, script, plan) => {
      await using world = await openWorld({ one });
      expect(await world.play([step(other, 'wait1', PLAIN)])).toEqual([]);
      const steps = [step(other, 'wait250', PLAIN), step(asking, script, plan, 30)];
      expect(await world.play(steps)).toEqual([]);
    });
  });

  it.each([stdio('legacy'), http('legacy')])('progress has the token of its round: %o', async (one) => {
    await using world = await openWorld({ one });
    const complaints = await world.play([step('host-modern-http', 'elicit,progress', { hasToken: true })]);
    expect(complaints).toEqual([]);
  });
});
