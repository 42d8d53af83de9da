/** Where WebMCP lists and runs what is registered, as Chromium and its polyfills do. */
import type { AppTool } from '../tool.ts';
import { asTools } from './as-tools.ts';
import type { ModelContext } from './model-context.ts';

export async function followList(
  context: ModelContext,
  onTools: (tools: AppTool[]) => void,
): Promise<() => void> {
  let asked = 0;
  const list = async (): Promise<void> => {
    const turn = ++asked;
    const listed = await context.getTools!().catch(() => []);
    // A later answer counts, whichever comes first.
    if (turn !== asked) return;
    onTools(
      asTools(
        listed.map((tool) => ({
          tool,
          run: (args, { signal }) => context.executeTool!(tool, objectAndText(args), { signal }),
        })),
      ),
    );
  };
  const changed = (): void => void list();
  context.addEventListener?.('toolchange', changed);
  await list();
  return () => context.removeEventListener?.('toolchange', changed);
}

/** Arguments for browsers that take an object, and for those that make a text of what they get and read it as JSON. */
function objectAndText(args: unknown): object {
  const text = JSON.stringify(args);
  return Object.defineProperty({ ...(args as object) }, Symbol.toPrimitive, { value: () => text });
}
