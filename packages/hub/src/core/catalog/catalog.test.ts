import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../test/kit/any-text.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { verifies } from '../../../../../test/verifies.ts';
import {
  aboutOf,
  definePrompt,
  defineResource,
  defineTemplate,
  defineTool,
  offerOf,
} from '../../../../../test/kit/offer.ts';
import { createCatalog, type Catalog, type CatalogServer } from './catalog.ts';
import type { ListKind, Offer } from './offer.ts';
import type { ToolDefinition } from './tool-definition.ts';
import { isPrefix, naturalName } from './tool-name.ts';

const define = (name: string, description = ''): ToolDefinition => defineTool({ name, description });
const tools = (...tools: ToolDefinition[]): Offer => offerOf({ tools });

type ToolsOf = readonly [server: CatalogServer, tools: readonly string[]];

const fill = (offers: readonly ToolsOf[], order = offers): Catalog => {
  const catalog = createCatalog(sha256);
  catalog.configure(offers.map(([server]) => server));
  for (const [{ name }, names] of order) catalog.put(name, tools(...names.map((tool) => define(tool))));
  return catalog;
};

const at = (name: string, prefix = name): CatalogServer => ({ name, prefix });

/** `server.tool` → exposed name. */
const names = (catalog: Catalog): Record<string, string> =>
  Object.fromEntries(
    catalog.list(undefined).map(({ server, name, exposed }) => [`${server}.${name}`, exposed]),
  );

/** Whether an unprefixed name falls under the prefix of another server. */
const isForeign = (all: readonly (readonly [{ prefix: string }, unknown])[], name: string): boolean =>
  all.some(([{ prefix }]) => prefix !== '' && name.startsWith(`${prefix}__`));

describe('names', () => {
  const serverName = fc
    .string({ unit: fc.constantFrom('a', 'b', '_', '-'), minLength: 1, maxLength: 5 })
    .filter((name) => name !== '' && isPrefix(name));
  const toolName = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', '_', '-'), minLength: 1, maxLength: 6 }),
    anyText(6, 1),
    fc.nat(3).map((rest) => 'a'.repeat(60 + rest)),
    fc.constantFrom('screen.snapshot', 'screen_snapshot', 'screen snapshot', '__proto__', 'constructor'),
  );
  const toolNames = fc.uniqueArray(toolName, { maxLength: 8 });
  const server = fc.tuple(serverName, fc.option(fc.constantFrom('', 'a', 'b', 'a-b'), { nil: undefined }));
  const offers = fc
    .uniqueArray(fc.tuple(server, toolNames), { maxLength: 5, selector: ([[name]]) => name })
    .map((all) => all.map(([[name, prefix], list]): ToolsOf => [at(name, prefix), list]));

  it('are unique and valid, and resolve to their tool', () => {
    verifies('004-3.1-merge');
    fc.assert(
      fc.property(offers, (all) => {
        const catalog = fill(all);
        const list = catalog.list(undefined);
        return (
          list.length === all.reduce((sum, [, tools]) => sum + tools.length, 0) &&
          new Set(list.map(({ exposed }) => exposed)).size === list.length &&
          list.every(({ exposed }) => /^[A-Za-z0-9_-]{1,64}$/.test(exposed)) &&
          list.every((tool) => catalog.resolve(undefined, tool.exposed) === tool) &&
          list.every((tool) => catalog.resolve(tool.server, tool.name) === tool)
        );
      }),
      { numRuns: 500 },
    );
  });

  it('natural names are never taken from their tool', () => {
    fc.assert(
      fc.property(offers, (all) => {
        const catalog = fill(all);
        const natural = new Map(
          all.flatMap(([{ name, prefix }, tools]) =>
            tools.map((tool) => [`${name}\0${tool}`, naturalName(prefix, tool)] as const),
          ),
        );
        return [...natural.values()].every((name) => {
          if (name === undefined || isForeign(all, name)) return true;
          const holder = catalog.resolve(undefined, name);
          return holder !== undefined && natural.get(`${holder.server}\0${holder.name}`) === name;
        });
      }),
      { numRuns: 500 },
    );
  });

  it('do not depend on the order in which servers answer', () => {
    const shuffled = offers.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, order]) => {
        return JSON.stringify(names(fill(all))) === JSON.stringify(names(fill(all, order)));
      }),
      { numRuns: 300 },
    );
  });

  it('do not depend on the order in which a server lists its tools', () => {
    const shuffled = toolNames.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, order]) => {
        const a = names(fill([[at('s'), all]]));
        const b = names(fill([[at('s'), order]]));
        return all.every((tool) => a[`s.${tool}`] === b[`s.${tool}`]);
      }),
      { numRuns: 300 },
    );
  });

  it('distinguish a__b + c from a + b__c', () => {
    // `a__b` is not a valid prefix. With the closest valid settings all names differ.
    const catalog = fill([
      [at('a'), ['b__c', 'b', '_b__c']],
      [at('a-b'), ['c']],
      [at('a_b'), ['c', '_c']],
    ]);
    expect(names(catalog)).toEqual({
      'a.b__c': 'a__b__c',
      'a.b': 'a__b',
      'a._b__c': 'a___b__c',
      'a-b.c': 'a-b__c',
      'a_b.c': 'a_b__c',
      'a_b._c': 'a_b___c',
    });
  });

  it('have no prefix if it is empty, and the first configured server wins a clash', () => {
    const catalog = fill([
      [at('one', ''), ['search', 'b__c']],
      [at('two', ''), ['search', 'find']],
      [at('b'), ['c']],
    ]);
    const given = names(catalog);
    expect(given).toMatchObject({ 'one.search': 'search', 'b.c': 'b__c', 'two.find': 'find' });
    expect(given['two.search']).toMatch(/^search_[0-9a-f]{8}$/);
    // Even the first server does not get a name under another server's prefix.
    expect(given['one.b__c']).toMatch(/^b_c_[0-9a-f]{8}$/);
  });

  it('with the same prefix stay distinct', () => {
    const catalog = fill([
      [at('one', 'p'), ['search']],
      [at('two', 'p'), ['search']],
    ]);
    expect(catalog.resolve(undefined, 'p__search')?.server).toBe('one');
    expect(names(catalog)['two.search']).toMatch(/^p__search_[0-9a-f]{8}$/);
  });

  it('stay distinct for tools that differ only in replaced characters', () => {
    const catalog = fill([[at('a'), ['x.y', 'x y', 'x/y', 'x_y', 'ẍ_y']]]);
    const given = names(catalog);
    expect(given['a.x_y']).toBe('a__x_y');
    expect(new Set(Object.values(given)).size).toBe(5);
  });

  it('use a longer hash if the shorter one is taken', () => {
    const hash = sha256('s\0x.y').slice(0, 8);
    const catalog = fill([[at('s'), ['x.y', `x_y_${hash}`]]]);
    expect(names(catalog)).toEqual({
      [`s.x_y_${hash}`]: `s__x_y_${hash}`,
      's.x.y': `s__x_y_${sha256('s\0x.y').slice(0, 12)}`,
    });
  });

  it('never resolve inherited object properties', () => {
    const catalog = fill([[at('a'), ['x']]]);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']) {
      expect(catalog.resolve(undefined, name)).toBeUndefined();
      expect(catalog.resolve('a', name)).toBeUndefined();
      expect(catalog.resolve(name, 'x')).toBeUndefined();
      expect(catalog.has(name)).toBe(false);
    }
  });
});

describe('views', () => {
  const catalog = fill([
    [at('one'), ['b', 'a']],
    [at('two'), ['a']],
  ]);

  it('show everything in configuration order, or one server under its own names', () => {
    expect(catalog.list(undefined).map(({ exposed }) => exposed)).toEqual(['one__b', 'one__a', 'two__a']);
    expect(catalog.list('one').map(({ name }) => name)).toEqual(['b', 'a']);
    expect(catalog.list('unknown')).toEqual([]);
  });

  it('resolve by their own names only', () => {
    expect(catalog.resolve('two', 'a')?.server).toBe('two');
    expect(catalog.resolve('two', 'two__a')).toBeUndefined();
    expect(catalog.resolve('two', 'b')).toBeUndefined();
    expect(catalog.resolve(undefined, 'a')).toBeUndefined();
  });

  it('the first of two tools with the same name wins', () => {
    const twice = createCatalog(sha256);
    twice.configure([at('s')]);
    twice.put('s', tools(define('x', 'first'), define('x', 'second')));
    expect(twice.list('s').map(({ definition }) => definition.raw)).toEqual([define('x', 'first').raw]);
  });
});

describe('version and changes', () => {
  const watch = (): { catalog: Catalog; changes: ListKind[][]; stop: () => void } => {
    const catalog = createCatalog(sha256);
    const changes: ListKind[][] = [];
    const stop = catalog.onChange((changed) => changes.push([...changed]));
    return { catalog, changes, stop };
  };

  it('the version grows only when something changes', () => {
    const { catalog, changes } = watch();
    expect(catalog.version).toBe(0);
    catalog.configure([at('s')]);
    const start = catalog.version;
    catalog.put('s', tools(define('a'), define('b')));
    catalog.put('s', tools(define('a'), define('b')));
    expect(catalog.version).toBe(start + 1);
    catalog.put('s', tools(define('a'), define('b', 'described')));
    expect(catalog.version).toBe(start + 2);
    catalog.put('s', tools(define('b', 'described'), define('a')));
    catalog.put('s', tools(define('a')));
    catalog.put('s', tools());
    catalog.put('s', tools());
    expect(catalog.version).toBe(start + 5);
    expect(changes).toEqual(Array.from({ length: 5 }, () => ['tools']));
  });

  it('a listener already sees the new catalog', () => {
    const catalog = createCatalog(sha256);
    catalog.configure([at('s')]);
    const seen: string[][] = [];
    catalog.onChange(() => seen.push(catalog.list(undefined).map(({ exposed }) => exposed)));
    catalog.put('s', tools(define('a')));
    catalog.put('s', tools(define('b')));
    expect(seen).toEqual([['s__a'], ['s__b']]);
  });

  it('a removed listener is not called', () => {
    const { catalog, changes, stop } = watch();
    catalog.configure([at('s')]);
    stop();
    catalog.put('s', tools(define('a')));
    expect(changes).toEqual([]);
  });

  it('a first offer without tools is a change: the server is known from then on', () => {
    const { catalog } = watch();
    catalog.configure([at('s')]);
    expect(catalog.isKnown('s')).toBe(false);
    expect(catalog.has('s')).toBe(true);
    catalog.put('s', tools());
    expect(catalog.isKnown('s')).toBe(true);
  });

  it('removing a server from the configuration removes its tools', () => {
    const { catalog } = watch();
    catalog.configure([at('a'), at('b')]);
    catalog.put('a', tools(define('x')));
    catalog.put('b', tools(define('x')));
    catalog.configure([at('b')]);
    expect(catalog.list(undefined).map(({ exposed }) => exposed)).toEqual(['b__x']);
    expect(catalog.has('a')).toBe(false);
    expect(catalog.isKnown('a')).toBe(false);
    catalog.configure([at('a'), at('b')]);
    expect(catalog.list('a')).toEqual([]);
  });

  it('a new prefix renames the tools', () => {
    const { catalog } = watch();
    catalog.configure([at('a')]);
    catalog.put('a', tools(define('x')));
    catalog.configure([at('a', 'z')]);
    expect(names(catalog)).toEqual({ 'a.x': 'z__x' });
    expect(catalog.resolve(undefined, 'a__x')).toBeUndefined();
  });
});

describe('one offer', () => {
  it("of two servers is listed under each server's names", () => {
    const catalog = createCatalog(sha256);
    catalog.configure([at('a'), at('b')]);
    const same = offerOf({ tools: [define('x')], prompts: [definePrompt('p')] });
    catalog.put('a', same);
    catalog.put('b', same);
    expect(names(catalog)).toEqual({ 'a.x': 'a__x', 'b.x': 'b__x' });
    expect(catalog.prompts(undefined).map(({ exposed }) => exposed)).toEqual(['a__p', 'b__p']);
  });

  it('changes only the lists with new content', () => {
    const catalog = createCatalog(sha256);
    const changes: ListKind[][] = [];
    catalog.onChange((changed) => changes.push([...changed]));
    catalog.configure([at('s')]);
    const offer = offerOf({ tools: [define('x')], resources: [defineResource('a:1')] });
    expect(catalog.put('s', offer)).toBe(true);
    expect(catalog.put('s', { ...offer })).toBe(false);
    catalog.put('s', { ...offer, prompts: [definePrompt('p')] });
    catalog.put('s', { ...offer, templates: [defineTemplate('a:{x}')] });
    catalog.configure([at('s', 'z')]);
    catalog.configure([]);
    expect(changes).toEqual([
      ['tools', 'resources'],
      ['prompts'],
      ['prompts', 'resources'],
      ['tools'],
      ['tools', 'resources'],
    ]);
  });

  it('with only a new description changes the version but no list', () => {
    const catalog = createCatalog(sha256);
    const changes: unknown[] = [];
    catalog.configure([at('s')]);
    catalog.put('s', offerOf({}));
    const { version } = catalog;
    catalog.onChange((changed) => changes.push(changed));
    expect(catalog.put('s', offerOf({ about: aboutOf({ logging: {} }, 'Be kind.') }))).toBe(true);
    expect(catalog.version).toBe(version + 1);
    expect(catalog.about('s')).toMatchObject({ instructions: 'Be kind.' });
    expect(changes).toEqual([]);
    expect(catalog.about('unknown')).toBeUndefined();
  });
});

describe('prompts', () => {
  const catalog = createCatalog(sha256);
  catalog.configure([at('one'), at('two')]);
  catalog.put('one', offerOf({ tools: [define('x')], prompts: [definePrompt('x'), definePrompt('y z')] }));
  catalog.put('two', offerOf({ prompts: [definePrompt('x')] }));

  it('have names like tools, in their own namespace', () => {
    const given = catalog.prompts(undefined).map(({ exposed }) => exposed);
    expect(given).toEqual(['one__x', expect.stringMatching(/^one__y_z_[0-9a-f]{8}$/), 'two__x']);
    expect(catalog.prompt(undefined, 'two__x')).toMatchObject({ server: 'two', name: 'x' });
    expect(catalog.prompt(undefined, given[1]!)?.name).toBe('y z');
  });

  it('of one server have their own names', () => {
    expect(catalog.prompts('two').map(({ name }) => name)).toEqual(['x']);
    expect(catalog.prompt('two', 'x')?.server).toBe('two');
    expect(catalog.prompt('two', 'two__x')).toBeUndefined();
    expect(catalog.prompts('unknown')).toEqual([]);
  });
});

describe('a withheld tool', () => {
  const open = (): Catalog => {
    const catalog = createCatalog(sha256);
    catalog.configure([
      { name: 'a', prefix: '' },
      { name: 'b', prefix: '' },
    ]);
    return catalog;
  };

  it('keeps its name, so that no other tool gets it', () => {
    const catalog = open();
    catalog.put('a', offerOf({ tools: [defineTool({ name: 'send' })] }));
    catalog.put('b', offerOf({ tools: [defineTool({ name: 'send' })] }));
    const before = catalog.list(undefined).find(({ server }) => server === 'b')!.exposed;
    expect(catalog.put('a', offerOf({ withheld: [defineTool({ name: 'send' })] }))).toBe(true);
    expect(catalog.list(undefined).map(({ server, exposed }) => [server, exposed])).toEqual([['b', before]]);
    expect(catalog.resolve(undefined, 'send')).toBeUndefined();
    expect(catalog.withheld(undefined, 'send')).toMatchObject({ server: 'a', name: 'send' });
    expect(catalog.withheld('a', 'send')).toMatchObject({ server: 'a' });
    expect(catalog.withheld('b', 'send')).toBeUndefined();
  });
});
