import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { createSessions, type Session } from './sessions.ts';

interface Bench {
  readonly sessions: {
    readonly size: number;
    create(owner: string): Session;
    find(id: string, owner: string): Session | undefined;
    end(session: Session): void;
    sweep(): void;
  };
  readonly time: { now: number };
  /** Adds a call to a session; its cancellation is appended to the list. */
  run(session: Session, id: string): string[];
}

const bench = (limits = { maxSessionsPerCredential: 3, sessionTtlMs: 1_000 }): Bench => {
  const time = { now: 0 };
  const sessions = createSessions({ ...DEFAULT_LIMITS, ...limits }, () => time.now);
  return {
    time,
    sessions: {
      ...sessions,
      get size() {
        return sessions.size;
      },
      create: (owner) => sessions.create(owner, () => undefined),
    },
    run(session, id) {
      const cancelled: string[] = [];
      session.running.set(id, {
        cancel(reason) {
          cancelled.push(reason);
          session.running.delete(id);
        },
      });
      return cancelled;
    },
  };
};

describe('a session', () => {
  it('is found by its owner', () => {
    const { sessions } = bench();
    const session = sessions.create('a');
    expect(sessions.find(session.id, 'a')).toBe(session);
    expect(session).toMatchObject({ owner: 'a' });
    expect(sessions.size).toBe(1);
  });

  it('does not exist for other owners', () => {
    const { sessions } = bench();
    const session = sessions.create('a');
    sessions.create('b');
    expect(sessions.find(session.id, 'b')).toBeUndefined();
    expect(sessions.find(session.id, '')).toBeUndefined();
    expect(sessions.find(session.id, '__proto__')).toBeUndefined();
    expect(sessions.find(session.id, 'a')).toBe(session);
  });

  it('has an id that cannot be guessed', () => {
    const { sessions } = bench({ maxSessionsPerCredential: 1_000, sessionTtlMs: 1_000 });
    const ids = Array.from({ length: 500 }, () => sessions.create('a').id);
    expect(new Set(ids).size).toBe(500);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it.each(['', 'x', '__proto__', 'constructor'])('is not found under %j', (id) => {
    const { sessions } = bench();
    sessions.create('a');
    expect(sessions.find(id, 'a')).toBeUndefined();
  });
});

describe('expiry', () => {
  it('ends a session that was idle too long', () => {
    const { sessions, time } = bench();
    const { id } = sessions.create('a');
    time.now = 999;
    expect(sessions.find(id, 'a')).toBeDefined();
    time.now = 999 + 1_000;
    expect(sessions.find(id, 'a')).toBeUndefined();
    expect(sessions.size).toBe(0);
  });

  it('does not end a session with a running call', () => {
    const { sessions, time, run } = bench();
    const session = sessions.create('a');
    const cancelled = run(session, '1');
    time.now = 5_000;
    expect(sessions.find(session.id, 'a')).toBe(session);
    expect(cancelled).toEqual([]);
    session.running.delete('1');
    time.now = 6_000;
    expect(sessions.find(session.id, 'a')).toBeUndefined();
  });

  it('is not postponed by another owner’s request', () => {
    const { sessions, time } = bench();
    const { id } = sessions.create('a');
    time.now = 900;
    sessions.find(id, 'b');
    time.now = 1_000;
    expect(sessions.find(id, 'a')).toBeUndefined();
  });
});

describe('a sweep', () => {
  it('ends expired sessions', () => {
    const { sessions, time, run } = bench();
    const busy = sessions.create('a');
    sessions.create('a');
    run(busy, '1');
    time.now = 1_000;
    const fresh = sessions.create('b');
    time.now = 1_500;
    sessions.sweep();
    expect(sessions.size).toBe(2);
    expect(sessions.find(busy.id, 'a')).toBe(busy);
    expect(sessions.find(fresh.id, 'b')).toBe(fresh);
  });
});

describe('the limit', () => {
  it('ends the session that was idle longest', () => {
    const { sessions, time } = bench();
    const [first, second, third] = [0, 1, 2].map((at) => {
      time.now = at;
      return sessions.create('a');
    });
    time.now = 3;
    sessions.find(first!.id, 'a');
    const fourth = sessions.create('a');
    expect(sessions.size).toBe(3);
    expect(sessions.find(second!.id, 'a')).toBeUndefined();
    for (const { id } of [first!, third!, fourth]) expect(sessions.find(id, 'a')).toBeDefined();
  });

  it('never ends a session with a running call', () => {
    const { sessions, run } = bench();
    const busy = Array.from({ length: 4 }, () => {
      const session = sessions.create('a');
      run(session, '1');
      return session;
    });
    expect(sessions.size).toBe(4);
    for (const { id } of busy) expect(sessions.find(id, 'a')).toBeDefined();
  });

  it('counts per owner', () => {
    const { sessions } = bench();
    const other = sessions.create('b');
    for (let count = 0; count < 10; count++) sessions.create('a');
    expect(sessions.size).toBe(4);
    expect(sessions.find(other.id, 'b')).toBe(other);
  });

  it('ends all expired sessions', () => {
    const { sessions, time } = bench();
    sessions.create('a');
    sessions.create('a');
    time.now = 1_000;
    const { id } = sessions.create('a');
    expect(sessions.size).toBe(1);
    expect(sessions.find(id, 'a')).toBeDefined();
  });

  it('holds over many sessions', () => {
    const { sessions, time } = bench({ maxSessionsPerCredential: 1, sessionTtlMs: 1_000 });
    for (let count = 0; count < 50; count++) {
      time.now++;
      const { id } = sessions.create('a');
      expect(sessions.size).toBe(1);
      expect(sessions.find(id, 'a')).toBeDefined();
    }
  });
});

describe('the end', () => {
  it('cancels every running call', () => {
    const { sessions, run } = bench();
    const session = sessions.create('a');
    const calls = ['1', '2', '"x"'].map((id) => run(session, id));
    sessions.end(session);
    expect(calls.flat()).toEqual(Array(3).fill('the session ended'));
    expect(sessions.find(session.id, 'a')).toBeUndefined();
    expect(sessions.size).toBe(0);
  });

  it('ends its client: questions fail, and notifications stop', () => {
    const { sessions } = bench();
    const session = sessions.create('a');
    const events: string[] = [];
    session.client.begin(() => () => events.push('gone'));
    sessions.end(session);
    expect(events).toEqual(['gone']);
    expect(
      session.client.ask({ method: 'roots/list', params: '{}', answer: () => undefined }),
    ).toBeUndefined();
  });

  it('happens once, and leaves other sessions unaffected', () => {
    const { sessions, run } = bench();
    const session = sessions.create('a');
    const other = sessions.create('a');
    const cancelled = run(session, '1');
    sessions.end(session);
    sessions.end(session);
    expect(cancelled).toHaveLength(1);
    expect(sessions.find(other.id, 'a')).toBe(other);
    expect(sessions.size).toBe(1);
  });
});
