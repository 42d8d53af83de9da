/** Requests and events on the gateway's WebSocket, protocol 4. */
import { once } from 'node:events';
import { version } from 'node:process';
import type { JsonObject } from '../../servers/json.ts';
import { TOKEN } from './profile.ts';

export interface GatewayEvent {
  event: string;
  payload: JsonObject;
}

type Frame =
  | ({ type: 'event' } & GatewayEvent)
  | { type: 'res'; id: string; ok: true; payload: JsonObject }
  | { type: 'res'; id: string; ok: false; error: { code: string; message: string } };

export interface GatewaySocket extends AsyncDisposable {
  rpc(method: string, params?: object): Promise<JsonObject>;
  /** Adds a listener for all events and returns a function that removes it. */
  onEvent(listener: (event: GatewayEvent) => void): () => void;
}

/** The owner's scopes. */
const ALL_SCOPES = ['operator.read', 'operator.write', 'operator.admin', 'operator.approvals'];

/** A client that the gateway trusts on loopback without a paired device. */
const CONNECT = {
  minProtocol: 4,
  maxProtocol: 4,
  client: { id: 'gateway-client', version, platform: process.platform, mode: 'backend' },
  role: 'operator',
  caps: ['tool-events', 'plugin-approvals'],
  auth: { token: TOKEN },
};

export async function connectGateway(url: string, scopes = ALL_SCOPES): Promise<GatewaySocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const waiting = new Map<string, PromiseWithResolvers<JsonObject>>();
  const listeners = new Set<(event: GatewayEvent) => void>();

  function rpc(method: string, params: object = {}): Promise<JsonObject> {
    const id = crypto.randomUUID();
    const answer = Promise.withResolvers<JsonObject>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ type: 'req', id, method, params }));
    return answer.promise;
  }

  function settle(frame: Extract<Frame, { type: 'res' }>): void {
    const answer = waiting.get(frame.id);
    waiting.delete(frame.id);
    if (frame.ok) answer?.resolve(frame.payload);
    else answer?.reject(new Error(`${frame.error.code}: ${frame.error.message}`));
  }

  const challenged = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame;
    if (frame.type === 'res') settle(frame);
    else if (frame.event === 'connect.challenge') challenged.resolve();
    else for (const listener of listeners) listener(frame);
  });
  const closed = once(socket, 'close').then(() => {
    const error = new Error('The gateway closed the connection.');
    challenged.reject(error);
    for (const answer of waiting.values()) answer.reject(error);
  });
  await challenged.promise;
  await rpc('connect', { ...CONNECT, scopes });
  return {
    rpc,
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await closed;
    },
  };
}
