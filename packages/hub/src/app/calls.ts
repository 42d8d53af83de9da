/** Calls that run in the app. */
import { isBlock } from './content.ts';
import { messageOf } from './error.ts';
import { createProgress, type Word } from './progress.ts';
import type { ToolSet } from './tool-set.ts';

export interface Invocation {
  readonly requestId: string;
  readonly tool: string;
  readonly args: unknown;
}

/** The way back on the bridge that the call came by; it leads nowhere once that bridge is gone. */
export interface WayBack {
  progress(requestId: string, word: Word): void;
  /** A text of JSON, or nothing. */
  done(requestId: string, content: string | undefined): void;
  failed(requestId: string, error: string): void;
}

export interface Calls {
  invoke(invocation: Invocation, back: WayBack): void;
  cancel(requestId: string, reason: string | undefined): void;
  cancelAll(reason: string): void;
}

export function createCalls(tools: () => ToolSet, progressMs: number): Calls {
  const running = new Map<string, AbortController>();

  async function run({ requestId, tool, args }: Invocation, back: WayBack): Promise<void> {
    const controller = new AbortController();
    running.set(requestId, controller);
    const progress = createProgress((word) => back.progress(requestId, word), progressMs);
    try {
      const { signal } = controller;
      const value = await tools().run(tool, args, { signal, requestId, progress: progress.tell });
      const content = contentOf(value);
      progress.finish();
      back.done(requestId, content);
    } catch (error) {
      progress.finish();
      back.failed(requestId, messageOf(error).toWellFormed());
    } finally {
      running.delete(requestId);
    }
  }

  return {
    invoke: (invocation, back) => void run(invocation, back),
    cancel: (requestId, reason = 'The caller has cancelled.') =>
      running.get(requestId)?.abort(cancelled(reason)),
    cancelAll(reason) {
      for (const controller of running.values()) controller.abort(cancelled(reason));
    },
  };
}

const cancelled = (reason: string): DOMException => new DOMException(reason, 'AbortError');

/** A text that was cut in the middle of a character, as `slice` does; the proxy takes whole ones only. */
const HALF_CHARACTER = /\\ud[89a-f]/i;
const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;

/** Nothing where a tool gives nothing back, which includes functions: JSON has no word for them. */
function contentOf(value: unknown): string | undefined {
  try {
    const content = isBlock(value) ? [value] : value;
    const json = JSON.stringify(content) as string | undefined;
    return json !== undefined && HALF_CHARACTER.test(json) ? JSON.stringify(content, wellFormed) : json;
  } catch (error) {
    throw new Error(`The result cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
}
