/** Lists of tools that one app sends, one after the other. Each is written to the disk, and nobody goes on meanwhile. */
import type { Limits } from '../../core/limits.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface ToolChanges {
  take(tools: ByteText): void;
  /** No more will come: what was held back is taken now. */
  end(): void;
}

export type ToolChangeLimits = Pick<Limits, 'toolChangesAtOnce' | 'toolChangesPauseMs'>;

export function createToolChanges(
  { toolChangesAtOnce, toolChangesPauseMs }: ToolChangeLimits,
  apply: (tools: ByteText) => void,
): ToolChanges {
  let left = toolChangesAtOnce;
  let latest: ByteText | undefined;
  let timer: NodeJS.Timeout | undefined;

  function applyLatest(): boolean {
    if (latest === undefined) return false;
    const tools = latest;
    latest = undefined;
    apply(tools);
    return true;
  }

  const wait = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (applyLatest()) wait();
      else left = toolChangesAtOnce;
    }, toolChangesPauseMs).unref();
  };

  return {
    take(tools) {
      latest = tools;
      wait();
      if (left === 0) return;
      left--;
      applyLatest();
    },
    end() {
      clearTimeout(timer);
      applyLatest();
    },
  };
}
