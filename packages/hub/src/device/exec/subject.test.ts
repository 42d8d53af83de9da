import { expect, test } from 'vitest';
import type { ExecPlan } from './plan/exec-plan.ts';
import { readSubject, subjectOf } from './subject.ts';

const SUBJECT = {
  argv: ['ls'],
  path: '/usr/bin/ls',
  cwd: '/',
  env: {},
  envHash: 'sha256:0',
  operands: [{ path: '/usr/bin/ls', sha256: '0' }],
};

test('what a person was shown is read as it was', () => {
  expect(readSubject(JSON.stringify(SUBJECT))).toEqual(SUBJECT);
});

test.each([
  ['a call that names another command beside it', { ...SUBJECT, command: ['id'] }],
  ['a command of which nothing was found', { argv: ['no-such-program'] }],
  ['no words', { ...SUBJECT, argv: [] }],
  ['nothing', {}],
  ['a text', 'ls'],
])('%s is none', (_, value) => expect(readSubject(JSON.stringify(value))).toBeUndefined());

test('names the agent that it is for, unless that is the main one', () => {
  const plan: ExecPlan = {
    argv: ['ls'],
    path: '/bin/ls',
    found: '/bin/ls',
    cwd: '/',
    envHash: 'sha256:x',
    operands: [],
  };
  expect(subjectOf(plan, {}, 'main')).not.toHaveProperty('agent');
  const work = subjectOf(plan, {}, 'work');
  expect(work).toMatchObject({ agent: 'work' });
  expect(readSubject(JSON.stringify(work))).toMatchObject({ agent: 'work' });
});
