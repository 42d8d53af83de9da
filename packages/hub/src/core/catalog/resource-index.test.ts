import { describe, expect, it } from 'vitest';
import { aboutOf, defineResource, defineTemplate, offerOf } from '../../../../../test/kit/offer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createCatalog, type Catalog, type CatalogServer } from './catalog.ts';
import type { ListKind, Offer } from './offer.ts';

const at = (name: string): CatalogServer => ({ name, prefix: name });

describe('resources', () => {
  const RESOURCES = aboutOf({ resources: {} });

  function catalogOf(offers: Record<string, Partial<Offer>>): Catalog {
    const catalog = createCatalog(sha256);
    catalog.configure(Object.keys(offers).map((name) => at(name)));
    for (const [name, offer] of Object.entries(offers))
      catalog.put(name, offerOf({ about: RESOURCES, ...offer }));
    return catalog;
  }

  const catalog = catalogOf({
    one: { resources: [defineResource('f:a', 'first'), defineResource('f:a', 'again')] },
    two: {
      resources: [defineResource('f:a', 'second'), defineResource('f:b')],
      templates: [defineTemplate('f:{x}', 'by two'), defineTemplate('g:{x}')],
    },
    three: { templates: [defineTemplate('f:{x}', 'by three'), defineTemplate('h:{+x}')] },
  });
  const listed = (allows?: (server: string) => boolean): string[] =>
    catalog
      .resources(undefined, allows)
      .map(({ server, uri, definition }) => `${server} ${uri} ${definition.name}`);

  it('are listed under their own URIs; on a clash, the first configured server wins', () => {
    expect(listed()).toEqual(['one f:a first', 'two f:b f:b']);
    expect(catalog.resources('two').map(({ definition }) => definition.name)).toEqual(['second', 'f:b']);
    expect(catalog.templates(undefined).map(({ definition }) => definition.name)).toEqual([
      'by two',
      'g:{x}',
      'h:{+x}',
    ]);
  });

  it('are those of the first server that the caller may use', () => {
    expect(listed((server) => server !== 'one')).toEqual(['two f:a second', 'two f:b f:b']);
    expect(catalog.ownerOf(undefined, 'f:a', (server) => server !== 'one')).toBe('two');
    expect(catalog.ownerOf('one', 'f:a', (server) => server !== 'one')).toBeUndefined();
    expect(catalog.resources('one', () => false)).toEqual([]);
  });

  it.each([
    ['f:a', 'one'],
    ['f:b', 'two'],
    ['f:c', 'two'],
    ['g:c', 'two'],
    ['h:a/b', 'three'],
    ['f:{x}', 'two'],
    ['h:{+x}', 'three'],
    ['i:a', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('the owner of %s is %s', (uri, owner) => {
    expect(catalog.ownerOf(undefined, uri)).toBe(owner);
  });

  it('in the view of one server belong to it, listed or not', () => {
    expect(catalog.ownerOf('three', 'f:a')).toBe('three');
    expect(catalog.ownerOf('three', 'i:a')).toBe('three');
    expect(catalog.ownerOf('unknown', 'f:a')).toBeUndefined();
  });

  it('that are not listed belong to the only server with resources', () => {
    const one = catalogOf({ tools: { about: aboutOf({ tools: {} }) }, files: {} });
    expect(one.ownerOf(undefined, 'i:a')).toBe('files');
    one.put('tools', offerOf({ about: RESOURCES }));
    expect(one.ownerOf(undefined, 'i:a')).toBeUndefined();
    expect(one.ownerOf(undefined, 'i:a', (server) => server === 'tools')).toBe('tools');
  });

  it('listed by several servers are reported as clashes', () => {
    expect(catalog.clashes()).toEqual([
      { uri: 'f:a', servers: ['one', 'two'] },
      { uri: 'f:{x}', servers: ['two', 'three'] },
    ]);
  });

  it('change their owner with the configuration order', () => {
    const clash = { resources: [defineResource('f:a')] };
    const both = catalogOf({ a: clash, b: clash });
    const changes: ListKind[][] = [];
    both.onChange((changed) => changes.push([...changed]));
    both.configure([at('b'), at('a')]);
    expect(both.ownerOf(undefined, 'f:a')).toBe('b');
    expect(changes).toEqual([['resources']]);
    expect(both.servers(undefined)).toEqual(['b', 'a']);
    expect(both.servers('a')).toEqual(['a']);
  });
});
