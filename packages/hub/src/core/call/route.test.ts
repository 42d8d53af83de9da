import { describe, expect, it } from 'vitest';
import {
  aboutOf,
  definePrompt,
  defineResource,
  defineTemplate,
  defineTool,
  offerOf,
} from '../../../../../test/kit/offer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import type { Scopes } from '../caller.ts';
import { createCatalog, type View } from '../catalog/catalog.ts';
import { BadParamsError, findRoute, unknownTarget, type Addressed, type Route } from './route.ts';
import { createTaskBook } from './task-ids.ts';
import { toByteText } from '../wire/byte-text.ts';
import { readMembers, writeMembers } from '../wire/members.ts';

const catalog = createCatalog(sha256);
catalog.configure([
  { name: 'github', prefix: 'github' },
  { name: 'docs', prefix: 'docs' },
]);
catalog.put(
  'github',
  offerOf({
    about: aboutOf({ resources: {} }),
    tools: [
      defineTool({ name: 'search' }),
      defineTool({ name: 'read', annotations: { readOnlyHint: true } }),
    ],
    prompts: [definePrompt('review'), definePrompt('größe')],
    resources: [defineResource('repo:readme'), defineResource('shared:x')],
  }),
);
catalog.put(
  'docs',
  offerOf({
    about: aboutOf({ resources: {} }),
    prompts: [definePrompt('review')],
    resources: [defineResource('shared:x'), defineResource('docs:intro')],
    templates: [defineTemplate('docs:{page}')],
  }),
);
const tasks = createTaskBook();
const TASK = tasks.of('c', 'github').toCaller('t-1');

interface Asked {
  readonly method: string;
  readonly params: string;
  readonly view?: View;
  readonly scopes?: Scopes;
  readonly caller?: string;
}

const addressed = ({ method, params, view, scopes = {}, caller = 'c' }: Asked): Addressed => ({
  caller: { id: caller, name: caller, scopes },
  view,
  method,
  params: readMembers(toByteText(params)),
});
const route = (asked: Asked): Route | undefined => findRoute({ catalog, tasks }, addressed(asked));
const textOf = (found: Route | undefined): string | undefined =>
  found && Buffer.from(writeMembers(found.params), 'latin1').toString();

describe('a tool', () => {
  const call = (name: string, over: Partial<Asked> = {}): Route | undefined =>
    route({ method: 'tools/call', params: `{"name":"${name}","arguments":{"n": 1.0},"x": 1.0}`, ...over });

  it('goes to its server under its name there', () => {
    const found = call('github__search');
    expect(found).toMatchObject({
      server: 'github',
      name: 'search',
      scoped: { server: 'github', name: 'search' },
    });
    expect(textOf(found)).toBe('{"name":"search","arguments":{"n": 1.0},"x":1.0}');
    expect(found!.tool?.definition.name).toBe('search');
  });

  it('has its own name in the view of its server', () => {
    expect(textOf(call('search', { view: 'github' }))).toBe(
      '{"name":"search","arguments":{"n": 1.0},"x":1.0}',
    );
    expect(call('search', { view: 'docs' })).toBeUndefined();
    expect(call('github__search', { view: 'github' })).toBeUndefined();
  });

  it.each<[Scopes, boolean]>([
    [{ servers: ['github'] }, true],
    [{ servers: ['docs'] }, false],
    [{ tools: ['github.search'] }, true],
    [{ tools: ['github.read'] }, false],
    [{ readOnly: true }, false],
  ])('exists for a caller with %j: %s', (scopes, isThere) => {
    expect(call('github__search', { scopes }) !== undefined).toBe(isThere);
  });

  it.each([
    ['{}', '"params.name" must be a string.'],
    ['{"name":7}', '"params.name" must be a string.'],
    ['{"name":null}', '"params.name" must be a string.'],
    ['{"name":"x","arguments":[]}', '"params.arguments" must be an object.'],
    ['{"name":"x","arguments":"{}"}', '"params.arguments" must be an object.'],
    ['{"name":"x","arguments":null}', '"params.arguments" must be an object.'],
  ])('is malformed if asked for by %s, known or unknown', (params, message) => {
    expect(() => route({ method: 'tools/call', params })).toThrow(new BadParamsError(message));
  });
});

describe('a prompt', () => {
  const get = (name: string, over: Partial<Asked> = {}): Route | undefined =>
    route({ method: 'prompts/get', params: JSON.stringify({ name, arguments: { a: 'b' } }), ...over });

  it('goes to its server under its name there', () => {
    const found = get('docs__review');
    expect(found).toMatchObject({ server: 'docs', name: 'review', tool: undefined });
    expect(textOf(found)).toBe('{"name":"review","arguments":{"a":"b"}}');
    expect(found!.scoped).toEqual({ server: 'docs', name: '', readOnly: true });
  });

  it('may have a name in any script', () => {
    const shown = catalog.prompts(undefined).find(({ name }) => name === 'größe')!.exposed;
    expect(textOf(get(shown))).toBe('{"name":"größe","arguments":{"a":"b"}}');
  });

  it.each<[Scopes, boolean]>([
    [{}, true],
    [{ servers: ['docs'] }, true],
    [{ servers: ['github'] }, false],
    [{ tools: ['docs.*'] }, false],
    [{ readOnly: true }, true],
  ])('exists for a caller with %j: %s', (scopes, isThere) => {
    expect(get('docs__review', { scopes }) !== undefined).toBe(isThere);
  });

  it('is malformed without a name', () => {
    expect(() => route({ method: 'prompts/get', params: '{"name":{}}' })).toThrow(BadParamsError);
  });
});

describe.each(['resources/read', 'resources/subscribe', 'resources/unsubscribe'])('%s', (method) => {
  const read = (uri: string, over: Partial<Asked> = {}): Route | undefined =>
    route({ method, params: `{"uri":"${uri}","x": 1.0}`, ...over });

  it('goes to the server that lists the URI, unchanged', () => {
    const found = read('repo:readme');
    expect(found).toMatchObject({ server: 'github', name: 'repo:readme', tool: undefined });
    expect(textOf(found)).toBe('{"uri":"repo:readme","x":1.0}');
    expect(read('docs:any')).toMatchObject({ server: 'docs' });
  });

  it('goes to the first server that lists the URI and that the caller may use', () => {
    expect(read('shared:x')).toMatchObject({ server: 'github' });
    expect(read('shared:x', { scopes: { servers: ['docs'] } })).toMatchObject({ server: 'docs' });
    expect(read('shared:x', { scopes: { servers: [] } })).toBeUndefined();
    expect(read('shared:x', { scopes: { tools: ['github.*'] } })).toBeUndefined();
  });

  it('goes to the server of the view', () => {
    expect(read('shared:x', { view: 'docs' })).toMatchObject({ server: 'docs' });
    expect(read('shared:x', { view: 'docs', scopes: { servers: ['github'] } })).toBeUndefined();
    expect(read('shared:x', { view: 'unknown' })).toBeUndefined();
  });

  it('is malformed without a URI', () => {
    expect(() => route({ method, params: '{"uri":7}' })).toThrow(
      new BadParamsError('"params.uri" must be a string.'),
    );
  });
});

describe('a completion', () => {
  const complete = (ref: string, over: Partial<Asked> = {}): Route | undefined =>
    route({
      method: 'completion/complete',
      params: `{"ref":${ref},"argument":{"name":"docs__review","value": "x"}}`,
      ...over,
    });

  it('of a prompt’s argument goes to its server under the prompt’s own name', () => {
    const found = complete('{"type":"ref/prompt","name":"docs__review","n": 1.0}');
    expect(found).toMatchObject({ server: 'docs', name: 'review' });
    expect(textOf(found)).toBe(
      '{"ref":{"type":"ref/prompt","name":"review","n":1.0},"argument":{"name":"docs__review","value": "x"}}',
    );
  });

  it('of a resource template goes to the server that lists it, unchanged', () => {
    const found = complete('{"type":"ref/resource","uri":"docs:{page}", "n": 1.0}');
    expect(found).toMatchObject({ server: 'docs', name: 'docs:{page}' });
    expect(textOf(found)).toContain('{"type":"ref/resource","uri":"docs:{page}", "n": 1.0}');
  });

  it('needs the right to use the server', () => {
    const scopes = { servers: ['github'] };
    expect(complete('{"type":"ref/prompt","name":"docs__review"}', { scopes })).toBeUndefined();
    const none = { servers: [] };
    expect(complete('{"type":"ref/resource","uri":"docs:{page}"}', { scopes: none })).toBeUndefined();
    expect(complete('{"type":"ref/prompt","name":"unknown"}')).toBeUndefined();
  });

  it.each([
    '7',
    '[]',
    'null',
    '{}',
    '{"type":"ref/prompt"}',
    '{"type":"ref/prompt","name":7}',
    '{"type":"ref/resource","name":"docs__review"}',
    '{"type":"ref/tool","name":"docs__review"}',
    '{"type":"ref/prompt","name":"docs__review","n\\u0061me":"github__review"}',
  ])('is malformed with the reference %s', (ref) => {
    expect(() => complete(ref)).toThrow(BadParamsError);
  });

  it('is malformed without a reference', () => {
    expect(() => route({ method: 'completion/complete', params: '{}' })).toThrow(BadParamsError);
  });
});

describe.each(['tasks/get', 'tasks/cancel', 'tasks/result', 'tasks/update'])('%s', (method) => {
  const params = `{"taskId":"${TASK}","x": 1.0}`;

  it('goes to the server that runs the task', () => {
    const found = route({ method, params });
    expect(found).toMatchObject({ server: 'github', name: 't-1', tool: undefined });
    expect(textOf(found)).toBe('{"taskId":"t-1","x":1.0}');
  });

  it('works only for the caller that started the task', () => {
    expect(route({ method, params, caller: 'd' })).toBeUndefined();
    expect(route({ method, params: '{"taskId":"t-1"}' })).toBeUndefined();
  });

  it('is unknown in the view of another server', () => {
    expect(route({ method, params, view: 'github' })).toMatchObject({ server: 'github' });
    expect(route({ method, params, view: 'files' })).toBeUndefined();
  });

  it('works for a caller that may use only the tool that began it', () => {
    expect(route({ method, params, scopes: { tools: ['github.search'] } })).toBeDefined();
  });

  it('is malformed without a task', () => {
    expect(() => route({ method, params: '{}' })).toThrow(
      new BadParamsError('"params.taskId" must be a string.'),
    );
  });
});

describe('the error for a request without a route', () => {
  it.each([
    ['tools/call', '{"name":"größe"}', 'TOOL_UNKNOWN', 'Unknown tool: größe'],
    ['prompts/get', '{"name":"x"}', 'PROMPT_UNKNOWN', 'Unknown prompt: x'],
    ['resources/read', '{"uri":"a:b"}', 'RESOURCE_UNKNOWN', 'Resource not found: a:b'],
    ['resources/subscribe', '{"uri":"a:b"}', 'RESOURCE_UNKNOWN', 'Resource not found: a:b'],
    ['tasks/get', '{"taskId":"t"}', 'TASK_UNKNOWN', 'Unknown task: t'],
    ['tools/call', '{}', 'TOOL_UNKNOWN', 'Unknown tool: '],
    ['tools/call', '{"name":7}', 'TOOL_UNKNOWN', 'Unknown tool: '],
  ])('for %s %s is %s', (method, params, code, message) => {
    expect(unknownTarget(addressed({ method, params }))).toMatchObject({ code, message });
  });

  it('names the resource in its data', () => {
    expect(unknownTarget(addressed({ method: 'resources/read', params: '{"uri":"a:b"}' })).data).toEqual({
      uri: 'a:b',
    });
  });

  it('exists for a completion too', () => {
    expect(unknownTarget(addressed({ method: 'completion/complete', params: '{}' })).code).toBe(
      'PROMPT_UNKNOWN',
    );
  });
});
