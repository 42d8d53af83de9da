import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oneAtATime, orAborted, orTooLate, within } from './time.ts';

const NEVER = new Promise<never>(() => undefined);
const failed = async (): Promise<never> => {
  await sleep(5);
  throw new Error('it failed');
};

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await sleep(20);
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('within', () => {
  it('resolves with the result', async () => {
    expect(await within(Promise.resolve(7), 1_000)).toBe(7);
  });

  it('resolves with undefined after the timeout', async () => {
    expect(await within(NEVER, 1)).toBeUndefined();
  });

  it('passes on a failure', async () => {
    await expect(within(failed(), 1_000)).rejects.toThrow('it failed');
  });

  it('handles a late rejection', async () => {
    expect(await within(failed(), 1)).toBeUndefined();
  });

  it.each([Promise.resolve(7), failed().catch(() => undefined)])('leaves no timer behind', async (work) => {
    const before = timers();
    await within(work, 60_000);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe('orTooLate', () => {
  it('resolves with the result or a plain value', async () => {
    expect(await orTooLate(Promise.resolve(7), 1_000)).toBe(7);
    expect(await orTooLate(8, 1_000)).toBe(8);
  });

  it('rejects after the timeout, with the given error if any', async () => {
    await expect(orTooLate(NEVER, 1)).rejects.toThrow('no result within 1 ms');
    await expect(orTooLate(NEVER, 1, () => new Error('too late'))).rejects.toThrow('too late');
  });

  it('handles a late rejection', async () => {
    await expect(orTooLate(failed(), 1)).rejects.toThrow('no result');
  });
});

describe('orAborted', () => {
  it('resolves with the result, with or without a signal', async () => {
    expect(await orAborted(Promise.resolve(7), undefined)).toBe(7);
    expect(await orAborted(Promise.resolve(7), new AbortController().signal)).toBe(7);
  });

  it('rejects with the reason of an already aborted signal', async () => {
    await expect(orAborted(NEVER, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });

  it('rejects with the given error when the signal is aborted', async () => {
    const stop = new AbortController();
    const waiting = orAborted(NEVER, stop.signal, () => new Error('unwanted'));
    stop.abort();
    await expect(waiting).rejects.toThrow('unwanted');
  });
});

describe('oneAtATime', () => {
  const aMoment = () => new Promise((resolve) => setImmediate(resolve));

  it('waits for earlier work, successful or not', async () => {
    const inTurn = oneAtATime();
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const one = inTurn(async () => {
      order.push('one');
      await first.promise;
      throw new Error('one failed');
    });
    const two = inTurn(async () => order.push('two'));
    const three = inTurn(async () => order.push('three'));
    await aMoment();
    expect(order).toEqual(['one']);
    first.resolve();
    await expect(one).rejects.toThrow('one failed');
    expect(await Promise.all([two, three])).toEqual([2, 3]);
    expect(order).toEqual(['one', 'two', 'three']);
  });

  it('continues after work that throws synchronously', async () => {
    const inTurn = oneAtATime();
    const broken = inTurn(() => {
      throw new Error('at once');
    });
    await expect(broken).rejects.toThrow('at once');
    expect(await inTurn(async () => 'next')).toBe('next');
  });

  describe('aborted work', () => {
    const reason = new Error('not wanted');

    it('never begins if it waits, and does not let others jump the queue', async () => {
      const inTurn = oneAtATime();
      const first = Promise.withResolvers<void>();
      const caller = new AbortController();
      const order: string[] = [];
      const running = inTurn(() => first.promise);
      const waiting = inTurn(async () => order.push('waiting'), caller);
      const next = inTurn(async () => order.push('next'));
      caller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      await aMoment();
      expect(order).toEqual([]);
      first.resolve();
      await Promise.all([running, next]);
      expect(order).toEqual(['next']);
    });

    it('does not begin with an already aborted signal', async () => {
      const inTurn = oneAtATime();
      const order: string[] = [];
      await expect(
        inTurn(async () => order.push('late'), { signal: AbortSignal.abort(reason) }),
      ).rejects.toBe(reason);
      await inTurn(async () => order.push('next'));
      expect(order).toEqual(['next']);
    });

    it('rejects with the given error', async () => {
      const unwanted = (): Error => new Error('cancelled');
      const signal = AbortSignal.abort(reason);
      await expect(oneAtATime()(async () => 'done', { signal, unwanted })).rejects.toThrow('cancelled');
    });

    it('continues if it has begun', async () => {
      const inTurn = oneAtATime();
      const begun = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<string>();
      const caller = new AbortController();
      const running = inTurn(() => {
        begun.resolve();
        return goOn.promise;
      }, caller);
      await begun.promise;
      caller.abort(reason);
      goOn.resolve('done');
      expect(await running).toBe('done');
    });
  });
});
