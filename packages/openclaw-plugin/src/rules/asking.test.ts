import { expect, it } from 'vitest';
import { createUnattendedSessions, requestOf } from './asking.ts';

it("finds the server's own name of a tool", () => {
  expect(requestOf('lab__createissue', { n: 1 }, 'lab', ['createIssue'])).toEqual({
    method: 'tools/call',
    params: { name: 'createIssue', arguments: { n: 1 } },
  });
});

it('translates the tools that the host adds to their requests', () => {
  expect(requestOf('lab__resources_read', { uri: 'a:b', more: 1 }, 'lab', [])).toEqual({
    method: 'resources/read',
    params: { uri: 'a:b' },
  });
  const prompt = (given: object): unknown =>
    requestOf('lab__prompts_get', { name: 'p', ...given }, 'lab', []);
  const method = 'prompts/get';
  expect(prompt({ arguments: { a: 'b' } })).toEqual({ method, params: { name: 'p', arguments: { a: 'b' } } });
  expect(prompt({ arguments: {} })).toEqual({ method, params: { name: 'p' } });
  expect(prompt({})).toEqual({ method, params: { name: 'p' } });
});

it('prefers a tool of the server over an added one of the same name', () => {
  expect(requestOf('lab__resources_read', { uri: 'a:b' }, 'lab', ['resources_read'])?.method).toBe(
    'tools/call',
  );
  expect(requestOf('lab__resources_read', {}, 'lab', ['resources.read', 'resources-read'])?.method).toBe(
    'resources/read',
  );
  expect(requestOf('lab__resources_read', {}, 'lab', ['resources_read', 'Resources_Read'])).toBeUndefined();
});

it('does not ask about lists, and does not guess unknown tools', () => {
  expect(requestOf('lab__resources_list', {}, 'lab', [])).toBeUndefined();
  expect(requestOf('lab__y', {}, 'lab', ['x'])).toBeUndefined();
});

it('leaves an unattended conversation to the hub for a while', () => {
  let now = 0;
  const unattended = createUnattendedSessions(() => now);
  expect(unattended.has('agent:main:a')).toBe(false);
  unattended.add('agent:main:a');
  expect(unattended.has('agent:main:a')).toBe(true);
  expect(unattended.has('agent:main:b')).toBe(false);
  now = 5 * 60_000;
  expect(unattended.has('agent:main:a')).toBe(false);
});

it('always leaves conversations of subagents to the hub', () => {
  expect(createUnattendedSessions(() => 0).has('agent:main:subagent:1')).toBe(true);
});

it('remembers a limited number of conversations', () => {
  const unattended = createUnattendedSessions(() => 0);
  for (let n = 0; n <= 1_000; n++) unattended.add(`agent:main:${n}`);
  expect(unattended.has('agent:main:0')).toBe(false);
  expect(unattended.has('agent:main:1')).toBe(true);
  expect(unattended.has('agent:main:1000')).toBe(true);
});
