import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApprovalStore } from '../../../../../test/kit/approval-store.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import type { ApprovalRequest } from './subject.ts';
import { createApprovals, type Approvals, type OpenApproval, type Verdict } from './approvals.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { toByteText } from '../wire/byte-text.ts';
import { readMembers } from '../wire/members.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const TTL = DEFAULT_LIMITS.approvalTtlMs;
const OPEN = DEFAULT_LIMITS.approvalOpenMs;

/** A request to delete a path. */
const toDelete = (path: unknown = '/x', caller = 'laptop'): ApprovalRequest => ({
  caller: { id: `id of ${caller}`, name: caller, scopes: {} },
  server: 'files',
  method: 'tools/call',
  name: 'delete',
  definition: '{}',
  params: readMembers(toByteText(JSON.stringify({ name: 'delete', arguments: { path } }))),
});

interface Bench {
  readonly approvals: Approvals;
  readonly store: ApprovalStore;
  readonly time: { now: number };
  readonly notified: OpenApproval[];
  /** The verdicts that waiting calls received, by a name for each. */
  readonly verdicts: [who: string, kind: Verdict['kind']][];
  wait(who: string, request?: ApprovalRequest): ReturnType<Approvals['wait']>;
  take(request?: ApprovalRequest): Verdict['kind'] | undefined;
}

function bench(
  store = new ApprovalStore(),
  limits: Partial<typeof DEFAULT_LIMITS> | { maxApprovals?: number } = {},
  time = { now: 1_000_000 },
): Bench {
  const notified: OpenApproval[] = [];
  const verdicts: Bench['verdicts'] = [];
  let ids = Math.max(0, ...[...store.rows.keys()].map((id) => Number(id.slice(3))));
  const approvals = createApprovals({
    store,
    clock: { now: () => time.now, elapsed: () => time.now },
    digest: sha256,
    origin: () => undefined,
    newId: () => `id-${++ids}`,
    limits: { ...DEFAULT_LIMITS, ...limits },
    notify: (approval) => void notified.push(approval),
  });
  return {
    approvals,
    store,
    time,
    notified,
    verdicts,
    wait: (who, request = toDelete()) =>
      approvals.wait(request, (verdict) => void verdicts.push([who, verdict.kind])),
    take: (request = toDelete()) => approvals.take(approvals.digest(request))?.kind,
  };
}

describe('an open approval', () => {
  it('is created once for the same call, shown to the person, and stored', () => {
    const { approvals, store, notified, wait } = bench();
    wait('a');
    wait('b');
    expect(approvals.ask(toDelete()).id).toBe('id-1');
    const question: OpenApproval = {
      id: 'id-1',
      caller: 'laptop',
      server: 'files',
      tool: 'delete',
      arguments: '{"path":"/x"}',
      askedAt: 1_000_000,
      state: 'open',
      expiresAt: undefined,
    };
    expect(approvals.list()).toEqual([question]);
    expect(notified).toEqual([question]);
    expect([...store.rows.values()]).toMatchObject([
      { id: 'id-1', state: 'open', digest: approvals.digest(toDelete()) },
    ]);
  });

  it('is separate for another call or caller', () => {
    const { approvals, wait } = bench();
    wait('a');
    wait('b', toDelete('/y'));
    wait('c', toDelete('/x', 'phone'));
    expect(approvals.list().map(({ id }) => id)).toEqual(['id-1', 'id-2', 'id-3']);
  });

  it('lists the marks of the waiting calls', () => {
    const { approvals } = bench();
    const marksOf = (): unknown[] => approvals.list().map(({ marks }) => marks);
    const wait = (mark: string, path?: string) => approvals.wait(toDelete(path), () => undefined, mark);
    wait('a');
    const b = wait('b');
    wait('c', '/y');
    expect(marksOf()).toEqual([['a', 'b'], ['c']]);
    b.leave();
    expect(marksOf()).toEqual([['a'], ['c']]);
  });

  it('stays open when the call stops waiting', () => {
    const { approvals, wait } = bench();
    wait('a').leave();
    expect(approvals.list()).toHaveLength(1);
  });

  it('is withdrawn with the last waiting call', () => {
    const { approvals, store, wait, verdicts } = bench();
    const [a, b] = [wait('a'), wait('b')];
    a.withdraw();
    expect(approvals.list()).toHaveLength(1);
    b.withdraw();
    expect(approvals.list()).toEqual([]);
    expect(store.rows.size).toBe(0);
    expect(verdicts).toEqual([]);
  });

  it('expires after a day and is then asked again', () => {
    const { approvals, store, time, wait } = bench();
    wait('a').leave();
    time.now += OPEN - 1;
    expect(approvals.list()).toHaveLength(1);
    time.now += 1;
    expect(approvals.list()).toEqual([]);
    expect(() => approvals.decide('id-1', 'allowed')).toThrow('no open approval');
    expect(wait('b').id).toBe('id-2');
    expect([...store.rows.keys()]).toEqual(['id-2']);
  });

  it('removes the oldest one of the caller with most when there are too many', () => {
    const { approvals, store, wait, verdicts } = bench(undefined, { maxApprovals: 3 });
    wait('p', toDelete('/p', 'phone'));
    wait('1', toDelete('/1'));
    wait('2', toDelete('/2'));
    wait('3', toDelete('/3'));
    wait('4', toDelete('/4'));
    expect(verdicts).toEqual([
      ['1', 'dropped'],
      ['2', 'dropped'],
    ]);
    expect(approvals.list().map(({ caller }) => caller)).toEqual(['phone', 'laptop', 'laptop']);
    expect(store.rows.size).toBe(3);
  });

  it('removes the longest one of the caller with most bytes when all are too large together', () => {
    const { approvals, wait, verdicts } = bench(undefined, { maxOpenApprovalBytes: 1_000 });
    for (const at of [1, 2, 3]) wait(`p${at}`, toDelete(`/${at}`, 'phone'));
    wait('long', toDelete('x'.repeat(700)));
    wait('other', toDelete('y'.repeat(700)));
    expect(verdicts).toEqual([['long', 'dropped']]);
    expect(approvals.list().map(({ caller }) => caller)).toEqual(['phone', 'phone', 'phone', 'laptop']);
  });

  it('is refused if too long to show in full', () => {
    const { approvals, notified, wait } = bench(undefined, { maxApprovalBytes: 100 });
    expect(() => wait('a', toDelete('x'.repeat(100)))).toThrow(
      'files.delete needs the approval of a person, but takes more than 100 bytes to show in full.',
    );
    expect([approvals.list(), notified]).toEqual([[], []]);
  });

  it('of an older version without full text is dropped, and its decision does not count', () => {
    const { store, approvals } = bench();
    const { id } = approvals.ask(toDelete());
    approvals.decide(id, 'allowed');
    approvals.ask(toDelete('/open'));
    for (const [key, row] of store.rows)
      store.rows.set(key, { ...row, digest: row.digest.slice('full:'.length) });
    const next = bench(store);
    expect([next.approvals.list(), next.take(), store.rows.size]).toEqual([[], undefined, 0]);
  });
});

describe('a decision', () => {
  it('lets the waiting call run after it is on disk as used', () => {
    const { approvals, store, wait } = bench();
    const seen: string[][] = [];
    approvals.wait(toDelete(), () => void seen.push([...store.written]));
    const decided = approvals.decide('id-1', 'allowed');
    expect(decided).toMatchObject({ id: 'id-1', state: 'allowed', expiresAt: 1_000_000 + TTL });
    expect(seen).toEqual([['open id-1', 'allowed id-1', 'used id-1']]);
    expect(approvals.list()).toEqual([]);
    expect(wait('again').id).toBe('id-2');
  });

  it('lets the call run that waited longest, and asks again for the others', () => {
    const { approvals, notified, wait, verdicts } = bench();
    const [, b, c] = [wait('a'), wait('b'), wait('c')];
    approvals.decide('id-1', 'allowed');
    expect(verdicts).toEqual([['a', 'allowed']]);
    expect([b.id, c.id]).toEqual(['id-2', 'id-2']);
    expect(notified.map(({ id }) => id)).toEqual(['id-1', 'id-2']);
    approvals.decide('id-2', 'denied');
    expect(verdicts).toEqual([
      ['a', 'allowed'],
      ['b', 'denied'],
      ['c', 'denied'],
    ]);
  });

  it('lets exactly the call run whose client answered', () => {
    const { approvals, wait, verdicts } = bench();
    const [a, b] = [wait('a'), wait('b')];
    b.answer('allowed');
    expect(verdicts).toEqual([['b', 'allowed']]);
    expect(a.id).toBe('id-2');
    b.answer('denied');
    expect(approvals.list()).toMatchObject([{ id: 'id-2', state: 'open' }]);
    a.answer('denied');
    expect(verdicts.at(-1)).toEqual(['a', 'denied']);
  });

  it('is valid for one run of the same call, for ten minutes', () => {
    const { approvals, time, wait, take } = bench();
    wait('a').leave();
    approvals.decide('id-1', 'allowed');
    expect(approvals.list()).toMatchObject([{ state: 'allowed', expiresAt: time.now + TTL }]);
    time.now += TTL - 1;
    expect(take(toDelete('/y'))).toBeUndefined();
    expect(take(toDelete('/x', 'phone'))).toBeUndefined();
    expect(take()).toBe('allowed');
    expect(take()).toBeUndefined();
    wait('b').leave();
    approvals.decide('id-2', 'allowed');
    time.now += TTL;
    expect(take()).toBeUndefined();
  });

  it('expires when the clock is set back', () => {
    const { approvals, time, wait, take } = bench();
    wait('a').leave();
    approvals.decide('id-1', 'allowed');
    time.now -= TTL;
    expect(take()).toBeUndefined();
  });

  it('to deny is valid for ten minutes, for every repetition', () => {
    const { approvals, time, wait, take } = bench();
    wait('a').leave();
    approvals.decide('id-1', 'denied');
    expect([take(), take()]).toEqual(['denied', 'denied']);
    time.now += TTL;
    expect(take()).toBeUndefined();
  });

  it('is accepted once, by id or unique prefix', () => {
    const { approvals, wait } = bench();
    for (let at = 0; at < 11; at++) wait(`${at}`, toDelete(`/${at}`)).leave();
    expect(() => approvals.decide('', 'allowed')).toThrow('no open approval');
    expect(() => approvals.decide('unknown\u202e', 'allowed')).toThrow(
      'There is no open approval "unknown\\u202e".',
    );
    expect(() => approvals.decide('id', 'allowed')).toThrow('Several open approvals begin with "id".');
    // A full id wins over ids that begin with it.
    expect(approvals.decide('id-1', 'denied').id).toBe('id-1');
    expect(approvals.decide('id-10', 'denied').id).toBe('id-10');
    expect(approvals.decide('id-1', 'denied').id).toBe('id-11');
    expect(() => approvals.decide('id-10', 'allowed')).toThrow('It was denied before.');
  });
});

describe('a used approval', () => {
  it('is returned if the call certainly did not run, until it expires', () => {
    const { approvals, time, wait, take, store } = bench();
    wait('a');
    approvals.decide('id-1', 'allowed');
    approvals.giveBack('id-1');
    expect(take()).toBe('allowed');
    approvals.giveBack('id-1');
    time.now += TTL;
    expect(take()).toBeUndefined();
    approvals.giveBack('id-1');
    wait('b', toDelete('/y'));
    expect([...store.rows.keys()]).toEqual(['id-2']);
  });

  it('is removed when the call has ended', () => {
    const { approvals, wait, take, store } = bench();
    wait('a');
    approvals.decide('id-1', 'allowed');
    approvals.forget('id-1');
    approvals.giveBack('id-1');
    expect(take()).toBeUndefined();
    expect(store.rows.size).toBe(0);
  });

  it('is not returned beside a newly opened approval', () => {
    const { approvals, wait, take } = bench();
    wait('a');
    wait('b');
    approvals.decide('id-1', 'allowed');
    approvals.giveBack('id-1');
    expect(take()).toBeUndefined();
    expect(approvals.list()).toMatchObject([{ id: 'id-2', state: 'open' }]);
  });

  it('cannot be denied any more, but an unused one can', () => {
    const { approvals, wait, take } = bench();
    wait('a').leave();
    approvals.decide('id-1', 'allowed');
    approvals.deny('id-1');
    expect(take()).toBe('denied');
    approvals.deny('unknown');
    wait('b', toDelete('/y'));
    approvals.decide('id-2', 'allowed');
    approvals.deny('id-2');
    expect(take(toDelete('/y'))).toBeUndefined();
  });
});

describe('after a restart', () => {
  it('approvals stay open, decisions stay valid, and used ones are gone', () => {
    const first = bench();
    first.wait('open', toDelete('/open'));
    first.wait('allowed', toDelete('/allowed')).leave();
    first.wait('denied', toDelete('/denied')).leave();
    first.wait('used', toDelete('/used'));
    first.approvals.decide('id-2', 'allowed');
    first.approvals.decide('id-3', 'denied');
    first.approvals.decide('id-4', 'allowed');
    const { approvals, take, wait, verdicts, store } = bench(first.store, {}, first.time);
    expect(approvals.list().map(({ id, state }) => [id, state])).toEqual([
      ['id-1', 'open'],
      ['id-2', 'allowed'],
      ['id-3', 'denied'],
    ]);
    expect(store.rows.has('id-4')).toBe(false);
    expect(take(toDelete('/allowed'))).toBe('allowed');
    expect(take(toDelete('/denied'))).toBe('denied');
    expect(take(toDelete('/used'))).toBeUndefined();
    wait('again', toDelete('/open'));
    approvals.decide('id-1', 'allowed');
    expect(verdicts).toEqual([['again', 'allowed']]);
  });

  it('an approval with a secret in it is asked again, because the file does not keep the secret', () => {
    const first = bench();
    const inUrl = toDelete('https://user:hunter2@h/');
    first.wait('open', inUrl).leave();
    first.wait('allowed', toDelete('token=k-4711')).leave();
    first.wait('deep', toDelete(JSON.parse(`${'['.repeat(40)}"hunter2"${']'.repeat(40)}`))).leave();
    first.approvals.decide('id-2', 'allowed');
    expect(first.approvals.list()[0]!.arguments).toContain('user:hunter2@');
    expect(JSON.stringify([...first.store.rows.values()])).not.toMatch(/hunter2|4711/);
    const { approvals, take } = bench(first.store, {}, first.time);
    expect(approvals.list().map(({ id, state }) => [id, state])).toEqual([['id-2', 'allowed']]);
    expect(take(toDelete('token=k-4711'))).toBe('allowed');
  });

  it('expired approvals are removed', () => {
    const first = bench();
    first.wait('a').leave();
    first.approvals.decide('id-1', 'allowed');
    first.time.now += TTL;
    expect(bench(first.store, {}, first.time).store.rows.size).toBe(0);
  });

  it('waiting calls get `pending` when the hub stops', () => {
    const { approvals, wait, verdicts } = bench();
    wait('a');
    approvals.stop();
    expect(verdicts).toEqual([['a', 'pending']]);
    expect(approvals.list()).toHaveLength(1);
  });
});

describe('a failing store', () => {
  it('lets nothing run that is not on disk', () => {
    const { approvals, store, wait, verdicts, take } = bench();
    store.fails = ({ state }) => state === 'used';
    wait('a');
    approvals.decide('id-1', 'allowed');
    expect(verdicts).toEqual([['a', 'failed']]);
    expect(take()).toBe('failed');
    store.fails = undefined;
    expect(take()).toBe('allowed');
  });

  it('keeps an approval open whose decision could not be written', () => {
    const { approvals, store, wait, verdicts } = bench();
    wait('a');
    store.fails = () => true;
    expect(() => approvals.decide('id-1', 'allowed')).toThrow('the disk is full');
    expect(verdicts).toEqual([]);
    expect(approvals.list()).toMatchObject([{ state: 'open' }]);
  });

  it('fails the call that would ask', () => {
    const { approvals, store, wait } = bench();
    store.fails = () => true;
    expect(() => wait('a')).toThrow('the disk is full');
    expect(approvals.list()).toEqual([]);
  });
});

it('never more calls run than were allowed, in any order of events', () => {
  const step = fc.constantFrom(
    'wait',
    'leave',
    'withdraw',
    'allow',
    'deny',
    'take',
    'giveBack',
    'later',
    'restart',
    'yes',
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let at = bench();
      let allowed = 0;
      let ran = 0;
      let waiting: ReturnType<Approvals['wait']>[] = [];
      let lastUsed: string | undefined;
      const used = (verdict: Verdict | undefined): void => {
        if (verdict?.kind !== 'allowed') return;
        ran++;
        lastUsed = verdict.id;
      };
      for (const each of steps) {
        const [open] = at.approvals.list().filter(({ state }) => state === 'open');
        if (each === 'wait' && at.approvals.list().every(({ state }) => state === 'open'))
          waiting.push(at.approvals.wait(toDelete(), used));
        else if (each === 'leave') waiting.pop()?.leave();
        else if (each === 'withdraw') waiting.shift()?.withdraw();
        else if (each === 'allow' && open !== undefined) {
          allowed++;
          at.approvals.decide(open.id, 'allowed');
        } else if (each === 'yes' && open !== undefined && waiting.length > 0) {
          const before = ran;
          waiting.at(-1)!.answer('allowed');
          allowed += ran - before;
        } else if (each === 'deny' && open !== undefined) at.approvals.decide(open.id, 'denied');
        else if (each === 'take') used(at.approvals.take(at.approvals.digest(toDelete())));
        else if (each === 'giveBack' && lastUsed !== undefined) {
          // It did not run after all.
          at.approvals.giveBack(lastUsed);
          ran--;
          lastUsed = undefined;
        } else if (each === 'later') at.time.now += TTL / 2;
        else if (each === 'restart') {
          at = bench(at.store, {}, at.time);
          waiting = [];
          lastUsed = undefined;
        }
        expect(ran).toBeLessThanOrEqual(allowed);
      }
    }),
    { numRuns: atDepth(200, 1_000) },
  );
});
