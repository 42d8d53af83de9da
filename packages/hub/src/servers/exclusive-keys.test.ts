import { describe, expect, it } from 'vitest';
import { HandExchange } from '../../../../test/kit/fake-wire.ts';
import type { Outcome } from '../core/outcome.ts';
import { createExclusiveKeys } from './pool.ts';

const OK: Outcome = { kind: 'ok', result: '{}', era: 'legacy', extra: '' };

describe('a connection for one call', () => {
  it('is used by no other call until its call ends, then by the next one', () => {
    const keys = createExclusiveKeys(8);
    const first = keys.reserve('k', 'c', new HandExchange());
    const second = keys.reserve('k', 'c', new HandExchange());
    expect([first.key, second.key]).toEqual(['k/0', 'k/1']);
    first.exchange.settle(OK);
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/0');
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/2');
  });

  it('is independent of other keys', () => {
    const keys = createExclusiveKeys(8);
    expect(keys.reserve('a', 'c', new HandExchange()).key).toBe('a/0');
    expect(keys.reserve('b', 'c', new HandExchange()).key).toBe('b/0');
  });

  it('is free again when the caller gets its answer', () => {
    const keys = createExclusiveKeys(8);
    const exchange = new HandExchange();
    let next: string | undefined;
    exchange.settle = () => void (next = keys.reserve('k', 'c', new HandExchange()).key);
    keys.reserve('k', 'c', exchange).exchange.settle(OK);
    expect(next).toBe('k/0');
  });

  it('is freed once, even if its call ended twice', () => {
    const keys = createExclusiveKeys(8);
    const first = keys.reserve('k', 'c', new HandExchange());
    first.exchange.settle(OK);
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/0');
    first.exchange.settle(OK);
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/1');
  });

  it('passes all messages to the caller', () => {
    const caller = new HandExchange();
    const { exchange } = createExclusiveKeys(8).reserve('k', 'c', caller);
    exchange.notify('m', '{}');
    exchange.ask({ method: 'q', params: '{}', answer: () => undefined }).withdraw('w');
    exchange.settle(OK);
    expect([caller.notified, caller.questions.length, caller.withdrawn, caller.outcomes]).toEqual([
      ['m {}'],
      1,
      ['w'],
      [OK],
    ]);
  });

  it('is limited per caller', () => {
    const keys = createExclusiveKeys(2);
    const first = keys.reserve('k', 'a', new HandExchange());
    keys.reserve('other', 'a', new HandExchange());
    const reserve = (caller: string): string => keys.reserve('k', caller, new HandExchange()).key;
    expect(() => reserve('a')).toThrow(expect.objectContaining({ code: 'SERVER_BUSY' }));
    expect(reserve('b')).toBe('k/1');
    first.exchange.settle(OK);
    first.exchange.settle(OK);
    expect(reserve('a')).toBe('k/0');
    expect(() => reserve('a')).toThrow(expect.objectContaining({ code: 'SERVER_BUSY' }));
  });

  it('is refused above the limit, unless makeRoom ends a call', () => {
    const keys = createExclusiveKeys(2);
    const first = keys.reserve('k', 'c', new HandExchange());
    keys.reserve('l', 'c', new HandExchange());
    expect(() => keys.reserve('k', 'c', new HandExchange())).toThrow(/already has 2 running calls/);
    expect(keys.reserve('k', 'd', new HandExchange()).key).toBe('k/1');
    let asked = 0;
    const giveUp = (): boolean => {
      if (asked++ === 1) first.exchange.settle(OK);
      return true;
    };
    expect(keys.reserve('k', 'c', new HandExchange(), giveUp).key).toBe('k/0');
    expect(asked).toBe(2);
  });
});
