import { describe, expect, it } from 'vitest';
import { passesFilter } from './trust.ts';

const NAMES = ['create_issue', 'create_pull', 'delete_issue', 'list_issues'];
const passing = (filter: Parameters<typeof passesFilter>[0]): string[] =>
  NAMES.filter((name) => passesFilter(filter, name));

describe('passesFilter', () => {
  it.each([
    [{}, NAMES],
    [{ include: ['create_issue'] }, ['create_issue']],
    [{ include: [] }, []],
    [{ include: ['create_*', '*_issue'] }, ['create_issue', 'create_pull', 'delete_issue']],
    [{ include: ['*_iss*'] }, ['create_issue', 'delete_issue', 'list_issues']],
    [{ include: ['*e*t*_*'] }, ['create_issue', 'create_pull', 'delete_issue']],
    [{ exclude: ['*_issue'] }, ['create_pull', 'list_issues']],
    [{ include: ['create_*'], exclude: ['*pull'] }, ['create_issue']],
    [{ include: ['*'], exclude: ['*'] }, []],
    [{ include: ['issue', 'Create_issue', 'create_issue*issue', 'create_issue?'] }, []],
    [{ include: ['**list**issues**'] }, ['list_issues']],
  ])('%j accepts %j', (filter, expected) => {
    expect(passing(filter)).toEqual(expected);
  });

  it('treats only * as special', () => {
    expect(passesFilter({ include: ['a.c'] }, 'abc')).toBe(false);
    expect(passesFilter({ include: ['a.*'] }, 'a.c')).toBe(true);
  });

  it('does not use one character for two parts of a pattern', () => {
    expect(passesFilter({ include: ['a*bc*c'] }, 'abc')).toBe(false);
    expect(passesFilter({ include: ['a*bc*c'] }, 'abcc')).toBe(true);
    expect(passesFilter({ include: ['ab*ba'] }, 'aba')).toBe(false);
  });

  it('is fast for any pattern', () => {
    expect(passesFilter({ include: ['*a*a*a*a*a*a*a*a*a*b'] }, 'a'.repeat(100_000))).toBe(false);
  });
});
