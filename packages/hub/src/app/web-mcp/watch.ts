/** Follows the tools that a page registers by WebMCP. */
import { onPageRead } from '../surroundings.ts';
import type { AppTool } from '../tool.ts';
import { findModelContext, type ModelContext } from './model-context.ts';
import { followList } from './follow-list.ts';
import { followRegistrations } from './follow-registrations.ts';

export interface Watch {
  stop(): void;
}

/** Gives back how to stop. */
export type Follow = (context: ModelContext, onTools: (tools: AppTool[]) => void) => Promise<() => void>;

/**
 * Resolves when what is registered already has been told. A page may bring WebMCP with it later than the app connects:
 * it is looked for again when the page has been read.
 */
export async function watchModelContext(
  onTools: (tools: readonly AppTool[]) => void,
  find: () => ModelContext | undefined = findModelContext,
): Promise<Watch> {
  let stop: (() => void) | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const context = stop === undefined ? find() : undefined;
    if (context === undefined) return;
    stop = () => {};
    const follow: Follow = canList(context) ? followList : followRegistrations;
    // An implementation that cannot be followed is as good as none: the app's own tools do not depend on it.
    stop = await follow(context, (tools) => !isStopped && onTools(tools)).catch(() => () => {});
    if (isStopped) stop();
  };
  const stopLooking = onPageRead(() => void look());
  await look();
  return {
    stop() {
      isStopped = true;
      stopLooking();
      stop?.();
    },
  };
}

const canList = (context: ModelContext): boolean =>
  context.getTools !== undefined && context.executeTool !== undefined;
