import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemBench } from '../../../../../test/kit/system-bench.ts';
import { processStart } from '../../owner/process-identity.ts';
import { createPreparedPlans } from './run.ts';

const OPEN_CLAW = { agent: 'main', session: 's1' };

describe('a command', () => {
  test('gets its words unchanged, without a shell', async () => {
    const { run } = systemBench();
    expect(await run({ command: ['printf', '%s|', '$HOME', '`id`', '*', 'a b', ''] })).toEqual({
      stdout: '$HOME|`id`|*|a b||',
      stderr: '',
      exitCode: 0,
      timedOut: false,
      durationMs: expect.any(Number) as number,
      success: true,
      truncated: false,
    });
  });

  test('may be a line, also with further words', async () => {
    const { run } = systemBench();
    expect(await run({ command: "echo 'a  b' c" })).toMatchObject({ stdout: 'a  b c' });
    expect(await run({ command: 'echo a', args: ['b  c'] })).toMatchObject({ stdout: 'a b  c' });
  });

  test('returns its exit code and errors as a result', async () => {
    const { run } = systemBench();
    expect(await run({ command: ['sh', '-c', 'echo "no  " >&2; exit 7'] })).toMatchObject({
      stdout: '',
      stderr: 'no',
      exitCode: 7,
      success: false,
    });
  });

  test('starts the exact path of its plan, under the given name', async () => {
    const { run, runs } = systemBench();
    await run({ command: ['sh', '-c', 'echo hi'] });
    expect(runs).toMatchObject([{ command: realpathSync('/bin/sh'), argv0: 'sh', args: ['-c', 'echo hi'] }]);
  });

  test('runs in the home folder, or in the given one', async () => {
    const { run, work } = systemBench();
    mkdirSync(join(work, 'sub'));
    expect(await run({ command: ['pwd'] })).toMatchObject({ stdout: work });
    expect(await run({ command: ['pwd'], cwd: join(work, 'sub') })).toMatchObject({
      stdout: join(work, 'sub'),
    });
  });

  test('gets its variables and the usual ones, but no secrets of the hub', async () => {
    const { run } = systemBench(undefined, { OPENAI_API_KEY: 'sk-1', LANG: 'C' });
    const { stdout } = await run({ command: ['env'], env: { GREETING: 'hi' } });
    expect(stdout.split('\n').map((line) => line.split('=')[0])).toEqual(
      expect.arrayContaining(['PATH', 'HOME', 'LANG', 'GREETING']),
    );
    expect(stdout).not.toContain('sk-1');
  });

  test('reads and writes UTF-8', async () => {
    const { run } = systemBench();
    expect(await run({ command: ['echo', 'žluťoučký 🐴'] })).toMatchObject({ stdout: 'žluťoučký 🐴' });
  });

  test('keeps 200 KiB of a stream, and reports the dropped rest', async () => {
    const { run } = systemBench();
    const { stdout, stderr, truncated } = await run({
      command: ['sh', '-c', 'head -c 300000 /dev/zero | tr "\\0" x; echo small >&2'],
    });
    expect(stdout).toMatch(/^x{204800}\n\[95200 more bytes were dropped: the limit per stream is 204800\]$/);
    expect({ stderr, truncated }).toEqual({ stderr: 'small', truncated: true });
  });

  test('is stopped after its timeout, with all its child processes', async () => {
    const { run } = systemBench();
    const script = `sh -c 'trap "" TERM; sleep 60 & sleep 60' & echo $!; sleep 60`;
    const result = await run({ command: ['sh', '-c', script], timeoutMs: 400 });
    expect(result).toMatchObject({ exitCode: -1, timedOut: true, success: false });
    expect(processStart(Number(result.stdout))).toBeUndefined();
  });

  test('ends even if another process keeps its output open', async () => {
    const { run } = systemBench();
    const { stdout, exitCode } = await run({ command: ['sh', '-c', 'setsid sleep 30 & echo $!'] });
    expect(exitCode).toBe(0);
    process.kill(Number(stdout), 'SIGKILL');
  });

  test('is stopped when the caller cancels', async () => {
    const { run, contextOf } = systemBench();
    const context = contextOf(undefined, AbortSignal.timeout(300));
    await expect(run({ command: ['sleep', '60'] }, context)).rejects.toThrow('cancelled');
  });
});

describe('a command that cannot be started returns the reason as a result', () => {
  test.each<[object, RegExp]>([
    [{ command: ['no-such-program'] }, /^Failed to start: no such command: no-such-program$/],
    [
      { command: ['ls'], cwd: '/no/such' },
      /^Failed to start: the working folder does not exist: \/no\/such$/,
    ],
    [{ command: ['./broken'] }, /^Failed to start: /],
  ])('%j', async (args, stderr) => {
    const { run, work } = systemBench();
    writeFileSync(join(work, 'broken'), '#!/no/such/interpreter\n', { mode: 0o755 });
    expect(await run(args)).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(stderr) as string,
      exitCode: -1,
      success: false,
    });
  });

  test('unless the policy denies everything', async () => {
    const { judge } = systemBench({ defaults: { security: 'deny' } });
    expect(await judge({ command: ['no-such-program'] })).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('exec-approvals-v2: SecurityDeny (security=deny)') as string,
    });
  });
});

describe('an invalid request is refused', () => {
  test.each<[object, string]>([
    [{}, 'Missing command parameter'],
    [{ command: ['a', 1] }, 'exec-approvals-v2: ValidationFailed (malformed-command)'],
    [{ command: 'ls | wc' }, 'exec-approvals-v2: ValidationFailed (shell-syntax)'],
    [{ command: 'ls', shell: 'bash' }, 'exec-approvals-v2: ValidationFailed (shell-not-supported)'],
    [
      { command: ['ls'], env: { LD_PRELOAD: 'x' } },
      'Unsafe environment variable override blocked: LD_PRELOAD',
    ],
    [{ command: ['ls'], cwd: 'relative' }, 'exec-approvals-v2: ResolutionFailed (not-runnable)'],
  ])('%j: %s', async (args, text) => {
    const { prepare, runs } = systemBench();
    await expect(prepare(args)).rejects.toMatchObject({ message: text, notExecuted: true });
    expect(runs).toEqual([]);
  });
});

describe('the subject of an approval', () => {
  test('contains everything that decides what runs', async () => {
    const { prepare, work } = systemBench({});
    writeFileSync(join(work, 'job.sh'), 'echo 1');
    const { decision, subject } = await prepare({ command: ['sh', 'job.sh'], env: { A: 'b' } });
    expect(decision).toBe('ask');
    expect(subject).toMatchObject({
      argv: ['sh', 'job.sh'],
      path: realpathSync('/bin/sh'),
      cwd: work,
      env: { A: 'b' },
      envHash: expect.stringMatching(/^sha256:/) as string,
      operands: [{ path: realpathSync('/bin/sh') }, { path: join(work, 'job.sh') }],
    });
    expect((await prepare({ command: ['sh', 'job.sh'], env: { A: 'b' } })).subject).toEqual(subject);
  });

  test('is refused if it is too long to be shown in full', async () => {
    const { prepare } = systemBench({});
    const long = ['echo', ' '.repeat(100_000), '; rm -rf /'];
    await expect(prepare({ command: long })).rejects.toMatchObject({
      message: 'exec-approvals-v2: ValidationFailed (command-too-long-to-show)',
      notExecuted: true,
    });
    const many = ['echo', ...Array.from({ length: 1_000 }, () => 'a-word-that-is-long')];
    await expect(prepare({ command: many })).rejects.toThrow('command-too-long-to-show');
  });

  test('may be longer if no approval is needed', async () => {
    const { run } = systemBench();
    expect((await run({ command: ['echo', 'x'.repeat(50_000)] })).stdout.length).toBe(50_000);
  });

  test('does not run if it has changed in the meantime', async () => {
    const { prepare, work, contextOf, runs } = systemBench({});
    const script = join(work, 'job.sh');
    writeFileSync(script, 'echo 1');
    const asked = await prepare({ command: ['sh', script] });
    writeFileSync(script, 'echo 2');
    await expect(asked.run(contextOf())).rejects.toMatchObject({
      message: 'exec-approvals-v2: ResolutionFailed (changed since it was checked: operands)',
      notExecuted: true,
    });
    expect(runs).toEqual([]);
  });

  test('does not run if it changes at the moment of its start', async () => {
    const { prepare, work, contextOf, beforeRun } = systemBench({});
    const script = join(work, 'job.sh');
    writeFileSync(script, 'echo 1');
    const asked = await prepare({ command: ['sh', script] });
    beforeRun(() => writeFileSync(script, `echo 2 >${join(work, 'evil')}`));
    await expect(asked.run(contextOf())).rejects.toMatchObject({
      message: 'exec-approvals-v2: ResolutionFailed (changed during the start)',
      hint: expect.stringMatching(/^The command was not run\./) as string,
      code: 'EXEC_PLAN_CHANGED',
      notExecuted: true,
    });
    expect(existsSync(join(work, 'evil'))).toBe(false);
  });

  test('may change its own files while it runs', async () => {
    const { run, work } = systemBench();
    writeFileSync(join(work, 'once.sh'), 'echo done >>notes\nrm -f -- "$0"\necho result\n');
    writeFileSync(join(work, 'notes'), 'before\n');
    expect(await run({ command: ['sh', 'once.sh', 'notes'] })).toMatchObject({
      stdout: 'result',
      exitCode: 0,
    });
    expect(readFileSync(join(work, 'notes'), 'utf8')).toBe('before\ndone\n');
    expect(existsSync(join(work, 'once.sh'))).toBe(false);
  });

  test('does not run if the policy forbids it in the meantime', async () => {
    const { prepare, setPolicy, contextOf, runs } = systemBench({});
    const asked = await prepare({ command: ['echo', 'a'] });
    setPolicy({ defaults: { security: 'deny' } });
    await expect(asked.run(contextOf())).rejects.toMatchObject({
      message: 'exec-approvals-v2: SecurityDeny (policy-changed-before-execution)',
      notExecuted: true,
    });
    expect(runs).toEqual([]);
  });

  test('needs no second approval if it was allowed for good, unlike any other', async () => {
    const { prepare, allowAlways, work, home } = systemBench({});
    const { subject } = await prepare({ command: ['echo', 'a'] });
    allowAlways(subject as never);
    expect(existsSync(join(home, 'exec-approvals.json'))).toBe(true);
    const decisions = [
      { command: ['echo', 'a'] },
      { command: ['echo', 'b'] },
      { command: ['echo', 'a', 'x'] },
      { command: ['echo', 'a'], cwd: join(work, '..') },
      { command: ['echo', 'a'], env: { A: 'b' } },
      { command: ['env', 'echo', 'a'] },
    ].map(async (args) => (await prepare(args)).decision);
    expect(await Promise.all(decisions)).toEqual(['allow', 'ask', 'ask', 'ask', 'ask', 'ask']);
    expect(() =>
      allowAlways({ argv: ['ls'], path: '/bin/ls', cwd: '/', operands: [], env: { A: 'b' } }),
    ).toThrow('for good');
  });

  test('needs a new approval when a program that was allowed for good has changed', async () => {
    const { prepare, allowAlways, work } = systemBench({});
    copyFileSync('/usr/bin/true', join(work, 'tool'));
    writeFileSync(join(work, 'data'), '1');
    const commands = [['cat', 'data'], ['./tool'], ['timeout', '5', './tool']];
    for (const command of commands) allowAlways((await prepare({ command })).subject as never);
    const decisions = () =>
      Promise.all(commands.map(async (command) => (await prepare({ command })).decision));
    expect(await decisions()).toEqual(commands.map(() => 'allow'));
    copyFileSync('/usr/bin/id', join(work, 'tool'));
    writeFileSync(join(work, 'data'), '2');
    expect(await decisions()).toEqual(['allow', 'ask', 'ask']);
  });
});

test.each(['', '.', 'bin/..'])(
  'a wrapper starts the program of the plan even if the search path has %j',
  async (entry) => {
    const { run, work } = systemBench(undefined, { PATH: `${entry}:/usr/bin:/bin` });
    mkdirSync(join(work, 'bin'));
    writeFileSync(join(work, 'uname'), '#!/bin/sh\necho another\n', { mode: 0o755 });
    for (const command of [['uname'], ['nice', 'uname']])
      expect((await run({ command })).stdout).not.toBe('another');
  },
);

describe('a command that a person approved at the gateway', () => {
  const approved = { ...OPEN_CLAW, approved: 'allow-once' as const };
  const ARGS = {
    command: ['/bin/sh', '-lc', 'echo hi'],
    rawCommand: 'echo hi',
    agentId: 'main',
    sessionKey: 's1',
  };

  test('runs once, if exactly this command was prepared', async () => {
    const { call, prepare, run, contextOf, runs } = systemBench({});
    const prepared = (await call('system.run.prepare', ARGS, contextOf(OPEN_CLAW))) as { plan: object };
    expect(prepared).toMatchObject({
      cmdText: '/bin/sh -lc "echo hi"',
      plan: {
        argv: ARGS.command,
        rawCommand: '/bin/sh -lc "echo hi"',
        commandPreview: 'echo hi',
        agentId: 'main',
        sessionKey: 's1',
      },
    });
    expect(runs).toEqual([]);
    expect((await prepare(ARGS, contextOf(OPEN_CLAW))).decision).toBe('ask');
    expect(await run(ARGS, contextOf(approved))).toMatchObject({ stdout: 'hi' });
    expect((await prepare(ARGS, contextOf(approved))).decision).toBe('ask');
    expect(runs.length).toBe(1);
  });

  test('is approved only for its session and for ten minutes', async () => {
    const { call, prepare, contextOf, wait } = systemBench({});
    await call('system.run.prepare', ARGS, contextOf(OPEN_CLAW));
    const decide = async (args: object, word: object) => (await prepare(args, contextOf(word))).decision;
    expect(await decide(ARGS, approved)).toBe('allow');
    expect(await decide({ command: ['/bin/sh', '-lc', 'echo ho'] }, approved)).toBe('ask');
    expect(await decide({ ...ARGS, env: { A: 'b' } }, approved)).toBe('ask');
    expect(await decide({ ...ARGS, cwd: '/' }, approved)).toBe('ask');
    expect(await decide(ARGS, { ...approved, session: 's2' })).toBe('ask');
    expect(await decide(ARGS, { ...approved, agent: 'other' })).toBe('ask');
    wait(10 * 60_000);
    expect(await decide(ARGS, approved)).toBe('ask');
  });

  test('runs only once when it is started twice', async () => {
    const { call, prepare, contextOf, runs } = systemBench({});
    await call('system.run.prepare', ARGS, contextOf(OPEN_CLAW));
    const context = contextOf(approved);
    const [first, second] = [await prepare(ARGS, context), await prepare(ARGS, context)];
    await first.run(context);
    await expect(second.run(context)).rejects.toThrow('approval-already-used');
    expect(runs.length).toBe(1);
  });

  test('does not run if the policy of this machine forbids it', async () => {
    const { call, judge, setPolicy, contextOf } = systemBench({});
    await call('system.run.prepare', ARGS, contextOf(OPEN_CLAW));
    setPolicy({ agents: { main: { security: 'deny' } } });
    expect(await judge(ARGS, contextOf(approved))).toMatchObject({ decision: 'deny' });
    await expect(call('system.run.prepare', ARGS, contextOf(OPEN_CLAW))).rejects.toThrow(
      'exec-approvals-v2: SecurityDeny (security=deny)',
    );
  });

  test.each<[object, string]>([
    [{}, 'Missing command parameter'],
    [{ command: ['a', 1] }, 'Invalid system.run request: malformed-command'],
    [{ command: ['ls'], rawCommand: 'id' }, 'Invalid system.run request: raw-command-mismatch'],
    [{ command: ['no-such-program'] }, 'Invalid system.run request: not-runnable'],
  ])('%j cannot be prepared: %s', async (args, text) => {
    await expect(systemBench({}).call('system.run.prepare', args)).rejects.toMatchObject({ message: text });
  });
});

const caller = (id: string, session = 's') => ({
  id,
  name: id,
  scopes: {},
  openClaw: { agent: 'main', session },
});

test('a prepared plan can be used once, by its caller', () => {
  const plans = createPreparedPlans(() => 0);
  plans.keep(caller('a'), 'digest');
  expect(plans.has(caller('b'), 'digest')).toBe(false);
  expect(plans.has(caller('a', 'other'), 'digest')).toBe(false);
  expect(plans.has(caller('a'), 'other')).toBe(false);
  expect([plans.use(caller('a'), 'digest'), plans.use(caller('a'), 'digest')]).toEqual([true, false]);
});

test('a prepared plan expires after ten minutes, and the oldest ones are dropped first', () => {
  let now = 0;
  const plans = createPreparedPlans(() => now);
  for (let at = 0; at < 300; at += 1) plans.keep(caller('a'), `digest ${at}`);
  expect([43, 44, 299].map((at) => plans.has(caller('a'), `digest ${at}`))).toEqual([false, true, true]);
  now = 10 * 60_000;
  expect(plans.use(caller('a'), 'digest 299')).toBe(false);
});
