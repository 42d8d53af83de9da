/** Random, overlapping operations of random clients. */
import fc from 'fast-check';
import { CLIENTS_EACH, isModern } from './clients.ts';
import type { Plan } from './plan.ts';
import type { Step } from './world.ts';

/** True once in `often` times. */
const seldom = (often: number): fc.Arbitrary<boolean> => fc.nat(often - 1).map((n) => n === 0);

const inScript = fc.oneof(
  { weight: 3, arbitrary: fc.nat(6).map((ms) => `wait${ms}`) },
  { weight: 2, arbitrary: fc.constantFrom('log', 'debug', 'log^') },
  { weight: 2, arbitrary: fc.constant('progress') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('elicit', 'sample', 'roots', 'elicit+sample', 'elicit^', 'roots^'),
  },
);

const atItsEnd = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.nat(20).map((ms) => [`latelog${ms}`]) },
  { weight: 1, arbitrary: fc.nat(20).map((ms) => [`lateroots${ms}`]) },
);

const script = fc
  .tuple(seldom(4), fc.array(inScript, { maxLength: 6 }), atItsEnd)
  .map(([isStubborn, steps, end]) => [...(isStubborn ? ['stubborn'] : []), ...steps, ...end]);

const plan: fc.Arbitrary<Plan> = fc.record({
  server: fc.constantFrom('one', 'two'),
  way: fc.constantFrom('tool', 'tool', 'tool', 'prompt', 'resource'),
  script,
  hasToken: fc.boolean(),
  isAble: seldom(4).map((isPlain) => !isPlain),
  hearsLogs: fc.boolean(),
  thinkMs: fc.nat(8),
  refuses: seldom(10),
  isForged: seldom(5),
  cancelMs: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(25) }),
});

const step: fc.Arbitrary<Step> = fc
  .record({ peer: fc.nat(2 * CLIENTS_EACH - 1), plan, gapMs: fc.oneof(fc.constant(0), fc.nat(5)) })
  .map(({ peer, plan, gapMs }) => ({ peer, plan: isModern(peer) ? promptly(plan) : plan, gapMs }));

/**
 * A legacy server that asks after its answer addresses no particular client. Modern clients have no session, so the
 * question may reach another client of the same credential.
 */
const promptly = (plan: Plan): Plan => ({
  ...plan,
  script: plan.script.filter((step) => !step.startsWith('lateroots')),
});

export const randomSteps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 20, maxLength: 40 });
