/** A faulty third-party capability does not affect the others. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Capability, Command } from './capability.ts';
import { createRegistry, type CapabilityRegistry } from './registry.ts';

const GOOD: Command = {
  description: 'tries',
  input: z.object({}),
  output: z.object({}),
  annotations: { title: 'Try', readOnlyHint: true },
  run: () => ({}),
};

const capability = (category: string, more: object = {}, command: object = {}): Capability => ({
  category,
  commands: new Map([[`${category}.it`, { ...GOOD, ...command } as Command]]),
  ...more,
});

interface Tried {
  registry: CapabilityRegistry;
  warnings: string[];
}

function open(): Tried {
  const warnings: string[] = [];
  const registry = createRegistry({
    isOn: () => true,
    log: { warn: (message) => warnings.push(message) },
    limits: { checkMs: 20, closeMs: 20 },
  });
  return { registry, warnings };
}

const NEVER = { forever: () => new Promise<never>(() => undefined) };

describe('a capability that cannot be offered', () => {
  it.each([
    ['no arguments', { input: undefined }],
    ['arguments of another library', { input: { safeParse: () => ({ success: true }) } }],
    ['no annotations', { annotations: undefined }],
  ])('with %s is rejected, and the others stay', (_, command) => {
    const { registry } = open();
    registry.register(capability('good'));
    expect(() => registry.register(capability('bad', {}, command))).toThrow('bad.it cannot be offered');
    registry.register(capability('later'));
    expect(registry.list().map(({ name }) => name)).toEqual(['good.it', 'later.it']);
  });

  it.each(['', 'a b', 'ü', 'a\nb', 'x'.repeat(129)])('with a command named %j is rejected', (name) => {
    const { registry } = open();
    const named = { category: 'bad', commands: new Map([[name, GOOD]]) };
    expect(() => registry.register(named)).toThrow('is not a valid name of a command');
    expect(registry.capabilities).toEqual([]);
  });
});

describe('a capability whose readiness check fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('/a/path');
      },
    ],
    ['rejects', () => Promise.reject(new Error('/a/path'))],
    ['never answers', NEVER.forever],
  ])('(it %s) is unavailable, and the others are reported', async (_, readiness) => {
    const { registry, warnings } = open();
    registry.register(capability('bad', { readiness }));
    registry.register(capability('good'));
    const [bad, good] = await registry.readiness();
    expect(bad?.states).toMatchObject([{ commands: ['bad.it'], available: false }]);
    expect(JSON.stringify(bad)).not.toContain('/a/path');
    expect(good?.states).toMatchObject([{ available: true }]);
    expect(warnings).toHaveLength(1);
  });
});

it('closes a capability that is switched off or unregistered', () => {
  const on = new Set(['one', 'two']);
  const ended: string[] = [];
  const registry = createRegistry({ isOn: (name) => on.has(name) });
  const closing = (name: string): Capability => capability(name, { close: () => void ended.push(name) });
  registry.register(closing('one'));
  const takeAway = registry.register(closing('two'));
  registry.reconsider();
  expect(ended).toEqual([]);
  on.delete('one');
  registry.reconsider();
  registry.reconsider();
  expect(ended).toEqual(['one']);
  takeAway();
  expect(ended).toEqual(['one', 'two']);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('not me');
    },
  ],
  ['rejects', () => Promise.reject(new Error('not me'))],
  ['never ends', NEVER.forever],
])('closes the other capabilities even if one %s', async (_, close) => {
  const { registry, warnings } = open();
  let ended = 0;
  registry.register(capability('bad', { close }));
  registry.register(capability('good', { close: () => void (ended += 1) }));
  await registry.close();
  expect(ended).toBe(1);
  expect(warnings).toHaveLength(1);
});

describe('a capability that cannot work here', () => {
  const LACK = { available: false, reason: 'no program', hint: 'Install it.' } as const;

  it('is listed until the first check, and again when it works', async () => {
    const { registry } = open();
    let isInstalled = false;
    const commands = ['tool.it'];
    const readiness = async () => [
      isInstalled ? { commands, available: true as const, backend: 'program' } : { commands, ...LACK },
    ];
    registry.register(capability('tool', { readiness }));
    registry.register(capability('other'));
    const names = (): string[] => registry.list().map(({ name }) => name);
    let changes = 0;
    registry.onChange(() => changes++);
    expect(names()).toEqual(['tool.it', 'other.it']);
    await registry.readiness();
    await registry.readiness();
    expect({ names: names(), changes }).toEqual({ names: ['other.it'], changes: 1 });
    expect(registry.lackOf('tool.it')).toMatchObject(LACK);
    // The command itself reports what is missing to callers.
    expect(registry.find('tool.it')).toBeDefined();
    isInstalled = true;
    await registry.readiness();
    expect({ names: names(), changes }).toEqual({ names: ['tool.it', 'other.it'], changes: 2 });
    expect(registry.lackOf('tool.it')).toBeUndefined();
  });

  it('stays listed if only a rule of the person forbids it', async () => {
    const { registry } = open();
    const readiness = async () => [{ commands: ['run.it'], ...LACK, isRule: true }];
    registry.register(capability('run', { readiness }));
    await registry.readiness();
    expect(registry.list().map(({ name }) => name)).toEqual(['run.it']);
  });

  it('is decided by the newest check, even if an older one ends later', async () => {
    const { registry } = open();
    const older = Promise.withResolvers<readonly object[]>();
    const answers = [
      older.promise,
      Promise.resolve([{ commands: ['tool.it'], available: true, backend: 'x' }]),
    ];
    registry.register(capability('tool', { readiness: () => answers.shift() }));
    const first = registry.readiness();
    await registry.readiness();
    older.resolve([{ commands: ['tool.it'], ...LACK }]);
    await first;
    expect(registry.list()).toHaveLength(1);
  });
});
