import { expect, it } from 'vitest';
import { createUnattendedSessions, requestOf } from './asking.ts';

it('a tool is called by the name that its server has for it', () => {
  expect(requestOf('lab__createissue', { n: 1 }, 'lab', ['createIssue'])).toEqual({
    method: 'tools/call',
    params: { name: 'createIssue', arguments: { n: 1 } },
  });
});

it('the tools that the host adds are requests of their own', () => {
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

it('a tool of the server that is called like one of them is itself', () => {
  expect(requestOf('lab__resources_read', { uri: 'a:b' }, 'lab', ['resources_read'])?.method).toBe(
    'tools/call',
  );
  expect(requestOf('lab__resources_read', {}, 'lab', ['resources.read', 'resources-read'])?.method).toBe(
    'resources/read',
  );
  expect(requestOf('lab__resources_read', {}, 'lab', ['resources_read', 'Resources_Read'])).toBeUndefined();
});

it('lists are asked about by nobody, and what is not known is not guessed', () => {
  expect(requestOf('lab__resources_list', {}, 'lab', [])).toBeUndefined();
  expect(requestOf('lab__y', {}, 'lab', ['x'])).toBeUndefined();
});

it('a conversation in which nobody could be asked is left to the hub for a while', () => {
  let now = 0;
  const unattended = createUnattendedSessions(() => now);
  expect(unattended.has('agent:main:a')).toBe(false);
  unattended.add('agent:main:a');
  expect(unattended.has('agent:main:a')).toBe(true);
  expect(unattended.has('agent:main:b')).toBe(false);
  now = 5 * 60_000;
  expect(unattended.has('agent:main:a')).toBe(false);
});

it('that of a subagent always is', () => {
  expect(createUnattendedSessions(() => 0).has('agent:main:subagent:1')).toBe(true);
});

it('not more of them are remembered than there is room for', () => {
  const unattended = createUnattendedSessions(() => 0);
  for (let n = 0; n <= 1_000; n++) unattended.add(`agent:main:${n}`);
  expect(unattended.has('agent:main:0')).toBe(false);
  expect(unattended.has('agent:main:1')).toBe(true);
  expect(unattended.has('agent:main:1000')).toBe(true);
});
