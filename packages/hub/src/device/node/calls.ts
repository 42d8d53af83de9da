/** Invocations of a gateway on one connection: concurrency, deadlines, cancellation. */
import { messageOf, PincerError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { Invocation, InvocationFailure, InvocationProgress, InvocationResult } from './parts.ts';
import { refusal } from './invoke.ts';
import { z } from 'zod';

export interface NodeCallsParts {
  /** The id of this device, which is also the gateway's id of the node. */
  readonly nodeId: string;
  readonly maxCalls: number;
  readonly log: Log;
  isDeclared(command: string): boolean;
  invoke(invocation: Invocation): Promise<InvocationResult>;
  /** Sends a request on the connection of the invocations. */
  request(method: string, params: object): Promise<unknown>;
}

export interface NodeCalls {
  /** `node.invoke.request`. */
  take(payload: unknown): void;
  /** `node.invoke.cancel`. */
  cancel(payload: unknown): void;
  /** The connection is lost: aborts all calls, since their results cannot be sent. */
  end(): void;
}

/** Our deadline is this much shorter, so that our answer arrives before OpenClaw's timeout. */
const SPARE_MS = 250;
/** A timer with a longer delay fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Maximum length of one `node.invoke.progress`. */
const MAX_CHUNK = 16_384;

export function createNodeCalls(parts: NodeCallsParts): NodeCalls {
  const { nodeId, maxCalls, log, isDeclared, invoke, request } = parts;
  const active = new Map<string, AbortController>();

  /** Why an invocation is refused. Undefined if it is accepted. */
  function refuse({ id, command }: InvokeRequest): InvocationFailure | undefined {
    if (!isCommandName(command)) return { code: 'INVALID_REQUEST', message: 'Invalid command format' };
    if (!isDeclared(command)) return { code: 'UNAVAILABLE', message: `Command not supported: ${command}` };
    if (active.has(id)) return refusal(command, 'INVALID_REQUEST', 'duplicate active request id');
    if (active.size >= maxCalls) return refusal(command, 'UNAVAILABLE', 'node busy, retry');
    return undefined;
  }

  async function answer(id: string, result: InvocationResult): Promise<void> {
    try {
      await request('node.invoke.result', { id, nodeId, ...result });
    } catch (error) {
      // The socket rejects an oversized frame, which would have ended the connection and all its calls.
      if (PincerError.is(error) && error.data?.['maxPayload'] !== undefined && result.ok)
        return answer(id, tooLarge(Number(error.data['maxPayload'])));
      log.debug('could not send an answer to the gateway', { id, error: messageOf(error) });
    }
  }

  async function perform(asked: InvokeRequest): Promise<void> {
    const { id, command, timeoutMs } = asked;
    const stop = new AbortController();
    active.set(id, stop);
    const late =
      timeoutMs === undefined ? undefined : setTimeout(() => stop.abort(TOO_LATE), timeLeft(timeoutMs));
    try {
      const result = await invoke({ ...asked, signal: stop.signal, progress: progressReporter(id) });
      // A cancelled command gets no answer. A command that timed out does.
      if (!stop.signal.aborted) await answer(id, result);
      else if (stop.signal.reason === TOO_LATE) await answer(id, result.ok ? result : timedOut(result));
    } catch (error) {
      log.error('a command of the gateway failed', { command, error });
      await answer(id, { ok: false, error: { code: 'UNAVAILABLE', message: 'node invocation failed' } });
    } finally {
      clearTimeout(late);
      active.delete(id);
    }
  }

  /** Sends one report at a time, and skips reports until the gateway has answered the last one. */
  function progressReporter(invokeId: string): (report: InvocationProgress) => void {
    let seq = 0;
    let isBusy = false;
    return (report) => {
      const chunk = JSON.stringify(report);
      if (isBusy || chunk.length > MAX_CHUNK || !active.has(invokeId)) return;
      isBusy = true;
      const settled = (): void => void (isBusy = false);
      request('node.invoke.progress', { invokeId, nodeId, seq: seq++, chunk }).then(settled, settled);
    };
  }

  return {
    take(payload) {
      const asked = readRequest(payload, nodeId);
      if (asked === undefined) return;
      const error = refuse(asked);
      void (error === undefined ? perform(asked) : answer(asked.id, { ok: false, error }));
    },
    cancel(payload) {
      const id = readCancel(payload, nodeId);
      if (id !== undefined) active.get(id)?.abort(new Error('cancelled by the gateway'));
    },
    end() {
      for (const stop of active.values()) stop.abort(new Error('the connection to the gateway was lost'));
    },
  };
}

/** `SPARE_MS` less than the timeout, but at least three quarters of it. */
const timeLeft = (timeoutMs: number): number =>
  Math.min(MAX_TIMER_MS, Math.max(timeoutMs - SPARE_MS, (timeoutMs * 3) / 4));

const TOO_LATE = new Error('the deadline of the gateway has passed');

const timedOut = (result: InvocationResult & { readonly ok: false }): InvocationResult => ({
  ok: false,
  error: { code: 'TIMEOUT', message: result.error.message },
});

const tooLarge = (bytes: number): InvocationResult => ({
  ok: false,
  error: {
    code: 'PAYLOAD_TOO_LARGE',
    message: `PAYLOAD_TOO_LARGE: the answer is larger than the gateway's limit of ${bytes} bytes.`,
  },
});

interface InvokeRequest {
  readonly id: string;
  readonly command: string;
  readonly paramsJSON: string;
  readonly timeoutMs: number | undefined;
  /** The session of the conversation, as the gateway itself reports it. */
  readonly session: string | undefined;
}

const optionalText = z.string().min(1).optional().catch(undefined);

const requestSchema = z.object({
  id: z.string().min(1),
  nodeId: optionalText,
  command: z.string().catch(''),
  paramsJSON: optionalText,
  timeoutMs: z.number().positive().optional().catch(undefined),
  sessionKey: optionalText,
});

/**
 * Parses a request of the gateway. A field of the wrong type counts as absent. Undefined if the request
 * is for another node or cannot be answered.
 */
export function readRequest(payload: unknown, nodeId: string): InvokeRequest | undefined {
  const { success, data } = requestSchema.safeParse(payload);
  if (!success || (data.nodeId ?? nodeId) !== nodeId) return undefined;
  const { id, command, paramsJSON = '{}', timeoutMs, sessionKey } = data;
  return { id, command: command.trim(), paramsJSON, timeoutMs, session: sessionKey };
}

const cancelSchema = z.object({ invokeId: optionalText, requestId: optionalText, nodeId: optionalText });

export function readCancel(payload: unknown, nodeId: string): string | undefined {
  const { success, data } = cancelSchema.safeParse(payload);
  if (!success || (data.nodeId ?? nodeId) !== nodeId) return undefined;
  return data.invokeId ?? data.requestId;
}

const COMMAND = /^[a-zA-Z0-9._-]{1,100}$/;

export const isCommandName = (command: string): boolean => COMMAND.test(command);
