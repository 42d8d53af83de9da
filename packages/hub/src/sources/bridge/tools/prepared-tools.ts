/** The tools of a session as the hub needs them. Made when somebody asks, and kept while there is room. */
import type { CatalogTool } from '../../../core/catalog/catalog.ts';
import { parseToolDefinition, type ToolDefinition } from '../../../core/catalog/tool-definition.ts';
import { cleanDefinition } from '../../../core/trust/clean-definition.ts';
import type { ByteText } from '../../../core/wire/byte-text.ts';
import { createArgumentCheck, type Fault } from '../registration/check-arguments.ts';
import { toToolDefinition } from '../registration/tool-definition.ts';
import type { AppTool, Session } from '../sessions/session.ts';

export interface PreparedTool extends CatalogTool {
  /** Why arguments are not sent. */
  check(args: ByteText): Fault | undefined;
}

export interface PreparedTools {
  readonly list: readonly PreparedTool[];
  find(name: string): PreparedTool | undefined;
}

/** Lists that are kept: most sessions of an app share one. */
const MAX_KEPT = 1_000;

export function createPreparedTools(maxDescriptionChars: number): (session: Session) => PreparedTools {
  const kept = new Map<readonly AppTool[], PreparedTools>();

  function prepare({ app, tools }: Session): PreparedTools {
    const list = tools.flatMap((tool) => {
      const definition = shownDefinition(tool, maxDescriptionChars);
      if (definition === undefined) return [];
      const { name, readOnly } = definition;
      return [{ server: app, name, exposed: name, definition, readOnly, check: createArgumentCheck(tool) }];
    });
    const byName = new Map(list.map((tool) => [tool.name, tool]));
    return { list, find: (name) => byName.get(name) };
  }

  return (session) => {
    const known = kept.get(session.tools);
    if (known !== undefined) return known;
    const prepared = prepare(session);
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
    kept.set(session.tools, prepared);
    return prepared;
  };
}

/** Texts that hide something from the person who reads them are made clean. */
const shownDefinition = (tool: AppTool, maxDescriptionChars: number): ToolDefinition | undefined =>
  parseToolDefinition(cleanDefinition(toToolDefinition(tool), maxDescriptionChars), 'modern');
