/** Where apps come to: they register sessions, end them, and connect their bridges. */
import type { ByteText } from '../../core/wire/byte-text.ts';
import type { Limits } from '../../core/limits.ts';
import { CLOSE, type BridgeSocket } from './calls/socket.ts';
import type { BridgeRefusal, Links } from './calls/links.ts';
import type { Link } from './calls/link.ts';
import { readRegistration } from './registration/read-registration.ts';
import type { SessionBook } from './sessions/session-book.ts';

export interface DeskParts {
  readonly book: SessionBook;
  readonly links: Links;
  readonly limits: Limits;
}

/** Who comes: an app, and a digest of what it has proved itself by. */
export interface Visitor {
  readonly app: string;
  readonly credential: string;
}

/** The end of a bridge that its socket talks to. */
export interface OpenBridge {
  hear(text: string): void;
  closed(): void;
}

export interface Desk {
  /** Gives back the id of the new session. Throws what is wrong with the registration. */
  register(visitor: Visitor, body: ByteText): string;
  /** False: the app has no such session. */
  remove(visitor: Visitor, id: string): boolean;
  /** To another app a session does not exist. */
  connect(visitor: Visitor, id: string, socket: BridgeSocket): OpenBridge | BridgeRefusal;
}

export const createDesk = ({ book, links, limits }: DeskParts): Desk => ({
  register: ({ app }, body) => book.create(app, readRegistration(body, limits)).id,
  remove: ({ app }, id) => book.remove(app, id),
  connect({ app, credential }, id, socket) {
    if (book.findFor(app, id) === undefined) return { code: CLOSE.unknownSession, reason: 'unknown session' };
    const link = links.open(id, credential, socket);
    return 'code' in link ? link : bridgeOver(link, links);
  },
});

const bridgeOver = (link: Link, links: Links): OpenBridge => ({
  hear: (text) => link.hear(text),
  closed: () => links.closed(link),
});
