/** A message that is sent once, and followed until its run has ended. */
import { PincerError } from '../../../core/errors.ts';
import { deliver } from '../connection/deliver.ts';
import type { Gateway } from '../connection/gateway.ts';
import { requestFor } from './request-for.ts';
import { tooLarge } from '../../../openclaw/socket.ts';
import type { TurnOrder } from './turn.ts';
import { followRun, type TurnEnd, type Waited } from './turn-end.ts';

interface Accepted {
  readonly status: 'started' | 'accepted' | 'in_flight' | 'ok' | 'timeout' | (string & {});
}

/** A run that was told to stop is given up after this time. */
const STOP_MS = 5_000;
const WAIT_MS = 30_000;
/** RFC 6455, 7.4.1. */
const TOO_BIG = 1009;

export async function sendTurn(gateway: Gateway, order: TurnOrder): Promise<TurnEnd> {
  const runId = crypto.randomUUID();
  const ended = Promise.withResolvers<TurnEnd>();
  // Whoever has left does not hear of it.
  ended.promise.catch(() => undefined);
  let socket = await gateway.connect();
  if (order.signal?.aborted === true)
    return { kind: 'aborted', runId, sessionKey: order.sessionKey, text: '' };
  const heard = followRun(gateway, { ...order, runId, onEnd: ended.resolve });
  const { bootId } = socket.hello.server;
  const request = requestFor(order, runId);
  let isAccepted = false;
  /** Why the gateway did not take it when it first came, so that nothing runs. */
  let refusal: unknown;
  let sends = 0;
  const over = new AbortController();

  /** Resolves with the end where the answer itself says it. */
  async function send(): Promise<TurnEnd | undefined> {
    const isFirst = ++sends === 1;
    order.onRun?.(heard.name());
    const { status } = await socket
      .request<Accepted>(request.method, request.params)
      .catch((error: unknown) => {
        if (isFirst) refusal = error;
        throw error;
      });
    isAccepted = true;
    if (status === 'timeout') return { ...heard.name(), kind: 'aborted', text: '' };
    return status === 'ok' ? waitForEnd() : undefined;
  }

  async function waitForEnd(): Promise<TurnEnd | undefined> {
    while (!over.signal.aborted) {
      const waited = await socket.request<Waited>('agent.wait', { runId, timeoutMs: WAIT_MS });
      if (waited.status !== 'timeout') return heard.endOf(waited);
    }
    return undefined;
  }

  /** An answer that was lost with its connection is waited for on the next. */
  const onNextLine = (work: Promise<TurnEnd | undefined>): void => {
    work.then(
      (end) => end && ended.resolve(end),
      (error: unknown) => {
        if (!PincerError.is(error) || error.code !== 'SERVER_GONE') ended.reject(error);
      },
    );
  };

  const stop = async (): Promise<void> => {
    const giveUp = (): void => ended.resolve({ ...heard.name(), kind: 'aborted', text: '' });
    const timer = setTimeout(giveUp, STOP_MS).unref();
    void ended.promise.finally(() => clearTimeout(timer)).catch(() => undefined);
    // The connection may be away just now, and the run would go on.
    await deliver(gateway, 'chat.abort', { sessionKey: heard.name().sessionKey, runId });
  };
  const onAbort = (): void => void stop().catch(() => undefined);
  order.signal?.addEventListener('abort', onAbort);

  try {
    onNextLine(send());
    for (;;) {
      const end = await Promise.race([ended.promise, socket.closed]);
      if (typeof end === 'object') return end;
      if (!isAccepted && end === TOO_BIG) {
        const error = tooLarge();
        // Whatever closed it so has not read the message; one that was sent before may have been.
        if (sends === 1) refusal = error;
        throw error;
      }
      const back = await Promise.race([ended.promise, gateway.comeBack()]);
      if ('kind' in back) return back;
      socket = back;
      if (socket.hello.server.bootId !== bootId) throw restarted();
      onNextLine(isAccepted ? waitForEnd() : send());
    }
  } catch (error) {
    if (error === refusal) order.onRun?.(undefined);
    throw error;
  } finally {
    over.abort();
    heard.off();
    order.signal?.removeEventListener('abort', onAbort);
  }
}

const restarted = (): PincerError =>
  new PincerError('SERVER_GONE', 'The gateway of OpenClaw was restarted while its agent was working.', {
    hint: 'OpenClaw goes on with it by itself: ask for the outcome with the same sessionKey.',
  });
