import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { chooseScopes, createStepUps, scopesIn, scopeText } from './scopes.ts';

it.each([
  [
    'exactly the configured scopes',
    { configured: ['x'], challenged: ['a'], issuerSupports: ['offline_access'] },
    ['x'],
  ],
  ['the scopes of the challenge', { challenged: ['a'], resourceSupports: ['a', 'b'] }, ['a']],
  ['otherwise the scopes of the server’s metadata', { resourceSupports: ['a', 'b'] }, ['a', 'b']],
  ['otherwise none: the authorization server chooses', {}, []],
  [
    'offline_access in addition, if it is supported',
    { challenged: ['a'], issuerSupports: ['offline_access'] },
    ['a', 'offline_access'],
  ],
  ['no offline_access if it is not supported', { challenged: ['a'], issuerSupports: ['a'] }, ['a']],
  ['no offline_access alone', { issuerSupports: ['offline_access'] }, []],
  [
    'the granted and the missing scopes at a step-up',
    { granted: ['a', 'b'], challenged: ['b', 'c'], resourceSupports: ['z'] },
    ['a', 'b', 'c'],
  ],
  [
    'the configured scopes in addition at a step-up',
    { configured: ['x'], granted: ['a'], challenged: ['c'] },
    ['x', 'a', 'c'],
  ],
] as const)('asks for %s', (_what, parts, expected) => {
  verifies('004-9.2-scope-challenge', '004-9.2-scopes-supported', '004-12.1-auth-scopes', '004-9.5-expanded');
  expect(chooseScopes(parts)).toEqual(expected);
});

describe('scopesIn', () => {
  it('keeps only valid scopes', () => {
    expect(scopesIn('a "b" c\\d e\tf ü g')).toEqual(['a', 'g']);
    expect(scopesIn(undefined)).toEqual([]);
  });
});

describe('scopeText', () => {
  it('is the inverse of scopesIn, and undefined for none', () => {
    expect(scopesIn(scopeText(['read', 'write']))).toEqual(['read', 'write']);
    expect(scopeText([])).toBeUndefined();
  });
});

it('requests the same scopes twice, then refuses for a while', () => {
  let now = 0;
  const stepUps = createStepUps({ elapsed: () => now }, 1_000);
  const ask = (scopes: string[], key = 'a'): void => stepUps.assertWorth('docs', key, scopes);
  ask(['x', 'y']);
  ask(['y', 'x']);
  expect(() => ask(['x', 'y'])).toThrow(/still requires them/);
  ask(['x', 'y'], 'b');
  ask(['x', 'y', 'z']);
  ask(['x', 'y', 'z']);
  expect(() => ask(['x', 'y', 'z'])).toThrow(/still requires/);
  now = 1_000;
  ask(['x', 'y', 'z']);
});
