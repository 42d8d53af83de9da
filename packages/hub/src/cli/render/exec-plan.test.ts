import { describe, expect, it } from 'vitest';
import type { OpenApproval } from '../../control/contract/people.ts';
import { PLAIN } from '../terminal/style.ts';
import { nextStep, renderApproval, renderApprovals } from './approvals.ts';
import { unmistakable } from './approvals.ts';

const PLAN = {
  argv: ['sh', '-c', 'echo "hi"\nrm -rf ~'],
  path: '/usr/bin/dash',
  found: '/bin/sh',
  cwd: '/home/me/my notes',
  env: { LANG: 'C', EMPTY: '' },
  envHash: 'sha256:0a',
  operands: [
    { path: '/usr/bin/dash', sha256: 'ff00' },
    { path: '/big', stamp: '12:34' },
  ],
};
const question = (text: string, tool = 'system.run'): OpenApproval => ({
  id: 'abcdef0123',
  caller: 'local',
  server: 'device',
  tool,
  arguments: text,
  askedAt: 0,
  state: 'open',
  expiresAt: undefined,
});
const options = { style: PLAIN, now: 1_000, width: Number.POSITIVE_INFINITY, canAlways: true };
const bodyOf = (approval: OpenApproval, width = options.width): string[] =>
  renderApproval(approval, { ...options, width })
    .split('\n')
    .slice(1, -1);

describe('a command that waits for approval', () => {
  it('is shown part by part', () => {
    expect(bodyOf(question(JSON.stringify(PLAN)))).toEqual([
      String.raw`  command      sh -c $'echo "hi"\nrm -rf ~'`,
      '  program      /usr/bin/dash',
      '  found at     /bin/sh',
      "  folder       '/home/me/my notes'",
      '  sets         LANG=C',
      '  sets         EMPTY=',
      '  file         /usr/bin/dash  sha256 ff00',
      '  file         /big  stamp 12:34',
      '  environment  sha256:0a',
    ]);
  });

  it('offers --always only if it would be accepted', () => {
    const plain = question(JSON.stringify({ ...PLAN, env: {} }));
    expect(renderApprovals([plain], options)).toContain('pincer approvals allow abcdef --always');
    const once = ['Next: pincer approvals allow abc, or pincer approvals deny abc'];
    expect(nextStep(plain, 'abc', { canAlways: false })).toEqual(once);
    expect(nextStep(question(JSON.stringify(PLAN)), 'abc', options)).toEqual(once);
    expect(nextStep(question('{}', 'system.notify'), 'abc', options)).toEqual(once);
  });

  it('cannot imitate a line of Pincer by its length', () => {
    const text = `${'x '.repeat(40)} folder       /tmp`;
    const lines = bodyOf(question(JSON.stringify({ ...PLAN, argv: ['echo', text] })), 50);
    expect(lines.filter((line) => /^ {2}folder/.test(line))).toEqual(["  folder       '/home/me/my notes'"]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(50);
    expect(lines.map((line) => line.slice(15)).join('')).toContain(text);
  });

  it.each([
    ['a duplicate key', `{"argv":["ls"],${JSON.stringify(PLAN).slice(1)}`],
    ['an unknown key', JSON.stringify({ ...PLAN, shell: true })],
    ["the caller's own arguments", '{"command":["ls"]}'],
    ['invalid JSON', '{"argv":…'],
  ])('is shown unchanged if it has %s', (_, text) => {
    expect(bodyOf(question(text))).toEqual([`  ${text}`]);
  });
});

it.each([
  ['/usr/bin/git', '/usr/bin/git'],
  ['--flag=a,b', '--flag=a,b'],
  ['', "''"],
  ['A=b', "'A=b'"],
  ['~/x', "'~/x'"],
  ["it's $HOME", String.raw`'it'\''s $HOME'`],
  [String.raw`a\u000a`, String.raw`'a\u000a'`],
  ["a\n'\\", String.raw`$'a\n\'\\'`],
  ['a\tb', String.raw`$'a\u0009b'`],
  ['x\u202ey', String.raw`$'x\u202ey'`],
  ['a\u00a0b', String.raw`$'a\u00a0b'`],
  ['раypal', String.raw`$'\u0440\u0430ypal'`],
  ['Привет мир', "'Привет мир'"],
])('quotes %j', (word, shown) => expect(unmistakable(word)).toBe(shown));
