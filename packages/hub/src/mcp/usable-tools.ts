/** The tools of a view that a caller may use, and how they are written for it. */
import { mayUse } from '../core/caller.ts';
import type { CatalogReader, CatalogTool } from '../core/catalog/catalog.ts';
import { renameDefinition } from '../core/catalog/definition.ts';
import { withLegacyOutput } from '../core/catalog/legacy-output-schema.ts';
import type { Era } from '../core/protocol.ts';
import type { ToolDefinition } from '../core/catalog/tool-definition.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import type { Asker } from './asker.ts';

export const usableTools = (catalog: CatalogReader, { caller, view }: Asker): readonly CatalogTool[] =>
  catalog.list(view).filter((tool) => mayUse(caller.scopes, tool));

/** The definition under the name that the view shows, in the words of the caller's era. */
export function writeTool(key: string, definition: ToolDefinition, era: Era): ByteText {
  const { name, raw, wrapsOutput } = definition;
  const isWrapped = wrapsOutput && era === 'legacy';
  return renameDefinition(isWrapped ? { name, raw: withLegacyOutput(raw) } : definition, key);
}
