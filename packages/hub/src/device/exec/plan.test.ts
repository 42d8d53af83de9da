import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryMachine, type MemoryFile } from '../../../../../test/kit/memory-machine.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { openMachine } from './machine.ts';
import { MAX_HASHED_BYTES, MAX_PROGRAM_BYTES } from './operands.ts';
import { planDigest, makePlan, type MadePlan } from './plan.ts';
import type { ExecRequest } from './read-request.ts';

function workshop() {
  const folder = temporaryFolder('plan');
  onTestFinished(() => folder[Symbol.dispose]());
  const root = realpathSync(folder.path);
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const write = (name: string, content: string, mode = 0o644): string => {
    const path = join(root, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  const base = { PATH: `${bin}:/usr/bin:/bin` };
  const parts = { machine: openMachine(base, 'linux'), base, folder: root, state: join(root, 'state') };
  const tryPlan = (argv: string[], more: Partial<ExecRequest> = {}) =>
    makePlan({ argv, cwd: undefined, env: {}, timeoutMs: 1, ...more }, parts);
  const plan = async (argv: string[], more: Partial<ExecRequest> = {}): Promise<MadePlan> => {
    const made = await tryPlan(argv, more);
    if ('why' in made) throw new Error(made.why);
    return made;
  };
  const digest = async (argv: string[], more: Partial<ExecRequest> = {}) =>
    planDigest((await plan(argv, more)).plan);
  return { root, bin, write, tryPlan, plan, digest };
}

describe('a plan', () => {
  test('contains what will be started, with all links followed', async () => {
    const { root, write, plan } = workshop();
    const real = write('tool-1.0', '#!/bin/sh\n', 0o755);
    symlinkSync(real, join(root, 'bin', 'tool'));
    mkdirSync(join(root, 'folder'));
    symlinkSync(join(root, 'folder'), join(root, 'shortcut'));
    const { plan: made } = await plan(['tool', '-v'], { cwd: join(root, 'shortcut') });
    expect(made).toMatchObject({
      argv: ['tool', '-v'],
      path: real,
      found: join(root, 'bin', 'tool'),
      cwd: join(root, 'folder'),
      operands: [{ path: real }],
    });
  });

  test.each<[string[], string[]]>([
    [['sh', 'script.sh'], ['script.sh']],
    [['cat', 'notes', 'nosuch'], ['notes']],
    [['cat', 'server'], []],
    [['node', './server'], ['server.js']],
    [['node', 'app'], ['app/index.js']],
    [['python3', '-m', 'app.tool'], ['app/tool.py']],
    [['cat', './sub/../notes'], ['notes']],
    [['grep', '--file=notes', 'x'], ['notes']],
    [['curl', '-d', '@notes', 'http://localhost'], ['notes']],
    [['cat', 'link'], ['notes']],
    [['cat', 'sub'], []],
    [
      ['node', '-r./server.js', 'app'],
      ['server.js', 'app/index.js'],
    ],
    [['cat', '-nnotes'], ['notes']],
    // Inline code of a shell names files, too, and so do opaque commands.
    [
      ['sh', '-c', './run&& cat notes;. "server.js"'],
      ['run', 'server.js'],
    ],
    [
      ['sudo', '-u', 'me', 'node', 'app'],
      ['app/index.js', 'bin/node'],
    ],
    [['setsid', 'python3'], ['bin/python3']],
    [['bash', 'curl'], ['bin/curl']],
    [['cat', 'notes', 'notes'], ['notes']],
  ])('of %j contains the hashes of %j', async (argv, names) => {
    const { root, write, plan } = workshop();
    write('script.sh', 'echo hi');
    write('notes', 'x');
    write('bin/curl', '', 0o755);
    write('bin/node', '', 0o755);
    write('bin/python3', '', 0o755);
    write('bin/sudo', '', 0o755);
    write('run', '#!/bin/sh', 0o755);
    write('server.js', '');
    mkdirSync(join(root, 'app'));
    write('app/index.js', '');
    write('app/tool.py', '');
    mkdirSync(join(root, 'sub'));
    symlinkSync('notes', join(root, 'link'));
    const { operands, path } = (await plan(argv)).plan;
    expect(operands.map((each) => each.path)).toEqual([path, ...names.map((name) => join(root, name))]);
  });

  test('contains the program that a wrapper starts', async () => {
    const { write, plan } = workshop();
    const tool = write('bin/tool', '#!/bin/sh\n', 0o755);
    const { operands } = (await plan(['env', 'tool'])).plan;
    expect(operands.map((each) => each.path)).toContain(tool);
  });

  test('accesses no network path on Windows, so Windows does not authenticate there', async () => {
    const accessed: string[] = [];
    const memory = memoryMachine(new Map([['/bin/cat', { content: '', executable: true }]]), {
      platform: 'win32',
    });
    const machine = { ...memory, realPath: (path: string) => (accessed.push(path), memory.realPath(path)) };
    const share = String.raw`\\evil\share\x`;
    for (const [argv, cwd] of [
      [['cat', share, '//evil/share/x', `--file=${share}`], '/bin'],
      [['//evil/share/x'], '/bin'],
      [['cat'], '//evil/share'],
    ] as const)
      await makePlan(
        { argv, cwd, env: {}, timeoutMs: 1 },
        { machine, base: {}, folder: '/bin', state: '/state' },
      );
    expect(accessed.filter((path) => path.includes('evil')).filter((path) => !path.includes('='))).toEqual(
      [],
    );
  });

  test('reads files one after the other, up to a total per command', async () => {
    const content = 'a'.repeat(MAX_HASHED_BYTES);
    const names = Array.from({ length: 20 }, (_, at) => `/srv/${at}`);
    const files = new Map<string, MemoryFile>([
      ['/bin/cat', { content: '', executable: true }],
      ...names.map((name) => [name, { content }] as const),
    ]);
    const memory = memoryMachine(files);
    let reading = 0;
    let most = 0;
    const machine = {
      ...memory,
      async read(path: string, maxBytes: number) {
        most = Math.max(most, ++reading);
        const bytes = await memory.read(path, maxBytes);
        reading -= 1;
        return bytes;
      },
    };
    const request = { argv: ['cat', ...names], cwd: undefined, env: {}, timeoutMs: 1 };
    const made = await makePlan(request, { machine, base: {}, folder: '/srv', state: '/state' });
    const { operands } = ('plan' in made && made.plan) || { operands: [] };
    expect(most).toBe(1);
    expect(operands.map((each) => 'sha256' in each)).toEqual([
      ...Array.from({ length: 17 }, () => true),
      ...Array.from({ length: 4 }, () => false),
    ]);
  });

  test.each<[argv: string[], watched: string[]]>([
    [
      ['tool', 'job'],
      ['bin/tool', 'job'],
    ],
    [['sh', 'job'], ['job']],
    [
      ['env', 'sh', '-e', 'job', 'other'],
      ['job', 'other'],
    ],
    [['cat', 'other'], ['other']],
    [['echo', 'a'], []],
  ])('notices at the start of %j that one of %j was replaced', async (argv, watched) => {
    const { write, plan } = workshop();
    const files = new Map<string, string>();
    for (const name of ['bin/tool', 'bin/tool-sh', 'job', 'other']) files.set(name, write(name, 'a', 0o755));
    for (const [name, path] of files) {
      const { isUnchanged } = await plan(argv);
      expect(isUnchanged?.() ?? true).toBe(true);
      write('new', 'b', 0o755);
      renameSync(join(dirname(path), name.includes('/') ? '../new' : 'new'), path);
      expect([name, isUnchanged?.() ?? true]).toEqual([name, !watched.includes(name)]);
    }
  });

  test('contains the stamp of a large program, and omits a large file', async () => {
    const { root, write, plan, digest } = workshop();
    const large = '\0'.repeat(MAX_HASHED_BYTES + 1);
    const tool = write('bin/large', '\0'.repeat(MAX_PROGRAM_BYTES + 1), 0o755);
    write('data', large);
    const script = write('code.py', large);
    const { operands } = (await plan(['large', 'data', 'code.py'])).plan;
    expect(operands).toEqual([
      { path: tool, stamp: expect.any(String) as string },
      { path: script, stamp: expect.any(String) as string },
    ]);
    const before = await digest(['large']);
    write('other', '\0'.repeat(MAX_PROGRAM_BYTES + 1), 0o755);
    renameSync(join(root, 'other'), tool);
    expect(await digest(['large'])).not.toBe(before);
  });

  test.each<[string, string[]]>([
    ['sh', ['installer']],
    ['xargs', ['sh', 'installer']],
  ])('of %s contains a large script with any name', async (program, args) => {
    const { write, digest } = workshop();
    const large = `exit\n${'x'.repeat(MAX_HASHED_BYTES)}`;
    write('installer', large);
    const before = await digest([program, ...args]);
    write('installer', `echo\n${large.slice(5)}`);
    expect(await digest([program, ...args])).not.toBe(before);
  });

  test('contains a file whose name is not UTF-8, and not another with a similar name', async () => {
    const { root, write, digest } = workshop();
    const name = Buffer.concat([Buffer.from(join(root, 'a')), Buffer.from([0xff])]);
    writeFileSync(name, 'echo 1');
    symlinkSync(name, join(root, 'script'));
    write('a\uFFFD', 'echo 1');
    const before = await digest(['sh', 'script']);
    writeFileSync(name, 'echo 2');
    expect(await digest(['sh', 'script'])).not.toBe(before);
  });

  test('has another digest after each relevant change, and only then', async () => {
    const { root, write, digest } = workshop();
    write('bin/tool', '#!/bin/sh\n', 0o755);
    const script = write('run.py', 'print(1)');
    mkdirSync(join(root, 'elsewhere'));
    const argv = ['tool', script];
    const first = await digest(argv);
    expect(await digest(argv)).toBe(first);
    expect(await digest(argv, { timeoutMs: 99 })).toBe(first);
    const others = [
      await digest([...argv, '']),
      await digest(['tool', `${script} `]),
      await digest(['./bin/tool', script]),
      await digest(argv, { cwd: join(root, 'elsewhere') }),
      await digest(argv, { env: { A: 'b' } }),
      await digest(argv, { env: { A: 'c' } }),
    ];
    write('run.py', 'print(2)');
    others.push(await digest(argv));
    write('bin/tool', '#!/bin/bash\n', 0o755);
    others.push(await digest(argv));
    expect(new Set([first, ...others]).size).toBe(others.length + 1);
  });
});

describe('a request without a plan', () => {
  test.each<[string[], Partial<ExecRequest>, string, boolean]>([
    [['nosuch'], {}, 'no such command: nosuch', false],
    [['./plain'], {}, 'no such command: ./plain', false],
    [['/usr'], {}, 'no such command: /usr', false],
    [['ls'], { cwd: '/no/such/folder' }, 'the working folder does not exist: /no/such/folder', false],
    [['ls'], { cwd: '/bin/sh' }, 'the working folder is not a folder: /bin/sh', false],
    [['ls'], { cwd: 'relative' }, 'the working folder is not an absolute path', true],
  ])('%j in %j: %s', async (argv, more, why, isRefused) => {
    const { write, tryPlan } = workshop();
    write('plain', 'not executable');
    expect(await tryPlan(argv, more)).toEqual({ why, isRefused });
  });

  test('a program that is only in the working folder', async () => {
    const { root, write, tryPlan } = workshop();
    write('ls2', '#!/bin/sh\n', 0o755);
    expect(await tryPlan(['ls2'], { cwd: root })).toMatchObject({ why: 'no such command: ls2' });
  });

  test('too many files', async () => {
    const { write, tryPlan } = workshop();
    const names = Array.from({ length: 300 }, (_, at) => `f${at}`);
    for (const name of names) write(name, '');
    expect(await tryPlan(['cat', ...names])).toEqual({
      why: 'its arguments name more than 256 files',
      isRefused: true,
    });
  });

  test.each(['/usr/bin/build.cmd', '/usr/bin/build.BAT'])('a batch script on Windows: %s', async (path) => {
    const machine = memoryMachine(new Map([[path, { content: '', executable: true }]]), {
      platform: 'win32',
    });
    const request = { argv: [path], cwd: '/usr', env: {}, timeoutMs: 1 };
    expect(await makePlan(request, { machine, base: {}, folder: '/usr', state: '/state' })).toMatchObject({
      isRefused: true,
    });
  });
});

test('a pipe in place of a script is part of the plan, marked as no file', async () => {
  using folder = temporaryFolder('pipe');
  const pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const machine = openMachine({ PATH: '/usr/bin:/bin' }, 'linux');
  const made = await makePlan(
    { argv: ['sh', pipe], cwd: folder.path, env: {}, timeoutMs: 1 },
    { machine, base: {}, folder: folder.path, state: '/state' },
  );
  expect(made).toMatchObject({
    plan: {
      operands: expect.arrayContaining([
        { path: pipe, stamp: expect.stringMatching(/^no file /) as string },
      ]) as object,
    },
  });
});
