/** Tools of a page as tools of the app. */
import type { JsonSchema } from '../infer.ts';
import type { AppTool, ToolCall } from '../tool.ts';
import type { ListedTool } from './model-context.ts';
import { resultOf } from './result.ts';

export interface Runnable {
  readonly tool: ListedTool;
  run(args: unknown, call: ToolCall): unknown;
}

/** Names are those that models are given; of two that become the same, the later one gets a number. */
export function asTools(found: readonly Runnable[]): AppTool[] {
  const taken = new Set<string>();
  return found.map(({ tool, run }) => {
    const name = freeName(tool.name, taken);
    taken.add(name);
    const { title, description = '', annotations } = tool;
    return {
      name,
      ...(title !== undefined && title !== '' && { title }),
      description,
      input: schemaOf(tool.inputSchema),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
      run: async (args, call) => resultOf(await run(args, call)),
    };
  });
}

const MAX_NAME = 64;

function freeName(name: string, taken: ReadonlySet<string>): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `_${count}`;
    const free = safe.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}

/** An object or a text of it; what is no schema of an object says nothing. */
function schemaOf(schema: object | string | undefined): JsonSchema {
  const value = typeof schema === 'string' ? parsed(schema) : schema;
  const isOfObject =
    typeof value === 'object' &&
    value !== null &&
    ['object', undefined].includes((value as JsonSchema).type as string);
  return isOfObject ? (value as JsonSchema) : { type: 'object' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
