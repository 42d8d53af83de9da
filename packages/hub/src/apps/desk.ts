/** Where apps come to: they register sessions, end them, and connect their bridges. */
import type { BridgeRefusal, BridgeSocket, OpenBridge, Visitor } from '../core/app-bridge.ts';
import type { EventMethod } from '../core/call/record.ts';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import type { OnAppEvent } from './app-event.ts';
import type { Link } from './calls/link.ts';
import { UNKNOWN_SESSION, type Links } from './calls/links.ts';
import { readRegistration } from './registration/read-registration.ts';
import type { SessionDirectory } from './directory/session-directory.ts';

export interface DeskParts {
  readonly directory: SessionDirectory;
  readonly links: Links;
  readonly limits: Limits;
  onEvent: OnAppEvent;
  /** What should not have happened: a disk that is full, say. */
  onFailed(error: unknown): void;
}

export interface Desk {
  /** Resolves to the id of the new session. Rejects with what is wrong with the registration. */
  register(visitor: Visitor, body: ByteText): Promise<string>;
  /** False: the app has no such session. */
  remove(visitor: Visitor, id: string): Promise<boolean>;
  /** To another app a session does not exist. */
  connect(visitor: Visitor, id: string, socket: BridgeSocket): Promise<OpenBridge | BridgeRefusal>;
}

export function createDesk({ directory, links, limits, onEvent, onFailed }: DeskParts): Desk {
  /** Only ids that were given out are written down, and nothing that somebody made up. */
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
        const isGone = await directory.remove(app, id);
        if (isGone) onEvent({ app, method: 'sessions/delete', session: id });
        else refused(app, 'sessions/delete', 'SESSION_UNKNOWN');
        return isGone;
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
      const link = await links.open(session, credential, socket);
      if (!('code' in link)) return bridgeOver(link, links);
      refused(app, 'bridge/refused', link.why, id);
      return link;
    },
  };
}

const bridgeOver = (link: Link, links: Links): OpenBridge => ({
  hear: (text) => link.hear(text),
  closed: () => links.closed(link),
});
