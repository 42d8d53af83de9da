/** Lists of tools that one app sends, one after the other. Each is written to the disk, and nobody goes on meanwhile. */
import type { ByteText } from '../../../core/wire/byte-text.ts';

export interface ToolChanges {
  take(tools: ByteText): void;
  /** No more will come: what was held back is taken now. */
  end(): void;
}

/** So many are taken as they come; of more, the latest of each while. */
export const CHANGES_AT_ONCE = 8;
export const CHANGES_PAUSE_MS = 1_000;

export function createToolChanges(apply: (tools: ByteText) => void): ToolChanges {
  let left = CHANGES_AT_ONCE;
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
      else left = CHANGES_AT_ONCE;
    }, CHANGES_PAUSE_MS).unref();
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
