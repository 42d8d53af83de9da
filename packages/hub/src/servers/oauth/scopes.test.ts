import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { chooseScopes, createStepUps, scopesIn, scopeText } from './scopes.ts';

it.each([
  [
    'what the person has set, exactly',
    { configured: ['x'], challenged: ['a'], issuerSupports: ['offline_access'] },
    ['x'],
  ],
  ['what the challenge names', { challenged: ['a'], resourceSupports: ['a', 'b'] }, ['a']],
  ['else what the server lists', { resourceSupports: ['a', 'b'] }, ['a', 'b']],
  ['else nothing: the authorization server chooses', {}, []],
  [
    'and what keeps a sign-in alive, where it is known',
    { challenged: ['a'], issuerSupports: ['offline_access'] },
    ['a', 'offline_access'],
  ],
  ['but not where it is not', { challenged: ['a'], issuerSupports: ['a'] }, ['a']],
  ['nor alone', { issuerSupports: ['offline_access'] }, []],
  [
    'when more is needed, what there was and what is wanted',
    { granted: ['a', 'b'], challenged: ['b', 'c'], resourceSupports: ['z'] },
    ['a', 'b', 'c'],
  ],
  [
    'then, too, what the person has set',
    { configured: ['x'], granted: ['a'], challenged: ['c'] },
    ['x', 'a', 'c'],
  ],
] as const)('asks for %s', (_what, parts, expected) => {
  verifies('004-9.2-scope-challenge', '004-9.2-scopes-supported', '004-12.1-auth-scopes', '004-9.5-expanded');
  expect(chooseScopes(parts)).toEqual(expected);
});

describe('scopesIn', () => {
  it('takes words that are scopes, and nothing else', () => {
    expect(scopesIn('a "b" c\\d e\tf ü g')).toEqual(['a', 'g']);
    expect(scopesIn(undefined)).toEqual([]);
  });
});

describe('scopeText', () => {
  it('is what scopesIn reads, and nothing where there is none', () => {
    expect(scopesIn(scopeText(['read', 'write']))).toEqual(['read', 'write']);
    expect(scopeText([])).toBeUndefined();
  });
});

it('asks twice for the same scopes, then no more for a while', () => {
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
