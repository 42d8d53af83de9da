/** Attempts to run code that no person has seen, through a permanent approval. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemBench } from '../../../../../test/kit/system-bench.ts';
import { exactArguments, exactArgumentsIn } from './allowlist.ts';

/** A working folder with a project in it. */
function project(policy: object = {}) {
  const bench = systemBench(policy);
  const write = (name: string, text: string, mode = 0o644): string => {
    const path = join(bench.work, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  write('Makefile', 'test:\n\t@echo seen\n');
  write('package.json', '{"scripts": {"test": "echo seen"}}');
  write('run.py', 'import lib\n');
  write('lib.py', 'print("seen")\n');
  write('t.js', 'require("./lib.js")\n');
  write('lib.js', 'console.log("seen")\n');
  write('s.sh', '. ./lib.sh\n');
  write('lib.sh', 'echo seen\n');
  write('tool', '#!/bin/sh\n. ./lib.sh\n', 0o755);
  return { ...bench, write };
}

const PROGRAMS: string[][] = [
  ['make', 'test'],
  ['make', '-f', 'Makefile', 'test'],
  ['npm', 'test'],
  ['npm', 'run', 'test'],
  ['python3', 'run.py'],
  ['python3', '-m', 'lib'],
  ['node', 't.js'],
  ['sh', 's.sh'],
  ['bash', 's.sh'],
  ['sh', '-c', './tool'],
  ['perl', 'lib.sh'],
  ['./tool'],
  ['timeout', '5', 'make', 'test'],
  ['nice', 'env', 'sh', 's.sh'],
  ['env', './tool'],
  ['xargs', './tool'],
  ['find', '.', '-exec', './tool', ';'],
  ['git', 'fetch'],
  ['git', 'commit', '-m', 'x'],
  ['git', '-C', '.', 'status'],
  ['git', '-c', 'core.fsmonitor=./tool', 'status'],
  // These look into submodules, or write a file.
  ['git', 'describe', '--dirty'],
  ['git', 'log', '-p', '--submodule=diff'],
  ['git', 'show', '--subm=diff'],
  ['git', 'diff', '--outp=.git/hooks/pre-commit'],
  ['git', 'branch', 'new'],
  ['/usr/lib/git-core/git-status'],
];

describe('a program that loads code from files that cannot be listed', () => {
  test.each(PROGRAMS.map((command) => [command]))(
    '%j cannot be allowed for good, and the refusal names the reason',
    async (command) => {
      const { prepare, allowAlways } = project();
      const { decision, subject } = await prepare({ command });
      expect(decision).toBe('ask');
      expect(() => allowAlways(subject as never)).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(/^This command cannot be allowed for good: .+\.$/) as string,
          hint: expect.stringContaining('pincer approvals allow ID') as string,
        }),
      );
      expect((subject as { notCovered: string[] }).notCovered).toContain(
        'Files that are not listed here may change before it runs.',
      );
    },
  );

  test.each(PROGRAMS.map((command) => [command]))(
    '%j needs an approval despite older entries for exactly this command',
    async (command) => {
      const before = project();
      const { path } = (await before.prepare({ command })).subject as { path: string };
      const entry = (argPattern: string) => ({ pattern: path, argPattern, source: 'allow-always' });
      const allowlist = [
        entry(exactArguments(command)),
        entry(exactArgumentsIn(command, before.work)),
        { pattern: '/**', argPattern: '.*' },
        { pattern: path },
      ];
      before.setPolicy({ agents: { main: { allowlist } } });
      expect((await before.prepare({ command })).decision).toBe('ask');
      before.setPolicy({ defaults: { ask: 'off' }, agents: { main: { allowlist } } });
      expect(await before.judge({ command })).toMatchObject({ decision: 'deny' });
    },
  );
});

describe('a program of the person that was allowed for good', () => {
  const own = async () => {
    const bench = project();
    copyFileSync('/usr/bin/id', join(bench.work, 'own'));
    bench.allowAlways((await bench.prepare({ command: ['./own', '-u'] })).subject as never);
    expect((await bench.prepare({ command: ['./own', '-u'] })).decision).toBe('allow');
    return bench;
  };
  const decision = async (bench: Awaited<ReturnType<typeof own>>) =>
    (await bench.prepare({ command: ['./own', '-u'] })).decision;

  test('needs an approval when another program replaces it', async () => {
    const bench = await own();
    copyFileSync('/usr/bin/true', join(bench.work, 'next'));
    renameSync(join(bench.work, 'next'), join(bench.work, 'own'));
    expect(await decision(bench)).toBe('ask');
  });

  test('needs an approval when a script replaces it', async () => {
    const bench = await own();
    bench.write('own', '#!/bin/sh\necho evil\n', 0o755);
    expect(await decision(bench)).toBe('ask');
  });

  test('needs an approval when a link to another program replaces it', async () => {
    const bench = await own();
    renameSync(join(bench.work, 'own'), join(bench.work, 'was'));
    symlinkSync('/usr/bin/whoami', join(bench.work, 'own'));
    expect(await decision(bench)).toBe('ask');
  });

  test('is refused when its file changes during the start', async () => {
    const bench = await own();
    const asked = await bench.prepare({ command: ['./own', '-u'] });
    bench.beforeRun(() => bench.write('own', '#!/bin/sh\necho evil\n', 0o755));
    await expect(asked.run(bench.contextOf())).rejects.toThrow('changed during the start');
    expect(bench.runs.at(-1)!.command).toContain(join(bench.home, 'run', 'exec-'));
  });
});

test('a manual entry for a program of the person has no effect, because it is not bound to the content', async () => {
  const { prepare, work } = project({
    agents: {
      main: {
        allowlist: [
          { pattern: '~/own', argPattern: '.*' },
          { pattern: '/**', argPattern: '.*' },
        ],
      },
    },
  });
  copyFileSync('/usr/bin/id', join(work, 'own'));
  expect((await prepare({ command: ['./own', '-u'] })).decision).toBe('ask');
  expect((await prepare({ command: ['nice', './own', '-u'] })).decision).toBe('ask');
});

test('an interpreter under another name is bound to the files in its arguments', async () => {
  const { prepare, allowAlways, work, write } = project();
  copyFileSync('/bin/sh', join(work, 'calculator'));
  const command = ['./calculator', 's.sh'];
  const { subject } = await prepare({ command });
  expect(subject).toMatchObject({
    notCovered: [
      'calculator is not a program of the system: it may load other files and start other programs.',
    ],
  });
  allowAlways(subject as never);
  expect((await prepare({ command })).decision).toBe('allow');
  write('s.sh', 'echo evil\n');
  expect((await prepare({ command })).decision).toBe('ask');
});

test('a git outside of system folders does not count as read-only', async () => {
  const { prepare, allowAlways, work } = project();
  copyFileSync('/usr/bin/id', join(work, 'git'));
  const { subject } = await prepare({ command: ['./git', 'status'] });
  expect(() => allowAlways(subject as never)).toThrow('for good');
});

test('a program behind a wrapper runs by the path that was shown', async () => {
  const { prepare, allowAlways, run, runs } = project();
  const command = ['nice', 'env', 'echo', 'hi'];
  allowAlways((await prepare({ command })).subject as never);
  expect(await run({ command })).toMatchObject({ stdout: 'hi' });
  expect(runs.at(-1)!.args).toEqual(
    ['/usr/bin/env', '/usr/bin/echo', 'hi'].map(
      (word) => expect.stringMatching(word.replace('/usr', '(/usr)?')) as string,
    ),
  );
});

describe('while an approval is pending', () => {
  test.each<[string[], string, string]>([
    [['make', 'test'], 'Makefile', 'test:\n\t@echo evil\n'],
    [['make', 'test'], 'GNUmakefile', 'test:\n\t@echo evil\n'],
    [['make', 'test'], 'makefile', 'test:\n\t@echo evil\n'],
    [['timeout', '5', 'make'], 'Makefile', 'all:\n\t@echo evil\n'],
    [['make', '-C', 'sub'], 'sub/Makefile', 'all:\n\t@echo evil\n'],
    [['make', '-f', 'own.mk'], 'own.mk', 'all:\n\t@echo evil\n'],
    [['make', '-f', 'own.mk'], 'rules.mk', 'all:\n\t@echo evil\n'],
    [['npm', 'test'], 'package.json', '{"scripts": {"test": "echo evil"}}'],
    [['npm', 'test'], '.npmrc', 'script-shell=./evil'],
    [['npm', '--prefix', 'sub', 'test'], 'sub/package.json', '{"scripts": {"test": "echo evil"}}'],
    [['node', 't.js'], 'package.json', '{"type": "module"}'],
    [['git', 'status'], '.git/config', '[core]\n\tfsmonitor = ./evil\n'],
    [['git', 'commit'], '.git/hooks/pre-commit', '#!/bin/sh\necho evil\n'],
    [['git', 'status'], 'config', '[core]\n\tfsmonitor = ./evil\n'],
    [['sh', 's.sh'], 's.sh', 'echo evil\n'],
    [['./tool'], 'tool', '#!/bin/sh\necho evil\n'],
    [['./by-own'], 'interpreter', '#!/bin/sh\necho evil\n'],
  ])('%j does not run when %s has changed', async (command, name, text) => {
    const { prepare, write, contextOf, runs } = project();
    const interpreter = write('interpreter', '#!/bin/sh\necho seen\n', 0o755);
    write('by-own', `#!${interpreter}\n`, 0o755);
    write('own.mk', 'include rules.mk\n');
    write('rules.mk', 'all:\n\t@echo seen\n');
    write('sub/Makefile', 'all:\n\t@echo seen\n');
    write('sub/package.json', '{"scripts": {"test": "echo seen"}}');
    write('.git/config', '[core]\n');
    write('HEAD', 'ref: refs/heads/main\n');
    mkdirSync(join(write('objects/x', ''), '..'), { recursive: true });
    const asked = await prepare({ command });
    expect(asked.decision).toBe('ask');
    write(name, text, 0o755);
    await expect(asked.run(contextOf())).rejects.toMatchObject({
      message: 'exec-approvals-v2: ResolutionFailed (changed since it was checked: operands)',
      notExecuted: true,
    });
    expect(runs).toEqual([]);
  });
});

test('the policy keeps the text of a command that was allowed for good', async () => {
  const { prepare, allowAlways, home } = project();
  allowAlways((await prepare({ command: ['git', 'status'] })).subject as never);
  expect(JSON.parse(readFileSync(join(home, 'exec-approvals.json'), 'utf8'))).toMatchObject({
    agents: { main: { allowlist: [{ commandText: 'git status' }] } },
  });
});
