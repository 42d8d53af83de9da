import { expect, it } from 'vitest';
import { chooseScopes } from './scopes.ts';
import { verifies } from '../../../../../../test/verifies.ts';

verifies('004-9.2-scope-challenge', '004-9.2-scopes-supported', '004-12.1-auth-scopes');

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
] as const)('asks for %s', (_what, parts, expected) => expect(chooseScopes(parts)).toEqual(expected));
