/**
 * OpenClaw keeps its sessions over a restart of the hub, and takes a 404 for a call that failed. So its sessions come back
 * under the id that they had: its credential says who is asking, and its client can be asked nothing.
 */
import { jsonBytes } from '../core/wire/byte-text.ts';
import { parseMessage } from '../core/wire/message.ts';
import type { Arrival, HttpHost } from './http-reply.ts';
import type { Reply } from './reply.ts';
import type { Session } from './sessions.ts';

type Asked = Pick<Arrival, 'request' | 'caller' | 'view'>;

const SESSION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Nobody waits for the answer to an `initialize` that was answered in an earlier life. */
const NOBODY: Reply = {
  notify: () => undefined,
  ask: () => false,
  answer: () => undefined,
  accept: () => undefined,
  linger: () => undefined,
  pause: () => undefined,
  goOn: () => true,
};

/** Undefined for everybody else, whose client begins a new session when it is told that the old one has gone. */
export function reviveSession(host: HttpHost, arrival: Asked, id: string): Session | undefined {
  const { request, caller, view } = arrival;
  const { sessions, dispatch, onClient } = host.parts;
  if (sessions === undefined || caller.scopes.openClaw !== true || !SESSION_ID.test(id)) return undefined;
  const session = sessions.create(caller.id, (each) => host.borrow(each), id);
  const { client, running } = session;
  const params = { protocolVersion: request.headers['mcp-protocol-version'], capabilities: {} };
  const initialize = jsonBytes({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const sender = { caller, surface: 'http', view, era: 'legacy', client, legacy: client, running } as const;
  dispatch(parseMessage(initialize), { ...sender, headers: undefined }, NOBODY);
  client.begin(() => onClient(client, caller, view));
  return session;
}
