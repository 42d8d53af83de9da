import { describe, expect, it } from 'vitest';
import { defineTool, offerOf } from '../../../../test/kit/offer.ts';
import { sha256 } from '../../../../test/kit/sha256.ts';
import type { Scopes } from '../core/caller.ts';
import { createCatalog, type Catalog } from '../core/catalog/catalog.ts';
import { type Asker, createToolSurface, estimateTokens, type ToolSurfaceSettings } from './tool-surface.ts';

const asker = (scopes: Scopes = {}, view?: string): Asker => ({
  caller: { id: 'a', name: 'a', scopes },
  view,
  era: 'legacy',
});

const tools = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    defineTool({ name: `tool_${index}`, description: 'x'.repeat(400) }),
  );

const filled = (): Catalog => {
  const catalog = createCatalog(sha256);
  catalog.configure([
    { name: 'small', prefix: 'small' },
    { name: 'large', prefix: 'large' },
  ]);
  catalog.put('small', offerOf({ tools: tools(2) }));
  catalog.put('large', offerOf({ tools: tools(20) }));
  return catalog;
};

const AUTO: ToolSurfaceSettings = { toolSurface: 'auto', toolSurfaceTokens: 1_000 };

describe('the surface', () => {
  it.each(['full', 'search'] as const)('is %s if configured', (toolSurface) => {
    const surface = createToolSurface(filled(), () => ({ toolSurface, toolSurfaceTokens: 1 }));
    expect(surface.kindFor(asker())).toBe(toolSurface);
    expect(surface.kindFor(asker({ servers: [] }))).toBe(toolSurface);
    expect(surface.maySearch(asker())).toBe(toolSurface === 'search');
  });

  it.each(['full', 'search', 'auto'] as const)('of one server is always full (%s)', (toolSurface) => {
    const surface = createToolSurface(filled(), () => ({ toolSurface, toolSurfaceTokens: 1 }));
    expect(surface.kindFor(asker({}, 'large'))).toBe('full');
    expect(surface.maySearch(asker({}, 'large'))).toBe(false);
  });

  it('depends on the size of the tools that a caller may use', () => {
    const surface = createToolSurface(filled(), () => AUTO);
    expect(surface.kindFor(asker())).toBe('search');
    expect(surface.kindFor(asker({ servers: ['small'] }))).toBe('full');
    expect(surface.kindFor(asker({ servers: ['large'] }))).toBe('search');
    expect(surface.kindFor(asker({ tools: ['large.tool_1'] }))).toBe('full');
    expect(surface.maySearch(asker({ servers: ['small'] }))).toBe(true);
  });

  it('changes with the catalog, in both directions', () => {
    const catalog = filled();
    const surface = createToolSurface(catalog, () => AUTO);
    expect(surface.kindFor(asker())).toBe('search');
    catalog.put('large', offerOf({ tools: tools(1) }));
    expect(surface.kindFor(asker())).toBe('full');
    catalog.put('large', offerOf({ tools: tools(20) }));
    expect(surface.kindFor(asker())).toBe('search');
  });

  it('changes with the settings', () => {
    let settings = AUTO;
    const surface = createToolSurface(filled(), () => settings);
    expect(surface.kindFor(asker())).toBe('search');
    settings = { ...AUTO, toolSurfaceTokens: 100_000 };
    expect(surface.kindFor(asker())).toBe('full');
    settings = { ...AUTO, toolSurface: 'search' };
    expect(surface.kindFor(asker())).toBe('search');
  });

  it('stays correct for more callers than the cache holds', () => {
    const surface = createToolSurface(filled(), () => AUTO);
    for (let index = 0; index < 2_500; index++) surface.kindFor(asker({ tools: [`large.tool_${index}`] }));
    expect(surface.kindFor(asker())).toBe('search');
    expect(surface.kindFor(asker({ tools: ['large.tool_0'] }))).toBe('full');
  });
});

describe('the estimate', () => {
  const estimate = (definition: object): number => {
    const catalog = createCatalog(sha256);
    catalog.configure([{ name: 's', prefix: 's' }]);
    catalog.put('s', offerOf({ tools: [defineTool({ name: 'x', ...definition })] }));
    return estimateTokens(catalog.list(undefined));
  };

  it('is a quarter of the bytes that a model reads', () => {
    const description = 'ß'.repeat(2_000);
    const inputSchema = { type: 'object', properties: { a: { description: 'x'.repeat(4_000) } } };
    const bytes = 4_000 + JSON.stringify(inputSchema).length;
    expect(Math.abs(estimate({ description, inputSchema }) - bytes / 4)).toBeLessThan(15);
  });

  it('excludes members that are only for the client', () => {
    const more = {
      outputSchema: { type: 'object', description: 'x'.repeat(4_000) },
      title: 'x'.repeat(4_000),
    };
    expect(estimate(more)).toBe(estimate({}));
  });

  it('of no tools is zero', () => {
    expect(estimateTokens([])).toBe(0);
  });
});
