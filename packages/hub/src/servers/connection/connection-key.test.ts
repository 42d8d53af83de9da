import { describe, expect, it } from 'vitest';
import { toolRequest, type RequestParts } from '../../../../../test/kit/fake-wire.ts';
import type { Era } from '../../core/protocol.ts';
import type { ServerConfig } from '../../config/schema.ts';
import { NO_ABILITIES, readAbilities } from '../../core/client.ts';
import {
  connectionKey,
  declaredAbilities,
  eraOfKey,
  isForOneCall,
  isOwnKey,
  isSharedKey,
  sharedKey,
} from './connection-key.ts';

const key = (
  caller: string,
  session: string | undefined,
  isolation: ServerConfig['isolation'],
  era: Era = 'legacy',
): string =>
  connectionKey(toolRequest(session === undefined ? { caller } : { caller, session }), era, {
    isolation,
    roots: 'auto',
  });

describe('connectionKey', () => {
  it('shared: all callers have the same connection', () => {
    expect(key('a', 's1', 'shared')).toBe(key('b', undefined, 'shared'));
    expect(key('a', 's1', 'shared')).toBe(sharedKey('legacy'));
  });

  it('caller: the sessions of one caller share a connection, callers do not', () => {
    expect(key('a', 's1', 'caller')).toBe(key('a', 's2', 'caller'));
    expect(key('a', 's1', 'caller')).not.toBe(key('b', 's1', 'caller'));
  });

  it('session: each session has its own', () => {
    expect(key('a', 's1', 'session')).toBe(key('a', 's1', 'session'));
    expect(key('a', 's1', 'session')).not.toBe(key('a', 's2', 'session'));
    expect(key('a', 's1', 'session')).not.toBe(key('b', 's1', 'session'));
    expect(key('a', undefined, 'session')).not.toBe(key('b', undefined, 'session'));
  });

  it.each<ServerConfig['isolation']>(['shared', 'caller', 'session'])(
    '%s: each era has its own key, with the era first',
    (isolation) => {
      expect(key('a', 's', isolation, 'legacy')).toMatch(/^legacy\//);
      expect(key('a', 's', isolation, 'modern')).toMatch(/^modern\//);
    },
  );

  it('differs for each isolation', () => {
    const keys = (['shared', 'caller', 'session'] as const).map((isolation) => key('a', 's', isolation));
    expect(new Set(keys).size).toBe(3);
  });
});

describe('connectionKey of a client that can be asked', () => {
  const SAMPLING = '{"sampling":{}}';
  const keyOf = (
    parts: RequestParts,
    era: Era = 'legacy',
    sharing: Parameters<typeof connectionKey>[2] = { isolation: 'shared', roots: 'auto' },
  ): string => connectionKey(toolRequest(parts), era, sharing);

  it('belongs to its session at a legacy server, with any isolation', () => {
    for (const isolation of ['shared', 'caller', 'session'] as const) {
      const sharing = { isolation, roots: 'auto' as const };
      const one = keyOf({ capabilities: SAMPLING, session: '1' }, 'legacy', sharing);
      expect(one).toBe('legacy/own/c/1');
      expect(isForOneCall(one)).toBe(false);
      expect(isSharedKey(one)).toBe(false);
      expect(keyOf({ capabilities: SAMPLING, session: '2' }, 'legacy', sharing)).not.toBe(one);
    }
  });

  it('without a session is shared by the same caller’s clients with the same abilities only', () => {
    const one = keyOf({ capabilities: SAMPLING });
    expect(isForOneCall(one)).toBe(true);
    expect(isSharedKey(one)).toBe(false);
    expect(keyOf({ capabilities: SAMPLING })).toBe(one);
    expect(keyOf({ capabilities: SAMPLING, caller: 'd' })).not.toBe(one);
    expect(keyOf({ capabilities: '{"sampling":{"tools":{}}}' })).not.toBe(one);
    expect(keyOf({ capabilities: '{"elicitation":{}}' })).not.toBe(one);
  });

  it('of a modern client depends on its abilities, even on a pipe', () => {
    expect(keyOf({ capabilities: SAMPLING, era: 'modern', session: 'pipe' })).toBe(
      keyOf({ capabilities: SAMPLING, era: 'modern' }),
    );
  });

  it('is the usual one at a modern server, which asks in results', () => {
    expect(keyOf({ capabilities: SAMPLING, session: '1' }, 'modern')).toBe(sharedKey('modern'));
  });

  it.each(['{}', '{ }', '{"experimental":{}}', '{"sampling":true}', '{"roots":{}}'])(
    'is the shared one without abilities: %s',
    (capabilities) => {
      expect(keyOf({ capabilities, session: '1' })).toBe(sharedKey('legacy'));
    },
  );

  it('is its own for roots alone, only if roots are passed on', () => {
    const capabilities = '{"roots":{"listChanged":true}}';
    const pass = { isolation: 'shared', roots: 'pass' } as const;
    expect(keyOf({ capabilities, session: '1' }, 'legacy', pass)).toBe('legacy/own/c/1');
  });

  it('is an own key only for a session’s own connection', () => {
    expect(isOwnKey(keyOf({ capabilities: SAMPLING, session: '1' }))).toBe(true);
    expect(isOwnKey(keyOf({ session: '1' }, 'legacy', { isolation: 'session', roots: 'auto' }))).toBe(true);
    for (const key of [
      keyOf({ capabilities: SAMPLING }),
      keyOf({}, 'legacy', { isolation: 'session', roots: 'auto' }),
      keyOf({ session: '1' }),
      keyOf({ session: '1' }, 'legacy', { isolation: 'caller', roots: 'auto' }),
      keyOf({ session: '1' }, 'modern', { isolation: 'session', roots: 'auto' }),
    ])
      expect(isOwnKey(key)).toBe(false);
  });

  it('starts with its era', () => {
    expect(eraOfKey(keyOf({ capabilities: SAMPLING }))).toBe('legacy');
    expect(eraOfKey(sharedKey('modern'))).toBe('modern');
  });
});

describe('declaredAbilities', () => {
  const declared = (raw: string, roots: ServerConfig['roots'] = 'auto'): string =>
    declaredAbilities(readAbilities(raw), roots).raw;
  const ALL =
    '{"sampling":{"n":1.0},"roots":{"listChanged":true},"elicitation":{"url":{}},"experimental":{}}';

  it('contain only what a server can ask for, in known words', () => {
    expect(declared(ALL)).toBe('{"sampling":{},"elicitation":{"url":{}},"roots":{"listChanged":true}}');
  });

  it.each<[string, ServerConfig['roots'], string]>([
    ['{"roots":{}}', 'auto', '{}'],
    ['{"roots":{}}', 'pass', '{"roots":{}}'],
    ['{"roots":{}}', 'never', '{}'],
    ['{"sampling":{},"roots":{}}', 'auto', '{"sampling":{},"roots":{}}'],
    ['{"sampling":{},"roots":{}}', 'never', '{"sampling":{}}'],
    ['{"elicitation":{},"roots":{}}', 'never', '{"elicitation":{}}'],
    ['{"sampling":{}}', 'pass', '{"sampling":{}}'],
  ])('%s with roots "%s" are %s', (raw, roots, expected) => {
    expect(declared(raw, roots)).toBe(expected);
  });

  it('are NO_ABILITIES if there are none', () => {
    expect(declaredAbilities(readAbilities('{"roots":{}}'), 'auto')).toBe(NO_ABILITIES);
    expect(declaredAbilities(readAbilities('{"x":1}'), 'pass')).toBe(NO_ABILITIES);
  });

  it('are normalized', () => {
    expect(declared('{"sampling":{"a":1},"roots":{},"sampling":{"a":2}}')).toBe('{"sampling":{},"roots":{}}');
  });

  it('of different clients have few distinct values', () => {
    const long = JSON.stringify({ sampling: { x: 'y'.repeat(5_000) }, elicitation: {}, roots: {} });
    expect(declared(long)).toBe('{"sampling":{},"elicitation":{},"roots":{}}');
    expect(declared(long, 'never')).toBe('{"sampling":{},"elicitation":{}}');
    const other = JSON.stringify({ sampling: { a: 1 }, experimental: { x: 'y'.repeat(5_000) } });
    expect(declared(other)).toBe('{"sampling":{}}');
  });
});
