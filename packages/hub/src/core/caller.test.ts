import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayUseServer, mayUse, mayUseSomeOf, type ScopedTool, type Scopes } from './caller.ts';

const tool = (server: string, name: string, readOnly = false): ScopedTool => ({ server, name, readOnly });

describe('mayUse', () => {
  it.each<[Scopes, ScopedTool, boolean]>([
    [{}, tool('github', 'create_issue'), true],
    [{ servers: ['github'] }, tool('github', 'x'), true],
    [{ servers: ['github'] }, tool('gitlab', 'x'), false],
    [{ servers: ['github'] }, tool('git', 'x'), false],
    [{ servers: [] }, tool('github', 'x'), false],
    [{ tools: ['github.x'] }, tool('github', 'x'), true],
    [{ tools: ['github.x'] }, tool('github', 'xy'), false],
    [{ tools: ['github.x'] }, tool('gitlab', 'x'), false],
    [{ tools: [] }, tool('github', 'x'), false],
    [{ tools: ['github.*'] }, tool('github', 'x'), true],
    [{ tools: ['github.*'] }, tool('github2', 'x'), false],
    [{ tools: ['github.list_*'] }, tool('github', 'list_issues'), true],
    [{ tools: ['github.list_*'] }, tool('github', 'create_issue'), false],
    [{ tools: ['a.*.c'] }, tool('a', 'b.c'), false],
    [{ tools: ['.*'] }, tool('github', 'x'), false],
    [{ tools: ['github.screen.*'] }, tool('github', 'screen.snapshot'), true],
    [{ tools: ['a.x', 'b.*'] }, tool('b', 'y'), true],
    [{ tools: ['*'] }, tool('github', 'x'), true],
    [{ readOnly: true }, tool('github', 'x', true), true],
    [{ readOnly: true }, tool('github', 'x', false), false],
    [{ readOnly: false }, tool('github', 'x', false), true],
    [{ servers: ['github'], tools: ['gitlab.x'] }, tool('gitlab', 'x'), false],
    [{ servers: ['github'], tools: ['gitlab.x'] }, tool('github', 'x'), false],
    [{ servers: ['github'], tools: ['github.x'], readOnly: true }, tool('github', 'x'), false],
    [{ servers: ['github'], tools: ['github.x'], readOnly: true }, tool('github', 'x', true), true],
    [{ servers: ['Github'] }, tool('github', 'x'), false],
  ])('%j and %j: %s', (scopes, wanted, expected) => {
    expect(mayUse(scopes, wanted)).toBe(expected);
  });

  it('a further restriction never allows more', () => {
    const word = fc.constantFrom('a', 'b', '*', 'a.b', 'b.*', 'a.a');
    const scopes: fc.Arbitrary<Scopes> = fc.record(
      { servers: fc.array(word), tools: fc.array(word), readOnly: fc.boolean() },
      { requiredKeys: [] },
    );
    const some = fc.record({ server: word, name: word, readOnly: fc.boolean() });
    fc.assert(
      fc.property(scopes, scopes, some, (one, other, wanted) => {
        const both = { ...other, ...one };
        const { servers, tools, readOnly } = both;
        return (
          !mayUse(both, wanted) ||
          (mayUse({ servers }, wanted) && mayUse({ tools }, wanted) && mayUse({ readOnly }, wanted))
        );
      }),
    );
  });
});

describe('mayUseServer', () => {
  it.each<[Scopes, boolean]>([
    [{}, true],
    [{ readOnly: true }, true],
    [{ servers: ['github'] }, true],
    [{ servers: ['gitlab'] }, false],
    [{ servers: [] }, false],
    [{ tools: ['github.*'] }, false],
    [{ tools: ['*'] }, false],
    [{ servers: ['github'], tools: ['github.x'] }, false],
  ])('%j: %s', (scopes, expected) => {
    expect(mayUseServer(scopes, 'github')).toBe(expected);
  });
});

describe('mayUseSomeOf', () => {
  it.each<[Scopes, boolean]>([
    [{}, true],
    [{ readOnly: true }, true],
    [{ servers: ['github'] }, true],
    [{ servers: ['gitlab'] }, false],
    [{ tools: ['gitlab.*', 'github.x'] }, true],
    [{ tools: ['github.*'] }, true],
    [{ tools: ['git*'] }, true],
    [{ tools: ['*'] }, true],
    [{ tools: ['github'] }, false],
    [{ tools: ['git.x', 'githubs.*'] }, false],
    [{ tools: [] }, false],
    [{ servers: ['gitlab'], tools: ['github.x'] }, false],
  ])('%j: %s', (scopes, expected) => {
    expect(mayUseSomeOf(scopes, 'github')).toBe(expected);
  });

  it('returns true for every server with a usable tool', () => {
    const word = fc.constantFrom('a', 'b', 'a.b', 'a*', 'a.*', '*', 'b.a');
    const some = fc.record({ server: fc.constantFrom('a', 'b'), name: word, readOnly: fc.boolean() });
    const scopes = fc.record({ servers: fc.array(word), tools: fc.array(word) }, { requiredKeys: [] });
    fc.assert(
      fc.property(scopes, some, (own, wanted) => !mayUse(own, wanted) || mayUseSomeOf(own, wanted.server)),
    );
  });
});

it('the approve scope does not extend what a caller may use', () => {
  const tool = { server: 's', name: 't', readOnly: false };
  expect(mayUse({ approve: true, servers: [] }, tool)).toBe(false);
  expect(mayUse({ approve: true, readOnly: true }, tool)).toBe(false);
  expect(mayUseServer({ approve: true, tools: ['s.t'] }, 's')).toBe(false);
  expect(mayUse({ approve: true }, tool)).toBe(true);
});
