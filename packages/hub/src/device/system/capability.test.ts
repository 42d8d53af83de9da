import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemBench } from '../../../../../test/kit/system-bench.ts';

describe('system.which', () => {
  test('returns the paths of the programs that exist', async () => {
    const { call } = systemBench(undefined, { PATH: '/usr/bin' });
    expect(
      await call('system.which', { bins: [' env ', 'no-such-program', '/usr/bin/env', '../bin/env', 5] }),
    ).toEqual({
      bins: { env: '/usr/bin/env' },
    });
  });

  test.each([{}, { bins: [] }, { bins: 'env' }, { bins: [5, ' '] }])(
    '%j has no names to find',
    async (args) => {
      await expect(systemBench().call('system.which', args)).rejects.toThrow('Missing bins parameter');
    },
  );
});

describe('system.execApprovals', () => {
  test('can be read, made stricter with the hash, and read again', async () => {
    const { call, home } = systemBench({ defaults: { security: 'full' } });
    const seen = (await call('system.execApprovals.get')) as { hash: string; file: object };
    expect(seen).toEqual({
      path: join(home, 'exec-approvals.json'),
      exists: true,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      file: { version: 1, defaults: { security: 'full' } },
    });
    const file = { version: 1, defaults: { security: 'allowlist' } };
    const done = await call('system.execApprovals.set', { base_hash: seen.hash, file });
    expect(done).toMatchObject({ exists: true, file });
    expect(await call('system.execApprovals.get')).toEqual(done);
    expect(JSON.parse(readFileSync(join(home, 'exec-approvals.json'), 'utf8'))).toEqual(file);
  });

  test('returns rules that are in force, as its schema describes', async () => {
    const { call, home, commands } = systemBench({});
    rmSync(join(home, 'exec-approvals.json'));
    writeFileSync(
      join(home, 'exec-policy.json'),
      '{"rules": [{"pattern": "ls", "action": "allow", "shells": null}]}',
    );
    const seen = await call('system.execApprovals.get');
    expect(seen).toMatchObject({
      enabled: true,
      defaultAction: 'deny',
      rules: [{ pattern: 'ls', action: 'allow', enabled: true }],
    });
    expect(commands['system.execApprovals.get'].output.parse(seen)).toEqual(seen);
  });

  test('cannot be made less strict remotely', async () => {
    const { call } = systemBench({});
    const { hash } = (await call('system.execApprovals.get')) as { hash: string };
    const file = { version: 1, defaults: { security: 'full' } };
    await expect(call('system.execApprovals.set', { baseHash: hash, file })).rejects.toThrow(
      'Remote exec approval updates cannot make security less restrictive for defaults.',
    );
    await expect(call('system.execApprovals.set', { file })).rejects.toThrow(
      'baseHash is required for exec approvals updates; reload and retry',
    );
  });
});

describe('readiness', () => {
  test.each<[object | undefined, object]>([
    [{}, { available: true, backend: 'exec approvals (allowlist, ask on-miss)' }],
    [
      { defaults: { security: 'deny' } },
      { available: false, reason: 'exec-approvals.json denies every command' },
    ],
    [{ version: 9 }, { available: false, reason: 'exec-approvals.json has an unknown version' }],
  ])('with %j', async (policy, expected) => {
    expect((await systemBench(policy).readiness())[1]).toMatchObject(expected);
  });
});

test('an entry whose program has changed is suspended until it is allowed again', async () => {
  const { prepare, allowAlways, readiness, work, home } = systemBench({});
  const own = join(work, 'own');
  const allow = async () => allowAlways((await prepare({ command: ['./own'] })).subject as never);
  copyFileSync('/usr/bin/true', own);
  await allow();
  expect((await readiness())[1]).not.toHaveProperty('reason');
  copyFileSync('/usr/bin/id', own);
  expect((await readiness())[1]).toMatchObject({
    available: true,
    reason: `Suspended: \`./own\` (${own} has changed)`,
    hint: expect.stringContaining('pincer approvals allow ID --always') as string,
  });
  expect((await prepare({ command: ['./own'] })).decision).toBe('ask');
  await allow();
  expect((await readiness())[1]).not.toHaveProperty('reason');
  expect((await prepare({ command: ['./own'] })).decision).toBe('allow');
  const file = JSON.parse(readFileSync(join(home, 'exec-approvals.json'), 'utf8')) as {
    agents: { main: { allowlist: object[] } };
  };
  expect(file.agents.main.allowlist.length).toBe(1);
  rmSync(own);
  expect((await readiness())[1]).toMatchObject({ reason: 'Suspended: `./own` (no such command: ./own)' });
});

test('entries without an effect are suspended, with the reason', async () => {
  const allowlist = [
    { pattern: '/usr/bin/ls' },
    { pattern: '/usr/bin/make', argPattern: '^test\0$' },
    { pattern: '/usr/bin/git', argPattern: '^status\0$' },
  ];
  const { readiness } = systemBench({ agents: { main: { allowlist } } });
  expect((await readiness())[1]).toMatchObject({
    reason:
      'Suspended: `/usr/bin/ls` (it has no "argPattern", so it allows no arguments), `/usr/bin/make` (make runs code from files that cannot all be listed)',
  });
});

test('arguments are described for models', () => {
  const { commands } = systemBench();
  for (const { input } of Object.values(commands)) {
    const { properties = {}, required } = z.toJSONSchema(input, { io: 'input' });
    expect(required).toBeUndefined();
    for (const property of Object.values(properties)) expect(property).toHaveProperty('description');
  }
  expect(z.toJSONSchema(commands['system.run'].input, { io: 'input' }).properties?.['command']).toMatchObject(
    {
      anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
    },
  );
});
