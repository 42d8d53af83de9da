/** Whether a caller sees every tool, or three to search them with (ADR 0025). */
import type { CatalogReader, View, CatalogTool } from '../core/catalog/catalog.ts';
import { type Definition, renameDefinition } from '../core/catalog/definition.ts';
import { readMembers } from '../core/wire/members.ts';
import { type Caller, mayUse } from '../core/caller.ts';
import type { Era } from '../core/protocol.ts';
import { withLegacyOutput } from '../core/catalog/legacy-output-schema.ts';
import type { ToolDefinition } from '../core/catalog/tool-definition.ts';
import type { ByteText } from '../core/wire/byte-text.ts';

type SurfaceKind = 'full' | 'search';

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

/** On what an answer from the catalog depends. */
export interface Asker {
  readonly caller: Caller;
  readonly view: View;
  readonly era: Era;
}

export const usableTools = (catalog: CatalogReader, { caller, view }: Asker): readonly CatalogTool[] =>
  catalog.list(view).filter((tool) => mayUse(caller.scopes, tool));

/** The definition under the name that the view shows, in the words of the caller's era. */
export function writeTool(key: string, definition: ToolDefinition, era: Era): ByteText {
  const { name, raw, wrapsOutput } = definition;
  const isWrapped = wrapsOutput && era === 'legacy';
  return renameDefinition(isWrapped ? { name, raw: withLegacyOutput(raw) } : definition, key);
}
