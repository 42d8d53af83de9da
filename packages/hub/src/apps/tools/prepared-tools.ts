/** Tools of a session with cleaned definitions and argument checks. Made on first use, cached up to a limit. */
import type { CatalogTool } from '../../core/catalog/catalog.ts';
import { parseToolDefinition, type ToolDefinition } from '../../core/catalog/tool-definition.ts';
import { cleanDefinition } from '../../core/trust/clean-definition.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { createArgumentCheck, type Fault } from '../registration/check-arguments.ts';
import { toToolDefinition } from '../registration/read-registration.ts';
import type { AppTool, Session } from '../directory/session-directory.ts';

export interface PreparedTool extends CatalogTool {
  /** Returns why the arguments are refused, or undefined if they fit. */
  check(args: ByteText): Fault | undefined;
}

export interface PreparedTools {
  readonly list: readonly PreparedTool[];
  find(name: string): PreparedTool | undefined;
}

/** Limits of the cache: lists, and bytes of their definitions. Most sessions of an app share one list of a few kilobytes. */
const MAX_KEPT = 1_000;
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

interface Kept {
  readonly app: string;
  readonly prepared: PreparedTools;
  readonly bytes: number;
}

export function createPreparedTools(maxDescriptionChars: number): (session: Session) => PreparedTools {
  /** Oldest first; the oldest is dropped first. */
  const kept = new Map<readonly AppTool[], Kept>();
  let keptBytes = 0;

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

  function forget(tools: readonly AppTool[]): void {
    keptBytes -= kept.get(tools)?.bytes ?? 0;
    kept.delete(tools);
  }

  function keep(tools: readonly AppTool[], made: Kept): void {
    forget(tools);
    kept.set(tools, made);
    keptBytes += made.bytes;
    for (const first of kept.keys()) {
      if (kept.size <= MAX_KEPT && keptBytes <= MAX_KEPT_BYTES) return;
      forget(first);
    }
  }

  return (session) => {
    const { app, tools } = session;
    const known = kept.get(tools);
    // Policy decides by the app of a tool, so a list is never shared between apps.
    if (known?.app === app) return known.prepared;
    const prepared = prepare(session);
    keep(tools, { app, prepared, bytes: bytesOf(prepared) });
    return prepared;
  };
}

const bytesOf = ({ list }: PreparedTools): number =>
  list.reduce((sum, { definition }) => sum + definition.raw.length, 0);

/** Removes hidden characters from texts that people read. */
const shownDefinition = (tool: AppTool, maxDescriptionChars: number): ToolDefinition | undefined =>
  parseToolDefinition(cleanDefinition(toToolDefinition(tool), maxDescriptionChars), 'modern');
