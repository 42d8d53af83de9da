import { describe, expect, it } from 'vitest';
import { HandExchange } from '../../../../test/kit/fake-wire.ts';
import type { Outcome } from '../core/outcome.ts';
import { createExclusiveKeys } from './pool.ts';

const OK: Outcome = { kind: 'ok', result: '{}', era: 'legacy', extra: '' };

describe('a connection for one call', () => {
  it('is no other call’s until that one has ended, and then the next one’s', () => {
    const keys = createExclusiveKeys(8);
    const first = keys.reserve('k', 'c', new HandExchange());
    const second = keys.reserve('k', 'c', new HandExchange());
    expect([first.key, second.key]).toEqual(['k/0', 'k/1']);
    first.exchange.settle(OK);
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/0');
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/2');
  });

  it('has nothing to do with those under another key', () => {
    const keys = createExclusiveKeys(8);
    expect(keys.reserve('a', 'c', new HandExchange()).key).toBe('a/0');
    expect(keys.reserve('b', 'c', new HandExchange()).key).toBe('b/0');
  });

  it('is free again by the time the caller has its answer', () => {
    const keys = createExclusiveKeys(8);
    const exchange = new HandExchange();
    let next: string | undefined;
    exchange.settle = () => void (next = keys.reserve('k', 'c', new HandExchange()).key);
    keys.reserve('k', 'c', exchange).exchange.settle(OK);
    expect(next).toBe('k/0');
  });

  it('is freed once, though its call should end twice', () => {
    const keys = createExclusiveKeys(8);
    const first = keys.reserve('k', 'c', new HandExchange());
    first.exchange.settle(OK);
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/0');
    first.exchange.settle(OK);
    expect(keys.reserve('k', 'c', new HandExchange()).key).toBe('k/1');
  });

  it('lets everything through to the caller', () => {
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

  it('is one of a share: a caller that has it all is refused, and no other is', () => {
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

  it('is refused to a caller who has its share, unless one of its calls is given up', () => {
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
