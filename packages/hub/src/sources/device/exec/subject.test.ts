import { expect, test } from 'vitest';
import { readSubject } from './subject.ts';

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
