import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { findProgram } from './find-program.ts';

it.each([
  ['linux', ':'],
  ['darwin', ':'],
  ['win32', ';'],
] as const)('splits the search path of %s at %s', (platform, between) => {
  using folder = temporaryFolder('programs');
  const program = join(folder.path, 'tool');
  writeFileSync(program, '', { mode: 0o755 });
  const PATH = ['bin', folder.path, '/no/such'].join(between);
  expect(findProgram('tool', { PATH }, platform)).toBe(program);
  expect(findProgram('other', { PATH }, platform)).toBeUndefined();
});

it('ignores relative folders', () => {
  expect(findProgram('vitest', { PATH: 'node_modules/.bin' }, 'linux')).toBeUndefined();
  expect(findProgram('../tool', { PATH: '/usr/bin' }, 'linux')).toBeUndefined();
});
