import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { policyOf } from '../../../../../test/kit/exec-requests.ts';
import { memoryMachine, type MemoryFile } from '../../../../../test/kit/memory-machine.ts';
import { createExecutor, type StartOf } from './executor.ts';
import type { ExecPolicy } from './policy-file.ts';
import type { ExecRequest } from './read-request.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const executable = (content: string): MemoryFile => ({ content, executable: true });

const read = new Map<string, ExecPolicy>();
/** Parsed once, because parsing would dominate the test. */
function approvals(settings: object): ExecPolicy {
  const key = JSON.stringify(settings);
  const policy = read.get(key) ?? { kind: 'approvals', file: policyOf(settings), hash: '', exists: true };
  read.set(key, policy);
  return policy;
}

/** A separate machine for each pair. */
function bench(policy: object = { defaults: { security: 'full', ask: 'off' } }) {
  const files = new Map<string, MemoryFile>([
    ['/usr/bin/git', executable('git')],
    ['/usr/bin/sh', executable('sh')],
    ['/usr/bin/env', executable('env')],
    ['/usr/bin/tool', { content: '', link: '/opt/tool-1' }],
    ['/opt/tool-1', executable('one')],
    ['/opt/tool-2', executable('two')],
    ['/srv/a/script.sh', { content: 'echo 1' }],
    ['/srv/a/data', { content: 'x' }],
    ['/srv/b/script.sh', { content: 'echo 1' }],
    ['/srv/link', { content: '', link: '/srv/a' }],
  ]);
  const base: Record<string, string> = { PATH: '/usr/bin', HOME: '/srv/a' };
  let current = approvals(policy);
  const executor = createExecutor({
    platform: 'linux',
    base,
    machine: memoryMachine(files, { path: ['/bin', '/usr/bin'] }),
    folder: '/srv/a',
    state: '/srv/state',
    policy: () => current,
  });
  let started = 0;
  return {
    files,
    base,
    setPolicy: (next: ExecPolicy) => void (current = next),
    tighten: (settings: object) => void (current = approvals(settings)),
    assess: async (request: ExecRequest) => {
      const assessed = await executor.assess(request, 'main');
      if ('why' in assessed) throw new Error(assessed.why);
      const { made, verdict } = assessed;
      if (verdict.decision === 'deny') throw new Error(verdict.text);
      return { made, decision: verdict.decision };
    },
    start: (of: StartOf) =>
      executor.startPlanned(of, () => {
        started += 1;
        return Promise.resolve('ran');
      }),
    get started() {
      return started;
    },
  };
}

const request = (argv: readonly string[], more: Partial<ExecRequest> = {}): ExecRequest => ({
  argv,
  cwd: '/srv/link',
  env: {},
  timeoutMs: 1_000,
  ...more,
});

type Bench = ReturnType<typeof bench>;

/** Each changes one thing between the check and the start. The second check is for the returned request. */
const MUTATIONS: Readonly<Record<string, (bench: Bench, asked: ExecRequest, salt: string) => ExecRequest>> = {
  'a word more': (_, asked, salt) => ({ ...asked, argv: [...asked.argv, salt] }),
  'another word': (_, asked, salt) => ({
    ...asked,
    argv: [...asked.argv.slice(0, -1), `${asked.argv.at(-1)}${salt} `],
  }),
  'a word less': (_, asked) => ({ ...asked, argv: asked.argv.slice(0, -1) }),
  'words that are joined': (_, asked) => ({
    ...asked,
    argv: [...asked.argv.slice(0, -2), asked.argv.slice(-2).join(' ')],
  }),
  'another program': (_, asked) => ({
    ...asked,
    argv: [asked.argv[0] === 'git' ? 'sh' : 'git', ...asked.argv.slice(1)],
  }),
  'another folder': (_, asked) => ({ ...asked, cwd: '/srv/b' }),
  'a link that leads elsewhere': ({ files }, asked) => {
    files.set('/srv/link', { content: '', link: '/srv/b' });
    return asked;
  },
  'a variable more': (_, asked, salt) => ({ ...asked, env: { ...asked.env, EXTRA: salt } }),
  'another value': (_, asked, salt) => ({
    ...asked,
    env: { ...asked.env, FIRST: `${asked.env['FIRST']}${salt}.` },
  }),
  'a variable less': (_, asked) => ({ ...asked, env: {} }),
  'another variable of the hub': ({ base }, asked, salt) => {
    base['LANG'] = salt;
    return asked;
  },
  'another content of the script': ({ files }, asked, salt) => {
    files.set('/srv/a/script.sh', { content: `echo 1${salt};` });
    return asked;
  },
  'a missing script': ({ files }, asked) => {
    files.delete('/srv/a/script.sh');
    return asked;
  },
  'another content of every program': ({ files }, asked, salt) => {
    for (const [path, file] of files)
      if (file.executable) files.set(path, executable(`${file.content}${salt}.`));
    return asked;
  },
  'another program under the same name, found first': ({ files }, asked) => {
    for (const name of ['git', 'sh', 'env', 'tool']) files.set(`/bin/${name}`, executable(name));
    // A program that is named by its path is not searched, so it becomes a link.
    files.set('/usr/bin/git', { content: '', link: '/bin/git' });
    return asked;
  },
  'a missing program': ({ files }, asked) => {
    for (const [path, file] of files) if (file.executable) files.delete(path);
    return asked;
  },
  'security deny': ({ tighten }, asked) => {
    tighten({ defaults: { security: 'deny' } });
    return asked;
  },
  'ask deny': ({ tighten }, asked) => {
    tighten({ defaults: { security: 'full', ask: 'deny' } });
    return asked;
  },
  'a policy that cannot be read': ({ setPolicy }, asked) => {
    setPolicy({ kind: 'closed', file: 'exec-approvals.json', why: 'is a link' });
    return asked;
  },
  'no person to ask': ({ tighten }, asked) => {
    tighten({ defaults: { security: 'allowlist', ask: 'off' } });
    return asked;
  },
};

const anyArgv = fc
  .tuple(
    fc.constantFrom(['git'], ['sh'], ['tool'], ['env', 'tool'], ['/usr/bin/git']),
    fc.array(
      fc.string({ maxLength: 8 }).filter((word) => !word.includes('\0')),
      { maxLength: 3 },
    ),
  )
  .map(([program, words]) => [...program, ...words, 'script.sh', 'last']);

const anyPair = fc.record({
  argv: anyArgv,
  value: fc.string({ maxLength: 8 }),
  mutation: fc.constantFrom(...Object.keys(MUTATIONS)),
  salt: fc.string({ minLength: 1, maxLength: 4 }).filter((text) => !text.includes('\0')),
  isAsked: fc.boolean(),
});

const PAIRS = atDepth(3_000, 100_000);

describe('between the check and the start', () => {
  test('no approved plan runs after a change', { timeout: 600_000 }, async () => {
    let ran = 0;
    let refused = 0;
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyPair, async ({ argv, value, mutation, salt, isAsked }) => {
        const one = bench({ defaults: { security: 'full', ask: isAsked ? 'always' : 'off' } });
        const asked = request(argv, { env: { FIRST: value } });
        const { made, decision } = await one.assess(asked);
        const changed = MUTATIONS[mutation]!(one, asked, salt);
        const of = { request: changed, agent: 'main', plan: made.plan, decision };
        await one.start(of).then(
          () => undefined,
          () => void (refused += 1),
        );
        ran += one.started;
        seen.add(mutation);
      }),
      { numRuns: PAIRS },
    );
    expect({ ran, refused }).toEqual({ ran: 0, refused: PAIRS });
    expect(seen.size).toBe(Object.keys(MUTATIONS).length);
  });

  test('an unchanged plan runs, with or without a question', async () => {
    await fc.assert(
      fc.asyncProperty(anyPair, async ({ argv, value, isAsked }) => {
        const one = bench({ defaults: { security: 'full', ask: isAsked ? 'always' : 'off' } });
        const asked = request(argv, { env: { FIRST: value } });
        const { made, decision } = await one.assess(asked);
        const of = { request: asked, agent: 'main', plan: made.plan, decision };
        expect(await one.start(of)).toBe('ran');
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, string]>([
    ['another content of the script', 'changed since it was checked: operands'],
    ['another folder', 'changed since it was checked: cwd, operands'],
    ['a missing program', 'changed since it was checked: path'],
    ['security deny', 'policy-changed-before-execution'],
  ])('the refusal names the change: %s', async (mutation, text) => {
    const one = bench();
    const asked = request(['sh', 'script.sh']);
    const { made } = await one.assess(asked);
    const changed = MUTATIONS[mutation]!(one, asked, 'x');
    const start = one.start({ request: changed, agent: 'main', plan: made.plan, decision: 'allow' });
    await expect(start).rejects.toMatchObject({
      message: expect.stringContaining(text) as string,
      notExecuted: true,
    });
    expect(one.started).toBe(0);
  });

  test('a command that was removed from the list is refused, unless a person approved it', async () => {
    const list = { agents: { main: { allowlist: [{ pattern: '/usr/bin/git', argPattern: '^status$' }] } } };
    const asked = request(['git', 'status']);
    const one = bench(list);
    const { made, decision } = await one.assess(asked);
    expect(decision).toBe('allow');
    one.tighten({});
    const of = { request: asked, agent: 'main', plan: made.plan };
    await expect(one.start({ ...of, decision: 'allow' })).rejects.toThrow('policy-changed-before-execution');
    expect(await one.start({ ...of, decision: 'ask' })).toBe('ran');
  });
});
