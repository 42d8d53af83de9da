/** Repositories that name programs in every way that git supports. Under an entry of the policy none of them runs. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemBench } from '../../../../../test/kit/system-bench.ts';

/** The entry of docs/device.md, and one for each command of the tests. */
const POLICY = {
  agents: {
    main: {
      allowlist: ['status', 'diff', 'log', 'show', 'blame a', 'log -p'].map((words) => ({
        pattern: '/usr/bin/git',
        argPattern: `^${words.replaceAll(' ', '\0')}\0$`,
      })),
    },
  },
};

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main'];

let template = '';
beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), 'pincer-git-'));
  const run = (...args: string[]) => execFileSync('git', [...AUTHOR, ...args], { cwd: template });
  run('init', '-q');
  writeFileSync(join(template, 'a'), 'one\n');
  run('add', 'a');
  run('commit', '-qm', 'first');
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

function repository() {
  const bench = systemBench(POLICY);
  const { work } = bench;
  const proof = join(work, 'proof');
  const git = (args: string[], cwd = work): string =>
    execFileSync('git', [...AUTHOR, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const write = (name: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text, { mode });
  };
  cpSync(template, work, { recursive: true });
  // The program that all attacks name.
  write('.git/evil', `#!/bin/sh\necho "$0 $*" >>${proof}\ncat\n`, 0o755);
  return { ...bench, proof, git, write, evil: join(work, '.git', 'evil') };
}

type Repository = ReturnType<typeof repository>;

const touchedLater = ({ write }: Repository): void => write('a', 'two\n');

/** Each prepares the repository as an attacker with write access could. */
const ATTACKS: Readonly<Record<string, (repository: Repository) => string | void>> = {
  'core.fsmonitor': ({ git, evil }) => void git(['config', 'core.fsmonitor', evil]),
  'an embedded bare repository': (repository) => {
    const { git, write, work, evil } = repository;
    git(['init', '-q', '--bare', join(work, 'sub')]);
    write(
      'sub/config',
      `[core]\n\tbare = false\n\trepositoryformatversion = 0\n\tworktree = ${work}\n\tfsmonitor = ${evil}\n`,
    );
    return 'sub';
  },
  'an embedded bare repository outside of a repository': (repository) => {
    const { git, write, work, evil } = repository;
    renameSync(join(work, '.git'), join(work, 'was'));
    mkdirSync(join(work, '.git-not'));
    git(['init', '-q', '--bare', join(work, 'sub')]);
    write('.git/evil', `#!/bin/sh\necho >>${repository.proof}\n`, 0o755);
    renameSync(join(work, '.git'), join(work, 'programs'));
    write(
      'sub/config',
      `[core]\n\tbare = false\n\tworktree = ${work}\n\tfsmonitor = ${evil.replace('.git', 'programs')}\n`,
    );
    return 'sub';
  },
  'a clean filter': (repository) => {
    const { git, write, evil } = repository;
    git(['config', 'filter.x.clean', evil]);
    write('.gitattributes', '* filter=x\n');
    touchedLater(repository);
  },
  'a long-running filter': (repository) => {
    const { git, write, evil } = repository;
    git(['config', 'filter.x.process', evil]);
    write('.git/info/attributes', '* filter=x\n');
    touchedLater(repository);
  },
  'diff.external': (repository) => {
    repository.git(['config', 'diff.external', repository.evil]);
    touchedLater(repository);
  },
  'a diff driver': (repository) => {
    repository.git(['config', 'diff.x.command', repository.evil]);
    repository.write('.gitattributes', '* diff=x\n');
    touchedLater(repository);
  },
  textconv: (repository) => {
    repository.git(['config', 'diff.x.textconv', repository.evil]);
    repository.write('.gitattributes', '* diff=x\n');
    repository.git(['config', 'diff.x.cachetextconv', 'false']);
    touchedLater(repository);
  },
  'core.pager, and pagers of commands': ({ git, evil }) => {
    for (const key of ['core.pager', 'pager.status', 'pager.log', 'pager.diff', 'pager.show'])
      git(['config', key, evil]);
  },
  'aliases with names of commands': ({ git, evil }) => {
    for (const name of ['status', 'log', 'diff', 'show']) git(['config', `alias.${name}`, `!${evil}`]);
  },
  hooks: ({ git, write, proof }) => {
    for (const name of ['post-index-change', 'pre-commit', 'reference-transaction', 'fsmonitor-watchman'])
      write(`.git/hooks/${name}`, `#!/bin/sh\necho >>${proof}\n`, 0o755);
    git(['config', 'core.fsmonitor', '.git/hooks/fsmonitor-watchman']);
    write('a', 'one\n');
  },
  'core.hooksPath': ({ git, write, work, proof }) => {
    write('hooks/post-index-change', `#!/bin/sh\necho >>${proof}\n`, 0o755);
    git(['config', 'core.hooksPath', join(work, 'hooks')]);
    write('a', 'one\n');
  },
  'include.path': ({ git, write, evil }) => {
    write('more', `[core]\n\tfsmonitor = ${evil}\n[diff]\n\texternal = ${evil}\n`);
    git(['config', 'include.path', '../more']);
  },
  'includeIf in the settings of the person': ({ write, work, evil }) => {
    write('.gitconfig', `[includeIf "gitdir:${work}/"]\n\tpath = ${work}/more\n`);
    write('more', `[core]\n\tfsmonitor = ${evil}\n[diff]\n\texternal = ${evil}\n`);
  },
  'config.worktree': ({ git, write, evil }) => {
    git(['config', 'extensions.worktreeConfig', 'true']);
    write('.git/config.worktree', `[core]\n\tfsmonitor = ${evil}\n`);
  },
  'a gitdir: file': ({ write, work, evil }) => {
    renameSync(join(work, '.git'), join(work, 'elsewhere'));
    write('.git', 'gitdir: elsewhere\n');
    write(
      'elsewhere/config',
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${evil.replace('.git', 'elsewhere')}\n`,
    );
  },
  'a .git that is a link': ({ git, work, evil }) => {
    git(['config', 'core.fsmonitor', evil.replace('.git', 'elsewhere')]);
    renameSync(join(work, '.git'), join(work, 'elsewhere'));
    symlinkSync('elsewhere', join(work, '.git'));
  },
  'a submodule with its own settings': ({ git, write, work, evil }) => {
    mkdirSync(join(work, 'module'));
    git(['init', '-q'], join(work, 'module'));
    write('module/b', 'one\n');
    git(['add', 'b'], join(work, 'module'));
    git(['commit', '-qm', 'module'], join(work, 'module'));
    git(['config', 'core.fsmonitor', evil], join(work, 'module'));
    write('.gitmodules', '[submodule "module"]\n\tpath = module\n\turl = ./module\n\tignore = none\n');
    git(['config', 'submodule.module.ignore', 'none']);
    git(['config', 'submodule.module.update', `!${evil}`]);
    git(['add', 'module']);
    write('module/b', 'two\n');
  },
  'a merge driver, credentials, ssh, gpg': ({ git, evil }) => {
    for (const key of [
      'merge.x.driver',
      'credential.helper',
      'core.sshCommand',
      'gpg.program',
      'core.askPass',
    ])
      git(['config', key, evil]);
    git(['config', 'log.showSignature', 'true']);
  },
  'missing objects, and a remote that is a program': ({ git, write, evil }) => {
    git(['config', 'remote.x.url', `ext::${evil}`]);
    git(['config', 'protocol.ext.allow', 'always']);
    git(['config', 'remote.x.promisor', 'true']);
    git(['config', 'core.repositoryFormatVersion', '1']);
    git(['config', 'extensions.partialClone', 'x']);
    const blob = git(['rev-parse', 'HEAD:a']).trim();
    renameSync(join(dirname(evil), 'objects', blob.slice(0, 2), blob.slice(2)), join(dirname(evil), 'gone'));
    write('a', 'two\n');
  },
};

const COMMANDS = [['status'], ['diff'], ['log', '-p'], ['blame', 'a']];

describe('git under an entry', () => {
  test.each(Object.entries(ATTACKS))('does not run programs of: %s', async (_, prepareAttack) => {
    const attacked = repository();
    const folder = prepareAttack(attacked);
    const cwd = join(attacked.work, folder ?? '');
    const decisions = COMMANDS.map(async (words) => {
      const args = { command: ['/usr/bin/git', ...words], cwd };
      const { decision } = await attacked.prepare(args);
      await attacked.run(args);
      return decision;
    });
    expect(await Promise.all(decisions)).toEqual(COMMANDS.map(() => 'allow'));
    expect(existsSync(attacked.proof)).toBe(false);
  });

  test('is safe in a hostile folder with the example of docs/device.md', async () => {
    const page = readFileSync(new URL('../../../../../docs/device.md', import.meta.url), 'utf8');
    const example = /```json\n(\{\n {2}"version": 1,[^]*?)```/.exec(page)![1]!;
    const attacked = repository();
    attacked.setPolicy(JSON.parse(example) as object);
    for (const prepareAttack of [ATTACKS['core.fsmonitor']!, ATTACKS['an embedded bare repository']!]) {
      const cwd = join(attacked.work, prepareAttack(attacked) ?? '');
      const args = { command: ['git', 'status'], cwd };
      expect((await attacked.prepare(args)).decision).toBe('allow');
      expect(await attacked.run(args)).toMatchObject({ exitCode: 0 });
    }
    expect(existsSync(attacked.proof)).toBe(false);
  });

  test.each([
    ['nice', 'git', 'status'],
    ['timeout', '20', 'env', 'git', 'status'],
  ])('is also safe behind a wrapper: %s %s %s', async (...command) => {
    const attacked = repository();
    attacked.git(['config', 'core.fsmonitor', attacked.evil]);
    attacked.setPolicy({});
    attacked.allowAlways((await attacked.prepare({ command })).subject as never);
    expect((await attacked.prepare({ command })).decision).toBe('allow');
    expect(await attacked.run({ command })).toMatchObject({ exitCode: 0 });
    expect(existsSync(attacked.proof)).toBe(false);
  });

  test('has the same output as plain git', async () => {
    const { run, write, git, work } = repository();
    write('a', 'two\n');
    write('.git/info/exclude', 'proof\n');
    git(['checkout', '-q', '-b', 'side']);
    const outputOf = async (...words: string[]) =>
      (await run({ command: ['/usr/bin/git', ...words] })).stdout;
    expect(await outputOf('status')).toBe(git(['status']).trimEnd());
    expect(await outputOf('diff')).toBe(git(['diff']).trimEnd());
    expect(await outputOf('log')).toBe(git(['log']).trimEnd());
    expect(await outputOf('blame', 'a')).toBe(git(['blame', 'a']).trimEnd());
    git(['worktree', 'add', '-q', join(work, '..', 'tree'), 'HEAD']);
    const tree = await run({ command: ['/usr/bin/git', 'status'], cwd: join(work, '..', 'tree') });
    expect(tree.stdout).toBe(git(['status'], join(work, '..', 'tree')).trimEnd());
  });

  test('works in a subfolder, and reports a missing repository', async () => {
    const { run, work, write } = repository();
    write('below/b', '');
    expect(await run({ command: ['/usr/bin/git', 'status'], cwd: join(work, 'below') })).toMatchObject({
      exitCode: 0,
    });
    expect(await run({ command: ['/usr/bin/git', 'status'], cwd: '/' })).toMatchObject({
      exitCode: 128,
      stderr: expect.stringContaining('not a git repository') as string,
    });
  });
});
