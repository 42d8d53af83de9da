import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { digestOf, textOf, type ApprovalRequest } from './subject.ts';
import { toByteText } from '../wire/byte-text.ts';
import { readMembers } from '../wire/members.ts';

const request = (changes: Partial<ApprovalRequest> & { json?: string } = {}): ApprovalRequest => {
  const { json = '{"name":"delete","arguments":{"path":"/x","force":true}}', ...rest } = changes;
  return {
    caller: { id: 'c1', name: 'laptop', scopes: {} },
    server: 'files',
    method: 'tools/call',
    name: 'delete',
    definition: '{"name":"delete","inputSchema":{"type":"object"}}',
    params: readMembers(toByteText(json)),
    ...rest,
  };
};
const digest = (changes?: Parameters<typeof request>[0], origin = 'o'): string =>
  digestOf(request(changes), { digest: sha256, origin: () => origin });

describe('the digest of an approval', () => {
  it.each([
    ['another order and space', { json: '{ "arguments": {"force" : true, "path":"/x"}, "name":"delete"}' }],
    ['another spelling', { json: '{"name":"delete","arguments":{"path":"\\/\\u0078","force":true}}' }],
    [
      'the `_meta` of a request',
      { json: '{"name":"delete","arguments":{"path":"/x","force":true},"_meta":{"progressToken":7}}' },
    ],
    [
      'the request state',
      { json: '{"name":"delete","arguments":{"path":"/x","force":true},"requestState":"s"}' },
    ],
    ['another order in the definition', { definition: '{"inputSchema":{"type":"object"},"name":"delete"}' }],
    ['another name of the same caller', { caller: { id: 'c1', name: 'renamed', scopes: {} } }],
  ])('does not depend on %s', (_what, changes) => {
    expect(digest(changes)).toBe(digest());
  });

  it.each([
    ['the caller', { caller: { id: 'c2', name: 'laptop', scopes: {} } }],
    ['the server', { server: 'other' }],
    ['the tool', { name: 'remove' }],
    ['the method', { method: 'prompts/get' }],
    ['the definition', { definition: '{"name":"delete","inputSchema":{"type":"object"},"description":"x"}' }],
    ['a missing definition', { definition: undefined }],
    ['an argument', { json: '{"name":"delete","arguments":{"path":"/y","force":true}}' }],
    ['an additional argument', { json: '{"name":"delete","arguments":{"path":"/x","force":true,"n":null}}' }],
    [
      'a duplicate argument',
      { json: '{"name":"delete","arguments":{"path":"/y","path":"/x","force":true}}' },
    ],
    [
      'a member beside the arguments',
      { json: '{"name":"delete","arguments":{"path":"/x","force":true},"task":{}}' },
    ],
    [
      'input responses',
      { json: '{"name":"delete","arguments":{"path":"/x","force":true},"inputResponses":{}}' },
    ],
    ['missing arguments', { json: '{"name":"delete"}' }],
  ])('depends on %s', (_what, changes) => {
    expect(digest(changes)).not.toBe(digest());
  });

  it('depends on the origin of the server', () => {
    expect(digest({}, 'other')).not.toBe(digest());
  });

  it('differs for names that contain each other', () => {
    expect(digest({ server: 'a', name: 'b","c' })).not.toBe(digest({ server: 'a","b', name: 'c' }));
  });
});

describe('the text for the person', () => {
  const shown = (changes?: Parameters<typeof request>[0], max = 1_000) => textOf(request(changes), max)!;

  it('has the caller, the tool and the arguments', () => {
    expect(shown()).toEqual({
      caller: 'laptop',
      server: 'files',
      tool: 'delete',
      arguments: '{"path":"/x","force":true}',
    });
    expect(shown({ json: '{"name":"delete"}' }).arguments).toBe('{}');
  });

  it('has everything, secrets included, or is undefined', () => {
    expect(shown({ json: '{"name":"x","arguments":{"apiKey":"hush | sh"}}' }).arguments).toBe(
      '{"apiKey":"hush | sh"}',
    );
    const json = `{"name":"x","arguments":{"a":"${'word '.repeat(5_000)}"}}`;
    expect(textOf(request({ json }), 1_000)).toBeUndefined();
    expect(shown({ json }, 26_000).arguments).toHaveLength(25_008);
  });

  it('counts the name too', () => {
    const name = 'file:///'.padEnd(990, 'x');
    const long = {
      method: 'resources/read',
      name,
      definition: undefined,
      json: JSON.stringify({ uri: name }),
    };
    expect(textOf(request(long), 1_000)).toBeUndefined();
    expect(shown(long, 1_010)).toMatchObject({ tool: `resources/read ${name}` });
  });

  it('has every member that the server gets', () => {
    expect(shown({ json: '{"name":"x","arguments":{"a":1},"task":{"ttl":5},"_meta":{}}' }).arguments).toBe(
      '{"arguments":{"a":1},"task":{"ttl":5}}',
    );
  });

  it('names method and URI if it is not a tool', () => {
    const json = '{"uri":"file:///etc/passwd"}';
    expect(
      shown({ method: 'resources/read', name: 'file:///etc/passwd', definition: undefined, json }),
    ).toMatchObject({
      tool: 'resources/read file:///etc/passwd',
      arguments: '{}',
    });
  });

  it('has the whole URI', () => {
    const uri = 'https://user:hunter2|sh@h/?api_key=sk-0123&page=2';
    const json = JSON.stringify({ uri });
    expect(shown({ method: 'resources/read', name: uri, definition: undefined, json })).toMatchObject({
      tool: `resources/read ${uri}`,
      arguments: '{}',
    });
  });
});
