import { describe, expect, test } from 'vitest';
import { isAllowedBy, policyOf, verdictOn, askedOf } from '../../../../../test/kit/exec-requests.ts';
import { exactArguments } from './allowlist.ts';
import { decide, decideByRules } from './decide.ts';
import { parseRules } from './policy-file.ts';

const decided = (settings: object, argv = ['ls'], options = {}) => {
  const verdict = verdictOn(policyOf(settings), argv, options);
  return 'text' in verdict ? verdict.text : verdict.decision;
};
/** With any arguments. */
const any = (pattern: string) => ({ pattern, argPattern: '.*' });
const LS = { agents: { main: { allowlist: [any('/usr/bin/ls')] } } };

describe('the decision of a policy', () => {
  test.each<[string, string, boolean, string]>([
    ['deny', 'off', true, 'exec-approvals-v2: SecurityDeny (security=deny)'],
    ['deny', 'always', true, 'exec-approvals-v2: SecurityDeny (security=deny)'],
    ['allowlist', 'off', true, 'allow'],
    ['allowlist', 'off', false, 'exec-approvals-v2: AllowlistMiss (allowlist-miss)'],
    ['allowlist', 'on-miss', true, 'allow'],
    ['allowlist', 'on-miss', false, 'ask'],
    ['allowlist', 'always', true, 'ask'],
    ['allowlist', 'always', false, 'ask'],
    ['allowlist', 'deny', false, 'exec-approvals-v2: AllowlistMiss (allowlist-miss)'],
    ['allowlist', 'deny', true, 'exec-approvals-v2: AskDeny (ask=deny)'],
    ['full', 'off', false, 'allow'],
    ['full', 'on-miss', false, 'allow'],
    ['full', 'always', false, 'ask'],
    ['full', 'deny', false, 'exec-approvals-v2: AskDeny (ask=deny)'],
  ])('security %s, ask %s, on the list %j: %s', (security, ask, isListed, expected) => {
    expect(decided({ defaults: { security, ask }, ...(isListed ? LS : {}) })).toBe(expected);
  });

  test('asks about unlisted commands by default', () => {
    expect(decided({})).toBe('ask');
    expect(decided(LS)).toBe('allow');
  });

  test('prefers the settings of the agent, then those of all agents, then the defaults', () => {
    const policy = {
      defaults: { security: 'full', ask: 'off' },
      agents: { '*': { security: 'deny' }, work: { security: 'full' }, play: { ask: 'always' } },
    };
    expect(decided(policy, ['ls'], { agent: 'work' })).toBe('allow');
    expect(decided(policy, ['ls'], { agent: 'play' })).toMatch(/SecurityDeny/);
    expect(decided(policy, ['ls'], { agent: 'other' })).toMatch(/SecurityDeny/);
    expect(decided({ ...policy, agents: { play: { ask: 'always' } } }, ['ls'], { agent: 'play' })).toBe(
      'ask',
    );
  });

  test('applies the list of all agents to each, and the list of an agent only to it', () => {
    const list = (agent: string) => ({
      defaults: { ask: 'off' },
      agents: { [agent]: { allowlist: [any('/usr/bin/ls')] } },
    });
    expect(decided(list('*'), ['ls'], { agent: 'work' })).toBe('allow');
    expect(decided(list('work'), ['ls'], { agent: 'work' })).toBe('allow');
    expect(decided(list('work'), ['ls'])).toMatch(/AllowlistMiss/);
    expect(decided(list('default'), ['ls'])).toBe('allow');
  });

  test.each(['__proto__', 'constructor', 'toString'])('treats an agent named %s like any other', (agent) => {
    expect(decided({ defaults: { ask: 'off' } }, ['ls'], { agent })).toMatch(/AllowlistMiss/);
  });

  test('denies everything for an unusable file, and names the file', () => {
    const verdict = decide(
      { kind: 'closed', file: 'exec-approvals.json', why: 'is a link' },
      'main',
      askedOf(['ls']),
    );
    expect(verdict).toMatchObject({
      decision: 'deny',
      text: 'exec-approvals-v2: SecurityDeny (security=deny)',
      hint: 'exec-approvals.json is a link, so nothing runs. Repair or remove it.',
    });
  });
});

describe('entries of the allowlist', () => {
  test.each<[object, string[], boolean]>([
    [any('/usr/bin/ls'), ['ls', '-l'], true],
    [any('/usr/bin/ls'), ['/usr/bin/ls'], true],
    [any('/usr/bin/ls'), ['git', 'status'], false],
    [any('/usr/bin/*'), ['git', 'status'], true],
    [any('/usr/*'), ['git', 'status'], false],
    [any('/**'), ['git', 'status'], true],
    [any('ls'), ['ls'], false],
    [any('*'), ['ls'], false],
    [any(''), ['ls'], false],
    [any('~/bin/*'), ['/home/a/bin/tool'], true],
    [any('~/bin/*'), ['../bin/tool'], true],
    // Matches the path before and after links are followed.
    [any('/usr/bin/cat'), ['cat', 'x'], true],
    // An entry without argPattern matches nothing.
    [{ pattern: '/usr/bin/ls' }, ['ls'], false],
    [{ pattern: '/usr/bin/ls' }, ['ls', '-l'], false],
    [{ pattern: '/**' }, ['ls'], false],
    [{ pattern: '/usr/bin/git', argPattern: '^status\0$' }, ['git', 'status'], true],
    [{ pattern: '/usr/bin/git', argPattern: '^status\0$' }, ['git', 'push'], false],
    // Written by a program, without argPattern.
    [{ pattern: '/usr/bin/ls', source: 'allow-always' }, ['ls'], false],
    // No entry matches a program that loads code from files that cannot be listed.
    [any('/usr/bin/python3.11'), ['python', 'ok.py'], false],
    [any('/usr/bin/*'), ['bash', 'x.sh'], false],
    [{ pattern: '/usr/bin/python3.11', argPattern: '^ok\\.py\0$' }, ['python', 'ok.py'], false],
    [{ pattern: '/usr/bin/sh', argPattern: exactArguments(['sh', '-c', 'ls']) }, ['sh', '-c', 'ls'], false],
    [{ pattern: '/usr/bin/make', argPattern: exactArguments(['make', 'test']) }, ['make', 'test'], false],
    [{ pattern: '/usr/bin/npm', argPattern: exactArguments(['npm', 'test']) }, ['npm', 'test'], false],
    [{ pattern: '/usr/bin/git', argPattern: exactArguments(['git', 'fetch']) }, ['git', 'fetch'], false],
    [{ pattern: '/usr/bin/xargs', argPattern: exactArguments(['xargs', 'ls']) }, ['xargs', 'ls'], false],
    [{ pattern: '/usr/bin/ls', argPattern: exactArguments(['ls', '-l']) }, ['ls', '-l'], true],
    [{ pattern: '/usr/bin/ls', argPattern: exactArguments(['ls', '-l']) }, ['ls', '-a'], false],
    [{ pattern: '/usr/bin/cat', argPattern: exactArguments(['ls', '-l']) }, ['ls', '-l'], false],
  ])('%j for %j: %j', (entry, argv, expected) => expect(isAllowedBy([entry], argv)).toBe(expected));

  test('are needed for a wrapper and for the program that it starts', () => {
    const [env, ls] = [any('/usr/bin/env'), any('/usr/bin/ls')];
    expect(isAllowedBy([env], ['env', 'ls'])).toBe(false);
    expect(isAllowedBy([ls], ['env', 'ls'])).toBe(false);
    expect(isAllowedBy([env, ls], ['env', 'ls'])).toBe(true);
    expect(isAllowedBy([env, ls], ['env', 'git'])).toBe(false);
    expect(isAllowedBy([env, ls], ['env'])).toBe(false);
  });

  test('do not match a call that sets variables', () => {
    expect(decided(LS, ['ls'], { setsVariables: true })).toBe('ask');
    const off = policyOf({ ...LS, defaults: { ask: 'off' } });
    expect(verdictOn(off, ['ls'], { setsVariables: true })).toMatchObject({
      text: expect.stringContaining('AllowlistMiss') as string,
      hint: expect.stringContaining('The call sets variables ("env")') as string,
    });
    expect(verdictOn(off, ['echo'])).toMatchObject({
      hint: 'exec-approvals.json in the state folder decides what may run.',
    });
    expect(verdictOn(off, ['make'])).toMatchObject({
      hint: expect.stringContaining('make runs code from files that cannot all be listed') as string,
    });
  });
});

const decidedByRules = (value: object, argv: readonly string[], setsVariables = false): string => {
  const verdict = decideByRules(parseRules(value)!, askedOf(argv, setsVariables));
  return 'text' in verdict ? verdict.text.replace('Command denied by exec policy: ', '') : verdict.decision;
};
const rule = (pattern: string, action: string, more: object = {}) => ({ pattern, action, ...more });
const rules = (...list: object[]) => ({ rules: list });
const NONE = 'No matching rule; default policy applied';

describe('rules over command lines', () => {
  test.each<[object, string[], string]>([
    [{}, ['ls'], NONE],
    [{ defaultAction: 'deny' }, ['ls'], NONE],
    [{ defaultAction: 'allow' }, ['ls'], 'allow'],
    [{ defaultAction: 'prompt' }, ['ls'], 'ask'],
    [rules(rule('echo *', 'allow')), ['echo', 'a'], 'allow'],
    [rules(rule('ECHO *', 'allow')), ['echo', 'a'], 'allow'],
    [rules(rule('echo *', 'prompt')), ['echo', 'a'], 'ask'],
    [rules(rule('echo ?', 'allow')), ['echo', 'ab'], NONE],
    [rules(rule('rm *', 'deny', { description: 'No deleting' })), ['rm', '-rf', '/'], 'No deleting'],
    [rules(rule('rm *', 'deny')), ['rm', '-rf', '/'], 'Matched rule: rm *'],
    // The first rule that matches decides.
    [rules(rule('rm a', 'allow'), rule('rm *', 'deny')), ['rm', 'a'], 'allow'],
    [rules(rule('rm *', 'deny'), rule('rm a', 'allow')), ['rm', 'a'], 'Matched rule: rm *'],
    [rules(rule('ls*', 'allow', { enabled: false })), ['ls'], NONE],
    [rules(rule('ls*', 'allow', { shells: ['cmd'] })), ['ls'], NONE],
    [rules(rule('ls*', 'allow', { shells: ['PowerShell'] })), ['ls'], 'allow'],
    [rules(rule('ls*', 'allow', { shells: [] })), ['ls'], 'allow'],
    // A deny rule applies to every shell.
    [
      { defaultAction: 'allow', ...rules(rule('rm *', 'deny', { shells: ['cmd'] })) },
      ['rm', 'a'],
      'Matched rule: rm *',
    ],
    [rules(rule('echo "a b"', 'allow')), ['echo', 'a b'], 'allow'],
    [rules(rule('/usr/bin/git *', 'allow'), rule('*', 'deny')), ['/usr/bin/git', 'status'], 'allow'],
  ])('%j for %j: %s', (policy, argv, expected) => expect(decidedByRules(policy, argv)).toBe(expected));
});

describe('commands that earlier implementations of rules let through', () => {
  const OPEN = { defaultAction: 'allow', ...rules(rule('rm *', 'deny')) };

  test.each<string[][]>([
    [['sh', '-c', 'rm -rf /']],
    [['sh', '-c', 'echo a; rm -rf /']],
    [['sh', '-c', 'echo a && rm -rf /']],
    [['sh', '-c', 'echo a | rm -rf /']],
    [['sh', '-c', 'echo a\nrm -rf /']],
    [['sh', '-c', 'echo $(rm -rf /)']],
    [['sh', '-c', 'echo `rm -rf /`']],
    [['sh', '-c', '(rm -rf /)']],
    [['sh', '-c', '{ rm -rf /; }']],
    [['bash', '-lc', 'rm -rf /']],
    [['cmd.exe', '/c', 'rm -rf /']],
    [['powershell.exe', '-c', 'rm -rf /']],
    [['powershell.exe', '-enc', Buffer.from('rm -rf /', 'utf16le').toString('base64')]],
    [['env', 'rm', '-rf', '/']],
    [['nice', '-n', '5', 'rm', '-rf', '/']],
    [['timeout', '5', 'nohup', 'rm', '-rf', '/']],
    [['/usr/bin/rm', '-rf', '/']],
    [['/usr/bin/../bin/rm', '-rf', '/']],
    [['/home/a/bin/delete', '-rf', '/']],
    [['nice', '/usr/bin/rm', '-rf', '/']],
    [['sh', '-c', 'echo a; /usr/bin/rm -rf /']],
  ])('%j is denied although everything else is allowed', (argv) => {
    expect(decidedByRules(OPEN, argv)).toBe('Matched rule: rm *');
  });

  test.each<string[][]>([
    [['sh', '-c', 'echo a']],
    [['env', '-S', 'rm -rf /']],
    [['env', 'A=b', 'rm', '-rf', '/']],
    [['sudo', 'rm', '-rf', '/']],
    [['xargs', 'rm']],
    [['find', '.', '-exec', 'rm', '{}', ';']],
    [['python', '-c', 'import os']],
  ])('%j is opaque, so a person is asked', (argv) => {
    expect(decidedByRules(OPEN, argv)).toBe('ask');
    expect(decidedByRules(rules(rule('*', 'allow')), argv)).toBe('ask');
  });

  test('a rule for the exact line does not allow a shell', () => {
    const exact = rules(rule('sh -c "git status"', 'allow'), rule('git status', 'allow'));
    expect(decidedByRules(exact, ['git', 'status'])).toBe('allow');
    expect(decidedByRules(exact, ['sh', '-c', 'git status'])).toBe('ask');
    expect(decidedByRules(exact, ['sh', '-c', 'git  status'])).toBe(NONE);
  });

  test('a rule in another case does not count as exact, because options are case-sensitive', () => {
    const exact = rules(rule('git -C /srv log', 'allow'));
    expect(decidedByRules(exact, ['git', '-c', '/srv', 'log'])).toBe('ask');
  });

  test.each<string[][]>([[['make', 'test']], [['npm', 'test']], [['python', 'run.py']], [['git', 'fetch']]])(
    '%j loads code from other files, so a person is asked each time',
    (argv) => expect(decidedByRules(rules(rule('*', 'allow')), argv)).toBe('ask'),
  );

  test.each<[string[], string]>([
    [['sh', '-c', ' '], 'Shell wrapper payload was empty'],
    [['powershell.exe', '-enc', '%%%'], 'EncodedCommand could not be decoded'],
    [['powershell.exe', '-enc', 'IAA='], 'EncodedCommand decoded to an empty payload'],
  ])('%j: %s', (argv, text) => expect(decidedByRules(OPEN, argv)).toBe(text));

  test('a person is asked about a call that sets variables', () => {
    expect(decidedByRules(rules(rule('ls*', 'allow')), ['ls'], true)).toBe('ask');
  });
});

test.each([
  [null],
  [[]],
  [{ rules: {} }],
  [{ rules: [{ pattern: 'a', action: 'maybe' }] }],
  [{ defaultAction: 'yes' }],
])('%j is not a list of rules', (value) => expect(parseRules(value)).toBeUndefined());
