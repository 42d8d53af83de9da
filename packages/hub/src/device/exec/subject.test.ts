import { expect, test } from 'vitest';
import type { ExecPlan } from './plan.ts';
import { readSubject, subjectOf } from './subject.ts';

const SUBJECT = {
  argv: ['ls'],
  path: '/usr/bin/ls',
  cwd: '/',
  env: {},
  envHash: 'sha256:0',
  operands: [{ path: '/usr/bin/ls', sha256: '0' }],
};

test('reads the subject that a person was shown', () => {
  expect(readSubject(JSON.stringify(SUBJECT))).toEqual(SUBJECT);
});

test.each([
  ['a call that names another command beside it', { ...SUBJECT, command: ['id'] }],
  ['a command without a plan', { argv: ['no-such-program'] }],
  ['no words', { ...SUBJECT, argv: [] }],
  ['nothing', {}],
  ['a text', 'ls'],
])('%s is not a subject', (_, value) => expect(readSubject(JSON.stringify(value))).toBeUndefined());

test('names the agent, unless it is the main one', () => {
  const plan: ExecPlan = {
    argv: ['ls'],
    path: '/bin/ls',
    found: '/bin/ls',
    cwd: '/',
    envHash: 'sha256:x',
    operands: [],
  };
  const made = { plan, copyPlan: undefined, onlyOnce: undefined, namesState: false, isUnchanged: undefined };
  expect(subjectOf(made, {}, 'main')).not.toHaveProperty('agent');
  const work = subjectOf(made, {}, 'work');
  expect(work).toMatchObject({ agent: 'work' });
  expect(readSubject(JSON.stringify(work))).toMatchObject({ agent: 'work' });
});

test('contains what is not covered, and why it can be allowed only once', () => {
  const plan: ExecPlan = {
    argv: ['make'],
    path: '/bin/make',
    found: '/bin/make',
    cwd: '/',
    envHash: 'x',
    operands: [],
  };
  const onlyOnce = { reason: 'make runs code', notCovered: ['make reads a makefile.'] };
  const subject = subjectOf(
    { plan, copyPlan: undefined, onlyOnce, namesState: false, isUnchanged: () => true },
    {},
    'main',
  );
  expect(subject).toMatchObject({
    onlyOnce: 'make runs code',
    notCovered: ['make reads a makefile.', expect.stringContaining('run in place, not as copies') as string],
  });
  expect(readSubject(JSON.stringify(subject))).toEqual(subject);
});
