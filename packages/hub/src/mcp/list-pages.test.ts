import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/kit/any-text.ts';
import { FULL_SURFACE } from '../../../../test/kit/full-surface.ts';
import {
  definePrompt,
  defineResource,
  defineTemplate,
  defineTool,
  offerOf,
} from '../../../../test/kit/offer.ts';
import { sha256 } from '../../../../test/kit/sha256.ts';
import type { Caller, Scopes } from '../core/caller.ts';
import { createCatalog, type Catalog } from '../core/catalog/catalog.ts';
import type { Limits } from '../core/limits.ts';
import type { Offer } from '../core/catalog/offer.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { createLists, type ListMethod } from './lists.ts';

const caller = (scopes: Scopes = {}): Caller => ({ id: 'a', name: 'a', scopes });

const shelf = (offers: Record<string, Partial<Offer>>): Catalog => {
  const catalog = createCatalog(sha256);
  catalog.configure(Object.keys(offers).map((name) => ({ name, prefix: name })));
  for (const [name, offer] of Object.entries(offers)) catalog.put(name, offerOf(offer));
  return catalog;
};

describe('the other lists', () => {
  const catalog = shelf({
    a: {
      prompts: [definePrompt('hello', { title: 'Größe' })],
      resources: [defineResource('f:1', 'one')],
      templates: [defineTemplate('f:{x}')],
    },
    b: {
      prompts: [definePrompt('hello')],
      resources: [defineResource('f:1', 'eins'), defineResource('f:2')],
    },
  });
  const lists = createLists({ catalog, surface: FULL_SURFACE, limits: { listPageSize: 1_000 } });
  const ask = (method: ListMethod, view?: string, scopes: Scopes = {}): unknown =>
    parseBytes(lists(method, { caller: caller(scopes), view, era: 'legacy' }, undefined)!);

  it('name prompts in the same way as tools', () => {
    const titled = { name: 'hello', title: 'Größe' };
    expect(ask('prompts/list')).toEqual({
      prompts: [{ ...titled, name: 'a__hello' }, { name: 'b__hello' }],
    });
    expect(ask('prompts/list', 'a')).toEqual({ prompts: [titled] });
  });

  it('show resources under their own URIs, each once', () => {
    const named = (uri: string, name = uri): object => ({ uri, name });
    expect(ask('resources/list')).toEqual({ resources: [named('f:1', 'one'), named('f:2')] });
    expect(ask('resources/list', 'b')).toEqual({ resources: [named('f:1', 'eins'), named('f:2')] });
    expect(ask('resources/list', undefined, { servers: ['b'] })).toEqual({
      resources: [named('f:1', 'eins'), named('f:2')],
    });
    expect(ask('resources/templates/list')).toEqual({
      resourceTemplates: [{ uriTemplate: 'f:{x}', name: 'f:{x}' }],
    });
  });

  it.each<ListMethod>(['prompts/list', 'resources/list', 'resources/templates/list'])(
    '%s is empty for a caller that is confined to other servers or to tools',
    (method) => {
      for (const scopes of [{ servers: [] }, { servers: ['c'] }, { tools: ['a.*', 'b.*'] }])
        expect(Object.values(ask(method, undefined, scopes) as object)).toEqual([[]]);
      expect(ask(method, 'a', { readOnly: true })).toEqual(ask(method, 'a'));
    },
  );

  it('have the members that the modern era requires', () => {
    const text = lists('resources/list', { caller: caller(), view: 'b', era: 'modern' }, undefined)!;
    expect(Object.keys(parseBytes(text) as object)).toEqual([
      'resources',
      'resultType',
      'ttlMs',
      'cacheScope',
      '_meta',
    ]);
  });
});

describe('pages', () => {
  const SIZE: Pick<Limits, 'listPageSize'> = { listPageSize: 2 };
  const resources = (...names: string[]): Partial<Offer> => ({
    resources: names.map((name) => defineResource(name)),
  });

  interface Page {
    readonly resources: readonly { readonly uri: string }[];
    readonly nextCursor?: string;
  }

  function open(catalog: Catalog): (cursor?: string, method?: ListMethod) => Page | undefined {
    const lists = createLists({ catalog, surface: FULL_SURFACE, limits: SIZE });
    return (cursor, method = 'resources/list') => {
      const text = lists(method, { caller: caller(), view: undefined, era: 'legacy' }, cursor);
      return text === undefined ? undefined : (parseBytes(text) as Page);
    };
  }
  const urisOf = (page: Page | undefined): string[] => page!.resources.map(({ uri }) => uri);

  function readAll(page: ReturnType<typeof open>): string[] {
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const got: Page | undefined = page(cursor);
      all.push(...urisOf(got));
      cursor = got!.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  it('there is one, in the order of the servers, if it holds all', () => {
    const page = open(shelf({ b: resources('z:'), a: resources('y:') }));
    expect(page()).toEqual({
      resources: [
        { uri: 'z:', name: 'z:' },
        { uri: 'y:', name: 'y:' },
      ],
    });
  });

  it('contain every entry once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText(5, 1), { maxLength: 9 }), (uris) => {
        const all = readAll(open(shelf({ s: resources(...uris) })));
        return all.length === uris.length && new Set(all).size === all.length;
      }),
    );
  });

  it('continue at the same place after the list changed', () => {
    const catalog = shelf({ s: resources('a:', 'c:', 'e:', 'g:', 'i:') });
    const page = open(catalog);
    const first = page();
    expect(urisOf(first)).toEqual(['a:', 'c:']);
    catalog.put('s', offerOf(resources('i:', 'h:', 'g:', 'd:', 'b:')));
    const second = page(first!.nextCursor);
    expect(urisOf(second)).toEqual(['d:', 'g:']);
    catalog.put('s', offerOf(resources('h:', 'a:')));
    expect(page(second!.nextCursor)).toEqual({ resources: [{ uri: 'h:', name: 'h:' }] });
  });

  it('end, even if no entry is left', () => {
    const catalog = shelf({ s: resources('a:', 'b:', 'c:') });
    const page = open(catalog);
    const { nextCursor } = page()!;
    catalog.put('s', offerOf({}));
    expect(page(nextCursor)).toEqual({ resources: [] });
  });

  it('exist only for cursors that were issued', () => {
    const page = open(shelf({ s: resources('a:', 'b:', 'c:') }));
    const { nextCursor } = page()!;
    for (const wrong of ['', '2', 'null', 'größe', `${nextCursor}=`, ` ${nextCursor}`, nextCursor!.slice(1)])
      expect(page(wrong)).toBeUndefined();
    expect(page(nextCursor, 'tools/list')).toBeUndefined();
    expect(page(nextCursor)).toBeDefined();
  });

  it('exist in the modern era, and use the shown names of tools', () => {
    const tools = ['c', 'b', 'a'].map((name) => defineTool({ name }));
    const lists = createLists({ catalog: shelf({ s: { tools } }), surface: FULL_SURFACE, limits: SIZE });
    const asker = { caller: caller(), view: undefined, era: 'modern' } as const;
    const first = parseBytes(lists('tools/list', asker, undefined)!) as Record<string, unknown>;
    expect(first).toMatchObject({ tools: [{ name: 's__a' }, { name: 's__b' }], resultType: 'complete' });
    const second = parseBytes(lists('tools/list', asker, first['nextCursor'] as string)!) as Record<
      string,
      unknown
    >;
    expect(second).toMatchObject({ tools: [{ name: 's__c' }], ttlMs: 5_000 });
    expect(second['nextCursor']).toBeUndefined();
  });
});
