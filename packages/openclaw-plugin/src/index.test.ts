import { expect, it } from 'vitest';
import { isLocalRun } from './index.ts';

it.each([
  [['agent', '--local', '--message', 'x'], true],
  [['agent', '--message', 'x'], false],
  [['gateway', 'run'], false],
  [['config', 'get', '--local'], false],
])('isLocalRun of %j is %s', (words, isOne) => {
  expect(isLocalRun(['node', 'openclaw.mjs', ...words])).toBe(isOne);
});
