import { describe, expect, test } from 'vitest';
import { askedOf } from '../../../../../../test/kit/asked.ts';
import { decideByRules, parseRules } from './rules.ts';

const said = (value: object, argv: readonly string[], setsVariables = false): string => {
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
    // The first that fits counts.
    [rules(rule('rm a', 'allow'), rule('rm *', 'deny')), ['rm', 'a'], 'allow'],
    [rules(rule('rm *', 'deny'), rule('rm a', 'allow')), ['rm', 'a'], 'Matched rule: rm *'],
    [rules(rule('ls*', 'allow', { enabled: false })), ['ls'], NONE],
    [rules(rule('ls*', 'allow', { shells: ['cmd'] })), ['ls'], NONE],
    [rules(rule('ls*', 'allow', { shells: ['PowerShell'] })), ['ls'], 'allow'],
    [rules(rule('ls*', 'allow', { shells: [] })), ['ls'], 'allow'],
    // What forbids is for every shell.
    [
      { defaultAction: 'allow', ...rules(rule('rm *', 'deny', { shells: ['cmd'] })) },
      ['rm', 'a'],
      'Matched rule: rm *',
    ],
    [rules(rule('echo "a b"', 'allow')), ['echo', 'a b'], 'allow'],
    [rules(rule('/usr/bin/git *', 'allow'), rule('*', 'deny')), ['/usr/bin/git', 'status'], 'allow'],
  ])('%j for %j: %s', (policy, argv, expected) => expect(said(policy, argv)).toBe(expected));
});

describe('what the rules of before let through, and these do not', () => {
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
    expect(said(OPEN, argv)).toBe('Matched rule: rm *');
  });

  test.each<string[][]>([
    [['sh', '-c', 'echo a']],
    [['env', '-S', 'rm -rf /']],
    [['env', 'A=b', 'rm', '-rf', '/']],
    [['sudo', 'rm', '-rf', '/']],
    [['xargs', 'rm']],
    [['find', '.', '-exec', 'rm', '{}', ';']],
    [['python', '-c', 'import os']],
  ])('%j, which cannot be looked through, is a person’s to allow', (argv) => {
    expect(said(OPEN, argv)).toBe('ask');
    expect(said(rules(rule('*', 'allow')), argv)).toBe('ask');
  });

  test('a rule for exactly this line does not let a shell run', () => {
    const exact = rules(rule('sh -c "git status"', 'allow'), rule('git status', 'allow'));
    expect(said(exact, ['git', 'status'])).toBe('allow');
    expect(said(exact, ['sh', '-c', 'git status'])).toBe('ask');
    expect(said(exact, ['sh', '-c', 'git  status'])).toBe(NONE);
  });

  test('a rule for a line with other letters is not for exactly this one: options have a case', () => {
    const exact = rules(rule('git -C /srv log', 'allow'));
    expect(said(exact, ['git', '-c', '/srv', 'log'])).toBe('ask');
  });

  test.each<string[][]>([[['make', 'test']], [['npm', 'test']], [['python', 'run.py']], [['git', 'fetch']]])(
    '%j loads code from elsewhere: a person is asked each time',
    (argv) => expect(said(rules(rule('*', 'allow')), argv)).toBe('ask'),
  );

  test.each<[string[], string]>([
    [['sh', '-c', ' '], 'Shell wrapper payload was empty'],
    [['powershell.exe', '-enc', '%%%'], 'EncodedCommand could not be decoded'],
    [['powershell.exe', '-enc', 'IAA='], 'EncodedCommand decoded to an empty payload'],
  ])('%j: %s', (argv, text) => expect(said(OPEN, argv)).toBe(text));

  test('variables make it a person’s to allow', () => {
    expect(said(rules(rule('ls*', 'allow')), ['ls'], true)).toBe('ask');
  });
});

test.each([
  [null],
  [[]],
  [{ rules: {} }],
  [{ rules: [{ pattern: 'a', action: 'maybe' }] }],
  [{ defaultAction: 'yes' }],
])('%j is not a list of rules', (value) => expect(parseRules(value)).toBeUndefined());
