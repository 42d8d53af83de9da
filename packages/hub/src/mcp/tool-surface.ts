/** Whether a caller sees every tool, or three to search them with (ADR 0025). */
import type { CatalogReader } from '../core/catalog/catalog.ts';
import type { Definition } from '../core/catalog/definition.ts';
import { readMembers } from '../core/wire/members.ts';
import type { Asker } from './asker.ts';
import { usableTools } from './usable-tools.ts';

export type SurfaceKind = 'full' | 'search';

export interface ToolSurfaceSettings {
  /** `auto`: as much as fits is shown, and more is searched. */
  readonly toolSurface: SurfaceKind | 'auto';
  /** What fits, in tokens. */
  readonly toolSurfaceTokens: number;
}

export interface ToolSurface {
  /** One server alone is always shown in full. */
  kindFor(asker: Asker): SurfaceKind;
  /** Whether this asker may have been shown the search a moment ago, or may be in a moment. */
  maySearch(asker: Asker): boolean;
}

/** A rule of thumb for JSON in English; what a model really counts differs by a fifth or so either way. */
const BYTES_PER_TOKEN = 4;
/** What clients pass on to models; the rest of a definition is for the client itself. */
const READ_BY_MODELS: ReadonlySet<string> = new Set(['description', 'inputSchema']);

const MAX_REMEMBERED = 1_000;

/** `settings` are asked each time: they may change while the hub runs. */
export function createToolSurface(catalog: CatalogReader, settings: () => ToolSurfaceSettings): ToolSurface {
  const remembered = new Map<string, number>();
  catalog.onChange(() => remembered.clear());

  function tokensFor(asker: Asker): number {
    const key = JSON.stringify(asker.caller.scopes);
    let tokens = remembered.get(key);
    if (tokens === undefined) {
      tokens = estimateTokens(usableTools(catalog, asker));
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(key, tokens);
    }
    return tokens;
  }

  return {
    kindFor(asker) {
      const { toolSurface, toolSurfaceTokens } = settings();
      if (asker.view !== undefined) return 'full';
      if (toolSurface !== 'auto') return toolSurface;
      return tokensFor(asker) > toolSurfaceTokens ? 'search' : 'full';
    },
    maySearch: ({ view }) => view === undefined && settings().toolSurface !== 'full',
  };
}

/** What a list of these tools costs a model each time that it reads it. */
export function estimateTokens(
  tools: readonly { readonly exposed: string; readonly definition: Pick<Definition, 'raw'> }[],
): number {
  let bytes = 0;
  for (const { exposed, definition } of tools) {
    bytes += exposed.length;
    for (const { key, raw } of readMembers(definition.raw))
      if (READ_BY_MODELS.has(key)) bytes += key.length + raw.length;
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
