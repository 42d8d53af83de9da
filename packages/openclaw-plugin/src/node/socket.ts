/** Requests and events on a gateway's WebSocket. */
import { PincerError, type DeviceIdentity } from 'pincer/client';
import { connectParams, type Challenge } from './handshake.ts';
import type { GatewayAddress } from './gateway.ts';

export interface GatewaySocket {
  request(method: string, params: object): Promise<unknown>;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  close(): void;
}

export interface GatewayEvents {
  /** One may come right behind the answer that lets us in. */
  onEvent(event: string, payload: unknown, from: GatewaySocket): void;
  /** Ends the connection, and what leads to it. */
  readonly signal: AbortSignal;
}

type Frame =
  | { readonly type: 'event'; readonly event: string; readonly payload: unknown }
  | { readonly type: 'res'; readonly id: string; readonly ok: true; readonly payload: unknown }
  | {
      readonly type: 'res';
      readonly id: string;
      readonly ok: false;
      readonly error: { readonly message: string };
    };

const CONNECT_MS = 30_000;

/** Connected, and known to the gateway. */
export async function openGateway(
  { url, auth }: GatewayAddress,
  identity: DeviceIdentity,
  { onEvent, signal }: GatewayEvents,
): Promise<GatewaySocket> {
  const socket = new WebSocket(url);
  const waiting = new Map<string, PromiseWithResolvers<unknown>>();
  const challenged = Promise.withResolvers<Challenge>();
  const closed = Promise.withResolvers<void>();
  const close = (): void => socket.close();
  const gateway: GatewaySocket = { request, closed: closed.promise, close };

  function request(method: string, params: object): Promise<unknown> {
    const id = crypto.randomUUID();
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ type: 'req', id, method, params }));
    return answer.promise;
  }

  function onFrame(frame: Frame): void {
    if (frame.type === 'res') {
      const answer = waiting.get(frame.id);
      waiting.delete(frame.id);
      if (frame.ok) answer?.resolve(frame.payload);
      else answer?.reject(new PincerError('INTERNAL', `The gateway refused: ${frame.error.message}`));
    } else if (frame.event === 'connect.challenge') challenged.resolve(frame.payload as Challenge);
    else onEvent(frame.event, frame.payload, gateway);
  }

  /** What is thrown in a listener would end the process, and that is the gateway. */
  function onMessage(text: string): void {
    try {
      onFrame(JSON.parse(text) as Frame);
    } catch {
      close();
    }
  }

  socket.addEventListener('message', ({ data }) => onMessage(String(data)));
  socket.addEventListener('close', ({ reason }) => {
    const error = new PincerError('INTERNAL', `The gateway ended the connection${reason && `: ${reason}`}.`);
    challenged.reject(error);
    for (const answer of waiting.values()) answer.reject(error);
    closed.resolve();
    signal.removeEventListener('abort', close);
  });
  signal.addEventListener('abort', close);
  // An error is followed by a close.
  socket.addEventListener('error', () => undefined);
  const timer = setTimeout(close, CONNECT_MS);
  try {
    await request('connect', connectParams(await challenged.promise, identity, auth));
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return gateway;
}
