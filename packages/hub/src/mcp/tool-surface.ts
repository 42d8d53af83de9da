/** Decides whether a caller sees every tool, or three meta tools to search them (ADR 0025). */
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
  /** `auto` lists all tools if they fit in `toolSurfaceTokens`, otherwise offers search. */
  readonly toolSurface: SurfaceKind | 'auto';
  readonly toolSurfaceTokens: number;
}

export interface ToolSurface {
  /** The view of one server is always shown in full. */
  kindFor(asker: Asker): SurfaceKind;
  /** Whether the asker may have seen the search recently, or may see it soon. */
  maySearch(asker: Asker): boolean;
}

/** A rule of thumb for English JSON; a model's real count differs by about a fifth. */
const BYTES_PER_TOKEN = 4;
/** Members that clients pass to models; the rest of a definition is for the client. */
const READ_BY_MODELS: ReadonlySet<string> = new Set(['description', 'inputSchema']);

const MAX_REMEMBERED = 1_000;

/** `settings` are read each time: they may change while the hub runs. */
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

/** What a list of these tools costs a model each time it reads it. */
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

/** What an answer from the catalog depends on. */
export interface Asker {
  readonly caller: Caller;
  readonly view: View;
  readonly era: Era;
}

export const usableTools = (catalog: CatalogReader, { caller, view }: Asker): readonly CatalogTool[] =>
  catalog.list(view).filter((tool) => mayUse(caller.scopes, tool));

/** The definition under the view's name, in the caller's era. */
export function writeTool(key: string, definition: ToolDefinition, era: Era): ByteText {
  const { name, raw, wrapsOutput } = definition;
  const isWrapped = wrapsOutput && era === 'legacy';
  return renameDefinition(isWrapped ? { name, raw: withLegacyOutput(raw) } : definition, key);
}
