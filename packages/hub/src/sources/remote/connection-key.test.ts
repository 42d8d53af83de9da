import { describe, expect, it } from 'vitest';
import { toolRequest } from '../../../../../test/kit/hand-wire.ts';
import type { Era } from '../../core/protocol.ts';
import type { ServerConfig } from '../../config/schema.ts';
import { connectionKey, sharedKey } from './connection-key.ts';

const key = (
  caller: string,
  session: string | undefined,
  isolation: ServerConfig['isolation'],
  era: Era = 'legacy',
): string =>
  connectionKey(toolRequest(session === undefined ? { caller } : { caller, session }), era, isolation);

describe('connectionKey', () => {
  it('shared: everybody has the same connection', () => {
    expect(key('a', 's1', 'shared')).toBe(key('b', undefined, 'shared'));
    expect(key('a', 's1', 'shared')).toBe(sharedKey('legacy'));
  });

  it('caller: the sessions of one caller share, callers do not', () => {
    expect(key('a', 's1', 'caller')).toBe(key('a', 's2', 'caller'));
    expect(key('a', 's1', 'caller')).not.toBe(key('b', 's1', 'caller'));
  });

  it('session: each has its own', () => {
    expect(key('a', 's1', 'session')).toBe(key('a', 's1', 'session'));
    expect(key('a', 's1', 'session')).not.toBe(key('a', 's2', 'session'));
    expect(key('a', 's1', 'session')).not.toBe(key('b', 's1', 'session'));
    expect(key('a', undefined, 'session')).not.toBe(key('b', undefined, 'session'));
  });

  it.each<ServerConfig['isolation']>(['shared', 'caller', 'session'])(
    '%s: an era has its own, and is named first',
    (isolation) => {
      expect(key('a', 's', isolation, 'legacy')).toMatch(/^legacy\//);
      expect(key('a', 's', isolation, 'modern')).toMatch(/^modern\//);
    },
  );

  it('no isolation is the key of another', () => {
    const keys = (['shared', 'caller', 'session'] as const).map((isolation) => key('a', 's', isolation));
    expect(new Set(keys).size).toBe(3);
  });
});
