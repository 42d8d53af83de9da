/** Vulnerabilities of other projects in which another command ran than the one that was checked. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAllowedBy } from '../../../../../test/kit/exec-requests.ts';
import { systemBench } from '../../../../../test/kit/system-bench.ts';

const ANY = { pattern: '/**' };
const path = (name: string) => ({ pattern: `/usr/bin/${name}` });

describe('an allowlist by the name of the program', () => {
  test.each(['npx', 'npm'])(
    'CVE-2026-30625, CVE-2026-40933: refuses %s -c, which runs any command',
    (name) => {
      expect(isAllowedBy([ANY, path(name)], [name, '-c', 'id'])).toBe(false);
    },
  );

  test.each<string[][]>([
    [['npx', 'any-package']],
    [['node', '-e', 'require("child_process")']],
    [['python', '-c', 'import os']],
    [['bash', '-c', 'id']],
    [['sh', 'downloaded.sh']],
  ])('CVE-2026-30623, CVE-2026-30615: %j is not allowed by its first word', (argv) => {
    expect(isAllowedBy([ANY, path(argv[0]!)], argv)).toBe(false);
  });

  test.each<string[][]>([
    [['env', '-S', 'sh -c id']],
    [['env', '-Ssh -c id']],
    [['env', '--split-string=sh -c id']],
    [['env', '-iS', 'sh -c id']],
    [['nice', 'env', '-S', 'sh -c id']],
  ])('GHSA-796m-2973-wc5q: %j is not allowed by the words after env', (argv) => {
    expect(isAllowedBy([ANY, path('env'), path('nice'), path('sh')], argv)).toBe(false);
  });

  test('openclaw-windows-node #184: an entry for a command does not allow a shell that runs it', () => {
    expect(isAllowedBy([ANY, path('sh'), path('ls')], ['sh', '-c', 'ls'])).toBe(false);
  });
});

describe('an allowed command', () => {
  test('CVE-2026-28463: is not expanded after the check', async () => {
    const { run, prepare, work } = systemBench({
      agents: { main: { allowlist: [{ pattern: '/**/echo', argPattern: '^.*\u0000$' }] } },
    });
    writeFileSync(join(work, 'a file'), '');
    const { decision } = await prepare({ command: ['echo', '*', '$HOME', '$(id)', '~'] });
    expect(decision).toBe('allow');
    expect(await run({ command: ['echo', '*', '$HOME', '$(id)', '~'] })).toMatchObject({
      stdout: '* $HOME $(id) ~',
    });
    await expect(prepare({ command: 'echo $(id)' })).rejects.toThrow('shell-syntax');
  });

  test('CVE-2026-29607: is allowed for good as a whole, not by its wrapper', async () => {
    const { prepare, allowAlways } = systemBench({});
    const wrapped = (word: string) => ({ command: ['nice', 'env', 'echo', word] });
    const { subject } = await prepare(wrapped('a'));
    allowAlways(subject as never);
    expect((await prepare(wrapped('a'))).decision).toBe('allow');
    expect((await prepare(wrapped('b'))).decision).toBe('ask');
    expect((await prepare({ command: ['env', 'echo', 'a'] })).decision).toBe('ask');
    expect((await prepare({ command: ['nice', 'env', 'id'] })).decision).toBe('ask');
    const shell = await prepare({ command: ['env', 'A=b', 'sh', '-c', 'echo a'] });
    expect(() => allowAlways(shell.subject as never)).toThrow('cannot be allowed for good');
  });

  test('GHSA-hjvp-qhm6-wrh2: is approved with exactly its variables', async () => {
    const { prepare, call, contextOf } = systemBench({});
    const openClaw = { agent: 'main', session: 's' };
    await call('system.run.prepare', { command: ['git', 'status'] }, contextOf(openClaw));
    const decide = async (env: object) =>
      (await prepare({ command: ['git', 'status'], env }, contextOf({ ...openClaw, approved: 'allow-once' })))
        .decision;
    expect(await decide({})).toBe('allow');
    expect(await decide({ GIT_DIR: '/tmp/evil' })).toBe('ask');
    const [one, other] = [
      await prepare({ command: ['git', 'status'], env: { A: '1' } }),
      await prepare({ command: ['git', 'status'], env: { A: '2' } }),
    ];
    expect(one.subject).not.toEqual(other.subject);
  });

  test.each(['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'GIT_SSH_COMMAND', 'PATH'])(
    'CVE-2026-44995: cannot set %s',
    async (name) => {
      await expect(systemBench().prepare({ command: ['git'], env: { [name]: 'x' } })).rejects.toThrow(
        `Unsafe environment variable override blocked: ${name}`,
      );
    },
  );

  test('GHSA-xww8-gqvh-92x9: is refused if it is too long to be shown in full', async () => {
    const { prepare } = systemBench({});
    for (const filler of [
      ' '.repeat(100_000),
      '\n'.repeat(20_000),
      '\u200b'.repeat(10_000),
      'x'.repeat(17_000),
    ])
      await expect(prepare({ command: ['sh', '-c', `echo hi${filler}; rm -rf /`] })).rejects.toMatchObject({
        message: 'exec-approvals-v2: ValidationFailed (command-too-long-to-show)',
        notExecuted: true,
      });
  });
});
