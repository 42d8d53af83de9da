/** Legacy protocol sessions. An id is only a handle; the credential proves who is calling. */
import { ShortLivedMap } from '../lib/short-lived-map.ts';
import type { Running } from '../core/request.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { LegacyClient } from './legacy-client.ts';
import { ReplayBudget, EventStore, type ReplayLimits, EventStream, type EventTrack } from './event-stream.ts';
import { type Outlet, QUESTION_SLACK } from './reply.ts';

export interface Session {
  readonly id: string;
  readonly owner: string;
  readonly client: LegacyClient;
  readonly streams: SessionStreams;
  /** Calls under way by the client's request id, for `notifications/cancelled`. */
  readonly running: ShortLivedMap<ByteText, Running>;
  lastUsed: number;
}

export interface Sessions {
  readonly size: number;
  /** `borrow` finds a running answer of the session that can carry messages that belong to no call. */
  create(owner: string, borrow: (session: Session) => Outlet | undefined, id?: string): Session;
  /** Also undefined for another owner's session; deliberately indistinguishable. */
  find(id: string, owner: string): Session | undefined;
  end(session: Session): void;
  /** Ends all sessions of an owner. */
  endOf(owner: string): void;
  /** Ends expired sessions. */
  sweep(): void;
}

export interface SessionLimits extends StreamLimits {
  readonly maxSessionsPerCredential: number;
  readonly sessionTtlMs: number;
  readonly maxReplayBytesInAll: number;
  readonly maxQuestions: number;
}

const ENDED = 'the session ended';

export function createSessions(limits: SessionLimits, elapsed: () => number): Sessions {
  const byOwner = new Map<string, Map<string, Session>>();
  const budget = new ReplayBudget(limits.maxReplayBytesInAll);

  function end(session: Session): void {
    const own = byOwner.get(session.owner);
    if (own?.delete(session.id) && own.size === 0) byOwner.delete(session.owner);
    for (const running of session.running.values()) running.cancel(ENDED);
    session.client.end(ENDED);
    session.streams.own.end();
    session.streams.clear();
  }

  const hasExpired = (session: Session, now: number): boolean =>
    now - session.lastUsed >= limits.sessionTtlMs && !isInUse(session);

  /** Ends expired sessions and, above the limit, the ones that were idle longest. Sessions in use stay. */
  function makeRoom(own: Map<string, Session>, now: number): void {
    const idle = [...own.values()]
      .filter((session) => !isInUse(session))
      .sort((a, b) => a.lastUsed - b.lastUsed);
    for (const session of idle) {
      if (!hasExpired(session, now) && own.size < limits.maxSessionsPerCredential) return;
      end(session);
    }
  }

  function make(owner: string, borrow: (session: Session) => Outlet | undefined, id: string): Session {
    const streams = new SessionStreams(limits, () => borrow(session), budget);
    const client = new LegacyClient(id, streams, limits.maxQuestions);
    const session: Session = {
      id,
      owner,
      client,
      streams,
      running: new ShortLivedMap(),
      lastUsed: elapsed(),
    };
    return session;
  }

  return {
    get size() {
      return [...byOwner.values()].reduce((sum, own) => sum + own.size, 0);
    },
    create(owner, borrow, id = crypto.randomUUID()) {
      const session = make(owner, borrow, id);
      const known = byOwner.get(owner);
      if (known !== undefined) makeRoom(known, session.lastUsed);
      const own = byOwner.get(owner) ?? new Map<string, Session>();
      byOwner.set(owner, own.set(session.id, session));
      return session;
    },
    find(id, owner) {
      const session = byOwner.get(owner)?.get(id);
      if (session === undefined) return undefined;
      const now = elapsed();
      if (hasExpired(session, now)) {
        end(session);
        return undefined;
      }
      session.lastUsed = now;
      return session;
    },
    end,
    endOf(owner) {
      for (const session of byOwner.get(owner)?.values() ?? []) end(session);
    },
    sweep() {
      const now = elapsed();
      for (const own of byOwner.values())
        for (const session of own.values()) if (hasExpired(session, now)) end(session);
    },
  };
}

/** Whether calls are under way or the client listens. */
const isInUse = ({ running, streams }: Session): boolean => running.size > 0 || streams.own.isCarried;

interface StreamLimits extends ReplayLimits {
  readonly maxUnsentToClientBytes: number;
  readonly resumeWaitMs: number;
}

/** What a client gets when it resumes; without `stream`, `missed` is all that is left. */
interface Resumption {
  readonly stream: EventStream | undefined;
  readonly missed: ByteText;
}

const OWN = 0;
const EVENT_ID = /^(\d{1,15})_(\d{1,15})$/;

/**
 * The streams of one legacy session: the one that the client opens with GET, and answers to POSTs that became streams.
 * Each outlives the connection that carries it (MCP 2025-11-25, "Resumability and Redelivery").
 */
class SessionStreams implements Outlet {
  /** The stream that the client opens with GET. */
  readonly own: EventStream;
  readonly #limits: StreamLimits;
  readonly #borrow: () => Outlet | undefined;
  readonly #store: EventStore;
  readonly #answers = new Map<number, EventStream>();
  #count = OWN;

  /** `borrow` finds a running answer that can carry messages that belong to no call. */
  constructor(limits: StreamLimits, borrow: () => Outlet | undefined, budget?: ReplayBudget) {
    this.#limits = limits;
    this.#borrow = borrow;
    this.#store = new EventStore(limits, budget);
    this.own = new EventStream(() => undefined, new Track(OWN, this.#store));
  }

  /** Opens a stream for an answer. */
  open(onDropped: () => void): EventStream {
    const number = ++this.#count;
    const stream = new EventStream(onDropped, new Track(number, this.#store, () => this.#close(number)));
    this.#answers.set(number, stream);
    return stream;
  }

  /** Undefined if this session does not know the event id, or has forgotten it. */
  resume(lastEventId: string): Resumption | undefined {
    const [, stream, count] = EVENT_ID.exec(lastEventId) ?? [];
    if (stream === undefined) return undefined;
    const number = Number(stream);
    const open = number === OWN ? this.own : this.#answers.get(number);
    if (open === undefined && !this.#store.has(number)) return undefined;
    return { stream: open, missed: this.#store.after(number, Number(count)) };
  }

  notify(text: ByteText): void {
    if (this.own.isCarried) {
      if (this.own.unsentBytes <= this.#limits.maxUnsentToClientBytes) this.own.send(text);
      return;
    }
    const answer = this.#borrow();
    if (answer !== undefined) answer.notify(text);
    // Stored for a client that can resume.
    else if (this.own.canResume) this.own.send(text);
  }

  ask(text: ByteText): boolean {
    if (!this.own.isCarried) return this.#borrow()?.ask(text) ?? false;
    if (this.own.unsentBytes > QUESTION_SLACK * this.#limits.maxUnsentToClientBytes) return false;
    this.own.send(text);
    return true;
  }

  /** Called when the session ends. */
  clear(): void {
    this.#store.clear();
  }

  /** The events of a finished answer can be replayed for a while. */
  #close(number: number): void {
    this.#answers.delete(number);
    setTimeout(() => this.#store.forget(number), this.#limits.resumeWaitMs).unref();
  }
}

/** Ids are `<stream>_<event>`. They are only looked up within their session, so they need not be secret. */
class Track implements EventTrack {
  canResume = false;
  readonly #stream: number;
  readonly #store: EventStore;
  readonly #onEnd: (() => void) | undefined;
  #count = 0;

  constructor(stream: number, store: EventStore, onEnd?: () => void) {
    this.#stream = stream;
    this.#store = store;
    this.#onEnd = onEnd;
  }

  record(event: ByteText): ByteText {
    this.canResume = true;
    const count = ++this.#count;
    const text: ByteText = `id: ${this.#stream}_${count}\n${event}`;
    this.#store.add({ stream: this.#stream, count, text });
    return text;
  }

  prime(): ByteText {
    this.canResume = true;
    return `id: ${this.#stream}_${this.#count}\ndata: \n\n`;
  }

  end(): void {
    this.#onEnd?.();
  }
}
