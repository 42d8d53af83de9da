/**
 * Where WebMCP has no way to list or to run tools, as in its draft and in earlier ones: registrations are seen as they
 * are made. What was registered before is not seen.
 */
import type { AppTool, ToolCall } from '../tool.ts';
import { asTools } from './as-tools.ts';
import type { ModelContext, PageTool } from './model-context.ts';

export async function followRegistrations(
  context: ModelContext,
  onTools: (tools: AppTool[]) => void,
): Promise<() => void> {
  const tools = new Map<string, PageTool>();
  const tell = (): void =>
    onTools(
      asTools([...tools.values()].map((tool) => ({ tool, run: (args, call) => run(tool, args, call) }))),
    );
  const add = (tool: PageTool): void => void tools.set(tool.name, tool);

  const undo: (() => void)[] = [];
  /** The page's own call comes first: what it refuses is not registered. */
  function after<K extends 'registerTool' | 'unregisterTool' | 'provideContext' | 'clearContext'>(
    name: K,
    then: (...args: Parameters<NonNullable<ModelContext[K]>>) => void,
  ): void {
    const original = context[name] as ((...args: unknown[]) => unknown) | undefined;
    if (original === undefined) return;
    const isOwn = Object.hasOwn(context, name);
    const value = (...args: Parameters<NonNullable<ModelContext[K]>>): unknown => {
      const given = original.apply(context, args);
      then(...args);
      tell();
      return given;
    };
    Object.defineProperty(context, name, { value, configurable: true, writable: true });
    undo.push(() => {
      if (isOwn)
        Object.defineProperty(context, name, { value: original, configurable: true, writable: true });
      else Reflect.deleteProperty(context, name);
    });
  }

  after('registerTool', (tool, options) => {
    add(tool);
    options?.signal?.addEventListener('abort', () => {
      if (tools.get(tool.name) !== tool) return;
      tools.delete(tool.name);
      tell();
    });
  });
  after('unregisterTool', (name) => void tools.delete(name));
  after('provideContext', (given) => {
    tools.clear();
    for (const tool of given?.tools ?? []) add(tool);
  });
  after('clearContext', () => tools.clear());
  return () => {
    for (const back of undo) back();
  };
}

const run = (tool: PageTool, args: unknown, { signal }: ToolCall): unknown =>
  tool.execute(args, { signal, requestUserInteraction: (interact) => interact() });
