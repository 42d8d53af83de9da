/** Calls that run in the app, their progress, and their results as frames for the proxy. */
import { isBlock } from './content.ts';
import { messageOf } from './error.ts';
import type { ToolSet } from './tool-set.ts';
import { MAX_JOINED_BYTES, MAX_PROGRESS_CHARS } from './wire.ts';
import type { Bridge } from './bridge.ts';
import { isLonger } from './encoding.ts';

interface Invocation {
  readonly requestId: string;
  readonly tool: string;
  readonly args: unknown;
}

/** Answers on the bridge of the call. Sends nothing once that bridge is closed. */
interface Responder {
  progress(requestId: string, report: ProgressReport): void;
  /** `content` is JSON text; undefined if the tool returned nothing. */
  done(requestId: string, content: string | undefined): void;
  failed(requestId: string, error: string): void;
}

interface Calls {
  invoke(invocation: Invocation, responder: Responder): void;
  cancel(requestId: string, reason: string | undefined): void;
  cancelAll(reason: string): void;
}

export function createCalls(tools: () => ToolSet, progressMs: number): Calls {
  const running = new Map<string, AbortController>();

  async function run({ requestId, tool, args }: Invocation, responder: Responder): Promise<void> {
    const controller = new AbortController();
    running.set(requestId, controller);
    const progress = createProgress((report) => responder.progress(requestId, report), progressMs);
    try {
      const { signal } = controller;
      const value = await tools().run(tool, args, { signal, requestId, progress: progress.tell });
      const content = contentOf(value);
      progress.finish();
      responder.done(requestId, content);
    } catch (error) {
      progress.finish();
      responder.failed(requestId, messageOf(error).toWellFormed());
    } finally {
      running.delete(requestId);
    }
  }

  return {
    invoke: (invocation, responder) => void run(invocation, responder),
    cancel: (requestId, reason = 'The caller has cancelled.') =>
      running.get(requestId)?.abort(cancelled(reason)),
    cancelAll(reason) {
      for (const controller of running.values()) controller.abort(cancelled(reason));
    },
  };
}

const cancelled = (reason: string): DOMException => new DOMException(reason, 'AbortError');

/** Matches half of a surrogate pair, as `slice` may leave it. The proxy refuses such text. */
const HALF_CHARACTER = /\\ud[89a-f]/i;
const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;

/** Undefined if the tool returned nothing that JSON can write, such as undefined or a function. */
function contentOf(value: unknown): string | undefined {
  try {
    const content = isBlock(value) ? [value] : value;
    const json = JSON.stringify(content) as string | undefined;
    return json !== undefined && HALF_CHARACTER.test(json) ? JSON.stringify(content, wellFormed) : json;
  } catch (error) {
    throw new Error(`The result cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
}

interface ProgressReport {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

interface Progress {
  tell(done: number, total?: number, message?: string): void;
  /** Sends the latest report if it is still waiting, and nothing from then on. */
  finish(): void;
}

/** Throttles progress: sends the first report at once, then the latest at intervals. */
function createProgress(send: (report: ProgressReport) => void, everyMs: number): Progress {
  let waiting: ProgressReport | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const sendWaiting = (): void => {
    timer = undefined;
    if (waiting === undefined) return;
    send(waiting);
    waiting = undefined;
    timer = setTimeout(sendWaiting, everyMs);
  };

  return {
    tell(done, total, message) {
      if (isOver || !Number.isFinite(done)) return;
      waiting = {
        progress: done,
        ...(total !== undefined && Number.isFinite(total) && { total }),
        ...(message !== undefined && { message: message.slice(0, MAX_PROGRESS_CHARS).toWellFormed() }),
      };
      if (timer === undefined) sendWaiting();
    },
    finish() {
      if (waiting !== undefined) send(waiting);
      isOver = true;
      waiting = undefined;
      clearTimeout(timer);
    },
  };
}

/** Leaves room for the frame. A larger result fails here, so that the caller need not wait for the timeout. */
const MAX_CONTENT_BYTES = MAX_JOINED_BYTES - 4_096;

export function createResponder(bridge: Bridge, sessionId: string): Responder {
  const head = (type: string, requestId: string): string =>
    `{"type":"${type}","mcpSessionId":${JSON.stringify(sessionId)},"request_id":${JSON.stringify(requestId)}`;
  const failed: Responder['failed'] = (requestId, error) =>
    void bridge.send(`${head('invoke_result', requestId)},"ok":false,"error":${JSON.stringify(error)}}`);
  return {
    failed,
    done(requestId, content) {
      if (content !== undefined && isLonger(content, MAX_CONTENT_BYTES))
        return failed(requestId, 'The result of the tool is larger than 64 MiB, the most that can be sent.');
      const member = content === undefined ? '' : `,"content":${content}`;
      bridge.send(`${head('invoke_result', requestId)},"ok":true${member}}`);
    },
    progress(requestId, report) {
      bridge.send(`${head('progress', requestId)},${JSON.stringify(report).slice(1)}`);
    },
  };
}
