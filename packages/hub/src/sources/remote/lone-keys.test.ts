import { describe, expect, it } from 'vitest';
import { HandExchange } from '../../../../../test/kit/hand-wire.ts';
import type { Outcome } from '../../core/outcome.ts';
import { createLoneKeys } from './lone-keys.ts';

const OK: Outcome = { kind: 'ok', result: '{}', era: 'legacy', extra: '' };

describe('a connection for one call', () => {
  it('is no other call’s until that one has ended, and then the next one’s', () => {
    const lone = createLoneKeys();
    const first = lone.reserve('k', new HandExchange());
    const second = lone.reserve('k', new HandExchange());
    expect([first.key, second.key]).toEqual(['k/0', 'k/1']);
    first.exchange.settle(OK);
    expect(lone.reserve('k', new HandExchange()).key).toBe('k/0');
    expect(lone.reserve('k', new HandExchange()).key).toBe('k/2');
  });

  it('has nothing to do with those under another key', () => {
    const lone = createLoneKeys();
    expect(lone.reserve('a', new HandExchange()).key).toBe('a/0');
    expect(lone.reserve('b', new HandExchange()).key).toBe('b/0');
  });

  it('is free again by the time the caller has its answer', () => {
    const lone = createLoneKeys();
    const exchange = new HandExchange();
    let next: string | undefined;
    exchange.settle = () => void (next = lone.reserve('k', new HandExchange()).key);
    lone.reserve('k', exchange).exchange.settle(OK);
    expect(next).toBe('k/0');
  });

  it('is freed once, though its call should end twice', () => {
    const lone = createLoneKeys();
    const first = lone.reserve('k', new HandExchange());
    first.exchange.settle(OK);
    expect(lone.reserve('k', new HandExchange()).key).toBe('k/0');
    first.exchange.settle(OK);
    expect(lone.reserve('k', new HandExchange()).key).toBe('k/1');
  });

  it('lets everything through to the caller', () => {
    const caller = new HandExchange();
    const { exchange } = createLoneKeys().reserve('k', caller);
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
});
