import { expect, it } from 'vitest';
import {
  definePrompt,
  defineResource,
  defineTemplate,
  defineTool,
  offerOf,
} from '../../../../test/kit/offer.ts';
import { sha256 } from '../../../../test/kit/sha256.ts';
import type { Scopes } from './caller.ts';
import { createCatalog, type View } from './catalog/catalog.ts';
import type { ListKind } from './catalog/offer.ts';
import { listedTo } from './listed.ts';

const catalog = createCatalog(sha256);
catalog.configure(['a', 'b'].map((name) => ({ name, prefix: name })));
for (const name of ['a', 'b'])
  catalog.put(
    name,
    offerOf({
      tools: [defineTool({ name: 'x' })],
      prompts: [definePrompt('p')],
      resources: [defineResource(`${name}:r`)],
      templates: [defineTemplate(`${name}:{t}`)],
    }),
  );

const count = (kind: ListKind, scopes: Scopes, view?: View): number =>
  listedTo(catalog, { caller: { id: 'c', name: 'c', scopes }, view }, kind).length;

it.each<[string, Scopes, View, [number, number, number]]>([
  ['everything, without restriction', {}, undefined, [4, 4, 4]],
  ['everything, restricted to one server', { servers: ['a'] }, undefined, [2, 2, 2]],
  ['everything, restricted to one tool', { tools: ['a.x'] }, undefined, [2, 0, 0]],
  ['one server', {}, 'a', [2, 2, 2]],
  ['a server that is not allowed', { servers: ['a'] }, 'b', [0, 0, 0]],
])('lists %s', (_what, scopes, view, [tools, prompts, resources]) => {
  expect(count('tools', scopes, view)).toBe(tools);
  expect(count('prompts', scopes, view)).toBe(prompts);
  expect(count('resources', scopes, view)).toBe(resources);
});
