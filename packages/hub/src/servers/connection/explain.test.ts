import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HandExchange, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { admitTenant, explainOnPipe, NO_TENANTS, type Tenants } from './server-notices.ts';
import type { PendingCall } from './pending-calls.ts';

const callOf = (id: string, caller: string): PendingCall => ({
  id,
  request: toolRequest({ caller }),
  exchange: new HandExchange(),
  progressToken: undefined,
  deadline: 0,
  timeoutMs: 0,
  endsBy: Infinity,
  held: undefined,
  questions: 0,
});
const tenantsOf = (...callers: string[]): Tenants => callers.reduce(admitTenant, NO_TENANTS);
const ANY = (): boolean => true;
const NONE = (): boolean => false;

describe('the callers of a connection', () => {
  it('are one as long as only one calls', () => {
    expect(tenantsOf('a', 'a', 'a')).toEqual({ caller: 'a', areSeveral: false });
  });

  it('are several from the second on, for good', () => {
    expect(tenantsOf('a', 'b').areSeveral).toBe(true);
    expect(tenantsOf('a', 'b', 'b', 'b', 'a').areSeveral).toBe(true);
  });

  it('are counted in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }), (callers) => {
        expect(tenantsOf(...callers).areSeveral).toBe(new Set(callers).size > 1);
      }),
    );
  });
});

describe('a message on a pipe', () => {
  const mine = [callOf('1', 'a'), callOf('2', 'a')];
  const both = [callOf('1', 'a'), callOf('2', 'b')];

  it('belongs to the first call of a single caller', () => {
    expect(explainOnPipe(tenantsOf('a'), mine, ANY)).toBe(mine[0]);
  });

  it('belongs to the first call that fits', () => {
    expect(explainOnPipe(tenantsOf('a'), mine, ({ id }) => id === '2')).toBe(mine[1]);
  });

  it('belongs to no call after several callers used the connection, even if one fits', () => {
    expect(explainOnPipe(tenantsOf('a', 'b'), both, ANY)).toBeUndefined();
    expect(explainOnPipe(tenantsOf('a', 'b'), [both[0]!], ANY)).toBeUndefined();
    expect(explainOnPipe(tenantsOf('a', 'b'), both, ({ id }) => id === '2')).toBeUndefined();
  });

  it('belongs to no call if none fits or none is running', () => {
    for (const tenants of [NO_TENANTS, tenantsOf('a'), tenantsOf('a', 'b')]) {
      expect(explainOnPipe(tenants, both, NONE)).toBeUndefined();
      expect(explainOnPipe(tenants, [], ANY)).toBeUndefined();
    }
  });

  it('never reaches a caller if another’s call fits as well', () => {
    const callers = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(callers, fc.nat(63), (each, mask) => {
        const calls = each.map((caller, index) => callOf(String(index), caller));
        const canExplain = ({ id }: PendingCall): boolean => (mask & (1 << Number(id))) !== 0;
        const found = explainOnPipe(tenantsOf(...each), calls, canExplain);
        const able = new Set(calls.filter(canExplain).map(({ request }) => request.caller.id));
        if (found !== undefined) expect(able).toEqual(new Set([found.request.caller.id]));
      }),
    );
  });
});
