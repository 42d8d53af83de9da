import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FULL_SURFACE } from '../../../../test/kit/full-surface.ts';
import { defineTool, offerOf } from '../../../../test/kit/offer.ts';
import { sha256 } from '../../../../test/kit/sha256.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { Caller, Scopes } from '../core/caller.ts';
import { createCatalog, type Catalog, type View } from '../core/catalog/catalog.ts';
import { META_KEY, type Era } from '../core/protocol.ts';
import { parseToolDefinition } from '../core/catalog/tool-definition.ts';
import { parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { VERSION } from '../lib/version.ts';
import { createLists, MAX_REMEMBERED_BYTES } from './lists.ts';
import { createToolSurface } from './tool-surface.ts';

const caller = (scopes: Scopes = {}, id = 'a'): Caller => ({ id, name: id, scopes });

/** Only the tools of a list. */
const toolLists = (catalog: Catalog): ((caller: Caller, view: View, era: Era) => ByteText) => {
  const lists = createLists({ catalog, surface: FULL_SURFACE, limits: { listPageSize: 1_000 } });
  return (caller, view, era) => lists('tools/list', { caller, view, era }, undefined)!;
};

const SEARCH = {
  name: 'search',
  description: 'Sucht. Größe egal.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  annotations: { readOnlyHint: true },
  'x-unknown': [1, 2],
};
const READ_FILE = { name: 'read_file', inputSchema: { type: 'object' } };

const filled = (): Catalog => {
  const catalog = createCatalog(sha256);
  catalog.configure([
    { name: 'tavily', prefix: 'tavily' },
    { name: 'filesystem', prefix: 'filesystem' },
  ]);
  catalog.put('tavily', offerOf({ tools: [defineTool(SEARCH)] }));
  catalog.put(
    'filesystem',
    offerOf({ tools: [defineTool(READ_FILE), defineTool({ ...SEARCH, annotations: {} })] }),
  );
  return catalog;
};

interface Listed {
  readonly tools: readonly { readonly name: string }[];
  readonly [member: string]: unknown;
}
const read = (text: string): Listed => parseBytes(text) as Listed;
const namesIn = (text: string): string[] => read(text).tools.map(({ name }) => name);

describe('tools/list', () => {
  it('shows the tools of all servers, each prefixed with its server', () => {
    verifies('004-6.5-name', '004-3.1-merge');
    const list = toolLists(filled());
    expect(namesIn(list(caller(), undefined, 'legacy'))).toEqual([
      'tavily__search',
      'filesystem__read_file',
      'filesystem__search',
    ]);
  });

  it('shows one server under its bare names', () => {
    const list = toolLists(filled());
    expect(namesIn(list(caller(), 'filesystem', 'legacy'))).toEqual(['read_file', 'search']);
    expect(namesIn(list(caller(), 'unknown', 'legacy'))).toEqual([]);
  });

  it('keeps description, schema and all other members unchanged', () => {
    verifies('004-6.5-schema');
    const list = toolLists(filled());
    expect(read(list(caller(), undefined, 'legacy')).tools[0]).toEqual({ ...SEARCH, name: 'tavily__search' });
    expect(list(caller(), 'tavily', 'legacy')).toBe(`{"tools":[${defineTool(SEARCH).raw}]}`);
  });

  it('keeps the numbers of a schema unchanged', () => {
    const catalog = createCatalog(sha256);
    catalog.configure([{ name: 's', prefix: 's' }]);
    const tool = parseToolDefinition(
      '{"name":"x","inputSchema":{"maximum": 99999999999999999999, "m":1.0}}',
      'legacy',
    )!;
    catalog.put('s', offerOf({ tools: [tool] }));
    expect(toolLists(catalog)(caller(), undefined, 'legacy')).toBe(
      '{"tools":[{"name":"s__x","inputSchema":{"maximum": 99999999999999999999, "m":1.0}}]}',
    );
  });

  it('has the members that the modern era requires, and none of them in the legacy era', () => {
    const list = toolLists(filled());
    const { tools, ...rest } = read(list(caller(), undefined, 'modern'));
    expect(tools).toEqual(read(list(caller(), undefined, 'legacy')).tools);
    expect(rest).toEqual({
      resultType: 'complete',
      ttlMs: 5_000,
      cacheScope: 'private',
      _meta: { [META_KEY.serverInfo]: { name: 'pincer', title: 'Pincer', version: VERSION } },
    });
    expect(Object.keys(read(list(caller(), undefined, 'legacy')))).toEqual(['tools']);
  });
});

describe('scopes', () => {
  it.each<[Scopes, string[]]>([
    [{ servers: ['tavily'] }, ['tavily__search']],
    [{ tools: ['filesystem.*'] }, ['filesystem__read_file', 'filesystem__search']],
    [{ readOnly: true }, ['tavily__search']],
    [{ servers: [] }, []],
  ])('%j show %j', (scopes, names) => {
    verifies('004-17-approval');
    const list = toolLists(filled());
    expect(namesIn(list(caller(scopes), undefined, 'legacy'))).toEqual(names);
    expect(namesIn(list(caller(scopes), undefined, 'modern'))).toEqual(names);
  });

  it('of one caller never affect another’s list, in any order of requests', () => {
    const kinds: Scopes[] = [
      {},
      { servers: ['tavily'] },
      { tools: ['filesystem.search'] },
      { readOnly: true },
    ];
    const step = fc.record({
      who: fc.constantFrom('a', 'b'),
      scopes: fc.constantFrom(...kinds),
      view: fc.constantFrom(undefined, 'tavily', 'filesystem'),
      era: fc.constantFrom<('legacy' | 'modern')[]>('legacy', 'modern'),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const catalog = filled();
        const shared = toolLists(catalog);
        return steps.every(({ who, scopes, view, era }) => {
          return (
            shared(caller(scopes, who), view, era) === toolLists(catalog)(caller(scopes, who), view, era)
          );
        });
      }),
    );
  });
});

describe('the cache', () => {
  it('is used until the catalog changes', () => {
    const catalog = filled();
    const list = toolLists(catalog);
    const before = list(caller(), undefined, 'legacy');
    expect(list(caller(), undefined, 'legacy')).toBe(before);
    catalog.put('tavily', offerOf({}));
    expect(namesIn(list(caller(), undefined, 'legacy'))).toEqual([
      'filesystem__read_file',
      'filesystem__search',
    ]);
  });

  it('does not keep scopes that have changed', () => {
    const list = toolLists(filled());
    list(caller(), undefined, 'legacy');
    expect(namesIn(list(caller({ servers: [] }), undefined, 'legacy'))).toEqual([]);
  });

  it('does not exceed its limit of bytes', () => {
    const catalog = filled();
    const description = 'd'.repeat(1024 * 1024);
    catalog.put('tavily', offerOf({ tools: [defineTool({ ...SEARCH, description })] }));
    let rendered = 0;
    const counted: Catalog = { ...catalog, list: (view) => (rendered++, catalog.list(view)) };
    const list = toolLists(counted);
    const scopesOf = (at: number): Scopes => ({ servers: ['tavily', `s${at}`] });
    const many = (2 * MAX_REMEMBERED_BYTES) / description.length;
    for (let at = 0; at < many; at++) list(caller(scopesOf(at)), undefined, 'legacy');
    const before = rendered;
    list(caller(scopesOf(many - 1)), undefined, 'legacy');
    expect(rendered).toBe(before);
    list(caller(scopesOf(0)), undefined, 'legacy');
    expect(rendered).toBeGreaterThan(before);
  });

  it('stays correct for more callers than it holds', () => {
    const list = toolLists(filled());
    for (let index = 0; index < 2_500; index++)
      list(caller({ servers: ['tavily'] }, `c${index}`), undefined, 'legacy');
    expect(namesIn(list(caller({}, 'c0'), undefined, 'legacy'))).toHaveLength(3);
    expect(namesIn(list(caller({ servers: ['tavily'] }, 'c0'), undefined, 'legacy'))).toEqual([
      'tavily__search',
    ]);
  });
});

describe('structured output that is not an object', () => {
  const catalog = createCatalog(sha256);
  catalog.configure([{ name: 's', prefix: 's' }]);
  const outputSchema = { type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: {} } };
  catalog.put('s', offerOf({ tools: [defineTool({ name: 'x', outputSchema })] }));
  const outputIn = (era: Era, view?: string): unknown =>
    (read(toolLists(catalog)(caller(), view, era)).tools[0] as { outputSchema?: unknown }).outputSchema;

  it('becomes an object for legacy callers', () => {
    const wrapped = {
      type: 'object',
      properties: { result: { ...outputSchema, items: { $ref: '#/properties/result/$defs/a' } } },
      required: ['result'],
    };
    expect(outputIn('legacy')).toEqual(wrapped);
    expect(outputIn('legacy', 's')).toEqual(wrapped);
    expect(outputIn('modern')).toEqual(outputSchema);
  });
});

describe('tools behind the search', () => {
  const searched = (catalog: Catalog, toolSurfaceTokens?: number) => {
    const toolSurface = toolSurfaceTokens === undefined ? 'search' : 'auto';
    const surface = createToolSurface(catalog, () => ({
      toolSurface,
      toolSurfaceTokens: toolSurfaceTokens ?? 1,
    }));
    const lists = createLists({ catalog, surface, limits: { listPageSize: 1_000 } });
    return (scopes: Scopes = {}, view?: string, era: Era = 'legacy') =>
      lists('tools/list', { caller: caller(scopes), view, era }, undefined)!;
  };
  const META_TOOLS = ['find_tools', 'describe_tool', 'call_tool'];

  it.each<Era>(['legacy', 'modern'])('are replaced by three meta tools (%s)', (era) => {
    const list = searched(filled());
    expect(namesIn(list({}, undefined, era))).toEqual(META_TOOLS);
    expect(namesIn(list({}, 'filesystem', era))).toEqual(['read_file', 'search']);
    for (const tool of read(list({}, undefined, era)).tools) {
      const { inputSchema } = tool as unknown as { inputSchema: { type: string } };
      expect(inputSchema.type).toBe('object');
    }
  });

  it('have annotations, except call_tool', () => {
    const tools = read(searched(filled())()).tools as unknown as {
      annotations?: { readOnlyHint?: boolean };
    }[];
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, true, undefined]);
  });

  it('name the servers that the caller may use, and no others', () => {
    const find = (scopes: Scopes): string =>
      (read(searched(filled())(scopes)).tools[0] as unknown as { description: string }).description;
    expect(find({})).toContain('Servers: tavily, filesystem.');
    expect(find({ servers: ['tavily'] })).toContain('Servers: tavily.');
    const catalog = createCatalog(sha256);
    const servers = Array.from({ length: 50 }, (_, index) => `s${index}`);
    catalog.configure(servers.map((name) => ({ name, prefix: name })));
    for (const name of servers) catalog.put(name, offerOf({ tools: [defineTool({ name: 'x' })] }));
    const [tool] = read(searched(catalog)()).tools as unknown as { description: string }[];
    expect(tool!.description).toMatch(/, s39 and 10 more\.$/);
  });

  it('are absent if there is nothing to call', () => {
    expect(namesIn(searched(filled())({ servers: [] }))).toEqual([]);
    expect(namesIn(searched(filled())({ readOnly: true }))).toEqual(META_TOOLS);
  });

  it('are searched above a size, per caller', () => {
    const catalog = filled();
    const list = searched(catalog, 60);
    expect(namesIn(list())).toEqual(META_TOOLS);
    expect(namesIn(list({ servers: ['tavily'] }))).toEqual(['tavily__search']);
    catalog.put('filesystem', offerOf({}));
    expect(namesIn(list())).toEqual(['tavily__search']);
  });
});

describe('a server that is not connected', () => {
  const catalog = filled();
  let connected = ['tavily'];
  const lists = createLists({
    catalog,
    surface: FULL_SURFACE,
    limits: { listPageSize: 1_000 },
    isStale: (server) => !connected.includes(server),
  });
  const metaOf = (scopes: Scopes, era: Era, view?: View): unknown =>
    read(lists('tools/list', { caller: caller(scopes), view, era }, undefined)!)['_meta'];

  it.each(['legacy', 'modern'] as const)('is named as stale in the list of its stored tools: %s', (era) => {
    expect(metaOf({}, era)).toMatchObject({ 'pincer/stale': ['filesystem'] });
    expect(metaOf({}, era, 'filesystem')).toMatchObject({ 'pincer/stale': ['filesystem'] });
    connected = ['tavily', 'filesystem'];
    expect(metaOf({}, era) ?? {}).not.toHaveProperty('pincer/stale');
    connected = ['tavily'];
  });

  it('is not named to callers that may not use it', () => {
    expect(metaOf({ servers: ['tavily'] }, 'legacy')).toBeUndefined();
    expect(metaOf({ tools: ['tavily.*'] }, 'legacy')).toBeUndefined();
  });
});
