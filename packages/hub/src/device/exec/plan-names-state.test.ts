/** Attempts to reach the state folder, which holds the admin token and the policy, under a policy that allows everything. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemBench } from '../../../../../test/kit/system-bench.ts';

interface Place {
  readonly home: string;
  readonly work: string;
}

type Attempt = (place: Place) => { command: string[]; cwd?: string; env?: Record<string, string> };

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'the path of a file': ({ home }) => ({ command: ['cat', join(home, 'admin-token.txt')] }),
  'the folder itself': ({ home }) => ({ command: ['ls', home] }),
  'a path with ..': ({ work }) => ({ command: ['cat', `${work}/../state/admin-token.txt`] }),
  'a relative path': () => ({ command: ['cat', '../state/admin-token.txt'] }),
  'a path with . and doubled slashes': ({ work }) => ({
    command: ['cat', `${work}//.././/state//admin-token.txt`],
  }),
  'a file that does not exist yet': ({ home }) => ({ command: ['touch', join(home, 'new', 'file')] }),
  'a link to the folder': () => ({ command: ['cat', 'link/admin-token.txt'] }),
  'a link to the file': () => ({ command: ['cat', 'token'] }),
  'a link to a link': () => ({ command: ['cat', 'again/admin-token.txt'] }),
  '.. after a link': () => ({ command: ['cat', 'deep/../state/admin-token.txt'] }),
  'an option with a value': ({ home }) => ({ command: ['grep', `--file=${home}/admin-token.txt`, 'x'] }),
  'an option and its value in one word': ({ home }) => ({
    command: ['grep', `-f${home}/admin-token.txt`, 'x'],
  }),
  'a file after @': () => ({ command: ['curl', '-d', '@../state/admin-token.txt', 'http://127.0.0.1:9'] }),
  'a URL': ({ home }) => ({ command: ['curl', `file://${home}/admin-token.txt`] }),
  'a URL with escapes': ({ home }) => ({
    command: ['curl', `file://${home.replace('state', '%73tate')}/admin-token.txt`],
  }),
  'a list of paths': ({ home }) => ({ command: ['cp', `a:${home}:b`, 'x'] }),
  'the working folder': ({ home }) => ({ command: ['cat', 'admin-token.txt'], cwd: home }),
  'a working folder below the state folder': ({ home }) => ({ command: ['ls'], cwd: join(home, 'run') }),
  'a working folder through a link': ({ work }) => ({
    command: ['cat', 'admin-token.txt'],
    cwd: join(work, 'link'),
  }),
  'a variable': ({ home }) => ({ command: ['env'], env: { WHERE: home } }),
  'a variable with a relative path': () => ({ command: ['env'], env: { WHERE: '../state' } }),
  'the program': ({ home }) => ({ command: [join(home, 'tool')] }),
  'a redirect': ({ home }) => ({ command: ['sh', '-c', `echo x >${home}/exec-approvals.json`] }),
  'a redirect to a relative path': () => ({ command: ['sh', '-c', 'echo x>../state/exec-approvals.json'] }),
  'code in another language': ({ home }) => ({
    command: ['python3', '-c', `print(open("${home}/admin-token.txt").read())`],
  }),
  'quotes in the path': ({ home }) => ({
    command: ['sh', '-c', `cat ${home.replace('state', 'st""a\'t\'e')}/admin-token.txt`],
  }),
  'backslashes in the path': ({ home }) => ({
    command: ['sh', '-c', `cat ${home.replace('state', String.raw`s\tate`)}/x`],
  }),
  'the home folder of a shell': () => ({ command: ['sh', '-c', 'cat ~/../state/admin-token.txt'] }),
  'a variable of a shell': () => ({ command: ['sh', '-c', 'cat $HOME/../state/admin-token.txt'] }),
  'a variable of a shell in braces': () => ({
    command: ['sh', '-c', 'cat "${HOME}/../state/admin-token.txt"'],
  }),
  'the variable that names it': () => ({ command: ['sh', '-c', 'cat $PINCER_HOME/admin-token.txt'] }),
  'a pattern of a shell': ({ home }) => ({
    command: ['sh', '-c', `cat ${home.replace('state', 'st*')}/admin*`],
  }),
  'a pattern with brackets': ({ home }) => ({
    command: ['sh', '-c', `cat ${home.replace('state', '[s]tat?')}/x`],
  }),
  'a pattern with braces': ({ home }) => ({
    command: ['sh', '-c', `cat ${home.replace('state', '{state,x}')}/x`],
  }),
  'a change of folder before the command': ({ work }) => ({
    command: ['sh', '-c', `cd ${join(work, '..')} && cat state/admin-token.txt`],
  }),
  'a change to the parent folder': () => ({ command: ['sh', '-c', 'cd .. && cat state/admin-token.txt'] }),
  'an option and a relative path in one word': () => ({
    command: ['grep', '-f../state/admin-token.txt', 'x'],
  }),
  'a wrapper': ({ home }) => ({ command: ['nice', 'timeout', '5', 'cat', `${home}/admin-token.txt`] }),
  'a path through /proc': ({ home }) => ({ command: ['cat', `/proc/self/root${home}/admin-token.txt`] }),
};

const POLICIES = {
  'security: full': { defaults: { security: 'full', ask: 'off' } },
  'an entry for everything': {
    defaults: { ask: 'off' },
    agents: { main: { allowlist: [{ pattern: '/**', argPattern: '[^]*' }] } },
  },
};

function bench(policy: object) {
  const made = systemBench(policy);
  const { home, work } = made;
  writeFileSync(join(home, 'admin-token.txt'), 'secret');
  writeFileSync(join(home, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  mkdirSync(join(home, 'run'));
  symlinkSync(home, join(work, 'link'));
  symlinkSync('link', join(work, 'again'));
  symlinkSync(join(home, 'admin-token.txt'), join(work, 'token'));
  mkdirSync(join(work, '..', 'other'));
  symlinkSync(join(work, '..', 'other'), join(work, 'deep'));
  return made;
}

describe('a command that names the state folder needs an approval', () => {
  test.each(Object.entries(ATTEMPTS))('%s', async (_, attempt) => {
    const made = bench(POLICIES['security: full']);
    const { decision, subject } = await made.prepare(attempt(made));
    expect(decision).toBe('ask');
    expect(subject).toMatchObject({ onlyOnce: expect.stringContaining('state folder') as string });
    expect(() => made.allowAlways(subject as never)).toThrow('for good');
  });

  test('also with an entry that matches it', async () => {
    const made = bench(POLICIES['an entry for everything']);
    expect((await made.prepare({ command: ['cat', 'a'] })).decision).toBe('allow');
    expect((await made.prepare({ command: ['cat', join(made.home, 'admin-token.txt')] })).decision).toBe(
      'ask',
    );
  });

  test('and no other command does', async () => {
    const made = bench(POLICIES['security: full']);
    for (const command of [
      ['cat', '../other/x'],
      ['ls', '..'],
      ['sh', '-c', 'echo ~ $HOME; cat ./*.txt | wc -l'],
      ['echo', 'state', 'the/state/of/things', 'https://example.com/state?x=%20'],
      ['cat', `${made.home}-other/x`.replace(made.home, join(made.work, '..', 'stat'))],
    ])
      expect((await made.prepare({ command })).decision, command.join(' ')).toBe('allow');
  });
});
