import { describe, expect, it } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

const aMoment = () => new Promise((resolve) => setImmediate(resolve));

it('work waits for the work before it, however that ends', async () => {
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

it('what throws at once is no end of the line', async () => {
  const inTurn = oneAtATime();
  const broken = inTurn(() => {
    throw new Error('at once');
  });
  await expect(broken).rejects.toThrow('at once');
  expect(await inTurn(async () => 'next')).toBe('next');
});

describe('what nobody wants any more', () => {
  const reason = new Error('not wanted');

  it('never begins where it waits, and nobody comes earlier for it', async () => {
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

  it('does not begin where nobody is before it either', async () => {
    const inTurn = oneAtATime();
    const order: string[] = [];
    await expect(inTurn(async () => order.push('late'), { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    await inTurn(async () => order.push('next'));
    expect(order).toEqual(['next']);
  });

  it('rejects with what it is told to say', async () => {
    const unwanted = (): Error => new Error('cancelled');
    const signal = AbortSignal.abort(reason);
    await expect(oneAtATime()(async () => 'done', { signal, unwanted })).rejects.toThrow('cancelled');
  });

  it('ends by itself where it has begun', async () => {
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
