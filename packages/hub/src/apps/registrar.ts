/** Registers sessions of apps, ends them, and connects their bridges. */
import type { BridgeRefusal, BridgeSocket, OpenBridge, Visitor } from '../core/app-bridge.ts';
import type { EventMethod } from '../core/call/record.ts';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { UNKNOWN_SESSION, type Bridges, type OnAppEvent } from './calls/bridges.ts';
import type { BridgeConnection } from './calls/bridge-connection.ts';
import { readRegistration } from './registration/read-registration.ts';
import type { SessionDirectory } from './directory/session-directory.ts';

export interface RegistrarParts {
  readonly directory: SessionDirectory;
  readonly bridges: Bridges;
  readonly limits: Limits;
  onEvent: OnAppEvent;
  /** Reports an internal failure, such as a full disk. */
  onFailed(error: unknown): void;
}

export interface Registrar {
  /** Resolves to the id of the new session. Rejects with the error in the registration. */
  register(visitor: Visitor, body: ByteText): Promise<string>;
  /** Resolves to false if the app has no such session. */
  remove(visitor: Visitor, id: string): Promise<boolean>;
  /** A session of another app is reported as unknown. */
  connect(visitor: Visitor, id: string, socket: BridgeSocket): Promise<OpenBridge | BridgeRefusal>;
}

export function createRegistrar({
  directory,
  bridges,
  limits,
  onEvent,
  onFailed,
}: RegistrarParts): Registrar {
  /** Records only ids that exist, never one that the app made up. */
  const refused = (app: string, method: EventMethod, code: ErrorCode, session?: string): void =>
    onEvent({ app, method, session, outcome: 'not_executed', code });
  const failed = (app: string, method: EventMethod, error: unknown, session?: string): void => {
    const { code } = PincerError.from(error);
    if (code === 'INTERNAL') onFailed(error);
    refused(app, method, code, session);
  };

  return {
    async register({ app }, body) {
      try {
        const { id } = await directory.create(app, readRegistration(body, limits));
        onEvent({ app, method: 'sessions/create', session: id, argumentBytes: body.length });
        return id;
      } catch (error) {
        failed(app, 'sessions/create', error);
        throw error;
      }
    },
    async remove({ app }, id) {
      try {
        const isRemoved = await directory.remove(app, id);
        if (isRemoved) onEvent({ app, method: 'sessions/delete', session: id });
        else refused(app, 'sessions/delete', 'SESSION_UNKNOWN');
        return isRemoved;
      } catch (error) {
        failed(app, 'sessions/delete', error, id);
        throw error;
      }
    },
    async connect({ app, credential }, id, socket) {
      const session = await directory.find(id, app);
      if (session === undefined) {
        refused(app, 'bridge/refused', 'SESSION_UNKNOWN');
        return UNKNOWN_SESSION;
      }
      const connection = await bridges.open(session, credential, socket);
      if (!('code' in connection)) return bridgeOver(connection, bridges);
      refused(app, 'bridge/refused', connection.why, id);
      return connection;
    },
  };
}

const bridgeOver = (connection: BridgeConnection, bridges: Bridges): OpenBridge => ({
  hear: (text) => connection.hear(text),
  closed: () => bridges.closed(connection),
});
