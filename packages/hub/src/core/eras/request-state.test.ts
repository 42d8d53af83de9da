import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../../../../test/kit/any-text.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createSealer } from '../../../../../test/kit/sealer.ts';
import { toByteText } from '../wire/byte-text.ts';
import { readMembers } from '../wire/members.ts';
import { createRequestStates, type RequestStates, type StateSubject } from './request-state.ts';

const TTL = 60_000;

function bench(): { states: RequestStates; time: { now: number } } {
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now, elapsed: () => time.now };
  return { time, states: createRequestStates({ sealer: createSealer(), digest: sha256, clock, ttlMs: TTL }) };
}

const subjectOf = (
  params = '{"name":"s__x","arguments":{"a":1,"b":[{"c":2,"d":3}]}}',
  over = {},
): StateSubject => ({
  principal: 'caller-1',
  server: 's',
  method: 'tools/call',
  name: 'x',
  params: readMembers(toByteText(params)),
  ...over,
});

describe('a state', () => {
  const STATES = [
    { upstream: '"s-1"' },
    { upstream: toByteText('"größe \\" 🦀"') },
    { upstream: '{"n":99999999999999999999}' },
    { parked: 'p-1' },
    { approval: 'a-1' },
    { isPlainRepeat: true },
  ] as const;

  it.each(STATES)('survives a round trip: %o', (state) => {
    const { states } = bench();
    expect(states.open(subjectOf(), states.seal(subjectOf(), state))).toEqual(state);
  });

  it('is unreadable for its bearer and differs each time', () => {
    const { states } = bench();
    const texts = [1, 2, 3].map(() => states.seal(subjectOf(), { upstream: '"secret-state"' }));
    expect(new Set(texts).size).toBe(3);
    for (const text of texts) {
      expect(text).toMatch(/^[\w-]+$/);
      expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('secret-state');
    }
  });

  it('is valid until it expires', () => {
    const { states, time } = bench();
    const text = states.seal(subjectOf(), { parked: 'p' });
    time.now += TTL - 1;
    expect(states.open(subjectOf(), text)).toBeDefined();
    time.now += 1;
    expect(states.open(subjectOf(), text)).toBeUndefined();
  });

  it.each<[string, Partial<StateSubject>]>([
    ['another caller', { principal: 'caller-2' }],
    ['another server', { server: 't' }],
    ['another method', { method: 'prompts/get' }],
    ['another tool', { name: 'y' }],
  ])('is invalid for %s', (_who, over) => {
    const { states } = bench();
    const text = states.seal(subjectOf(), { parked: 'p' });
    expect(states.open(subjectOf(undefined, over), text)).toBeUndefined();
  });

  it.each([
    '{"name":"s__x"}',
    '{"name":"s__x","arguments":{}}',
    '{"name":"s__x","arguments":{"a":2,"b":[{"c":2,"d":3}]}}',
    '{"name":"s__x","arguments":{"a":"1","b":[{"c":2,"d":3}]}}',
    '{"name":"s__x","arguments":{"a":1.0,"b":[{"c":2,"d":3}]}}',
    '{"name":"s__x","arguments":{"a":1,"b":[{"c":2},{"d":3}]}}',
    '{"name":"s__x","arguments":{"a":1,"b":[{"c":2,"d":3}],"e":null}}',
    '{"name":"s__x","arguments":{"a":1,"b":[{"c":2,"d":3}]},"other":1}',
    '{"name":"s__y","arguments":{"a":1,"b":[{"c":2,"d":3}]}}',
  ])('is invalid for other params: %s', (params) => {
    const { states } = bench();
    const text = states.seal(subjectOf(), { parked: 'p' });
    expect(states.open(subjectOf(params), text)).toBeUndefined();
  });

  it('distinguishes numbers that a parser rounds to the same value', () => {
    const { states } = bench();
    const text = states.seal(subjectOf('{"arguments":{"n":9007199254740993}}'), { parked: 'p' });
    expect(states.open(subjectOf('{"arguments":{"n":9007199254740992}}'), text)).toBeUndefined();
    expect(states.open(subjectOf('{"arguments":{"n":9007199254740993}}'), text)).toBeDefined();
  });

  it.each(['{"arguments":{"a":1,"a":2}}', `{"arguments":${'['.repeat(200)}${']'.repeat(200)}}`])(
    'works for unusual arguments: %s',
    (params) => {
      const { states } = bench();
      const text = states.seal(subjectOf(params), { parked: 'p' });
      expect(states.open(subjectOf(params), text)).toEqual({ parked: 'p' });
      expect(states.open(subjectOf('{"arguments":{"a":2}}'), text)).toBeUndefined();
    },
  );

  it('is invalid for another list order', () => {
    const { states } = bench();
    const text = states.seal(subjectOf('{"arguments":{"a":[1,2]}}'), { parked: 'p' });
    expect(states.open(subjectOf('{"arguments":{"a":[2,1]}}'), text)).toBeUndefined();
  });

  it.each([
    '{"arguments":{"a":1,"b":[{"c":2,"d":3}]},"name":"s__x"}',
    '{ "name" : "s__x" , "arguments" : {"a":1,"b":[{"c":2,"d":3}]} }',
    '{"name":"s__x","arguments":{"a":1,"b":[{"c":2,"d":3}]},"_meta":{"progressToken":7}}',
    '{"name":"s__x","requestState":"x","inputResponses":{"a":{}},"arguments":{"a":1,"b":[{"c":2,"d":3}]}}',
  ])('is valid for the same request in any round: %s', (params) => {
    const { states } = bench();
    const text = states.seal(subjectOf(), { parked: 'p' });
    expect(states.open(subjectOf(params), text)).toEqual({ parked: 'p' });
  });

  it.each([
    ['9007199254740993', '9007199254740992'],
    ['1e999', 'null'],
    ['{"a":1,"a":2}', '{"a":2}'],
  ])('distinguishes %s from %s, which a parser may treat as equal', (one, other) => {
    const { states } = bench();
    const text = states.seal(subjectOf(`{"arguments":{"v":${one}}}`), { parked: 'p' });
    expect(states.open(subjectOf(`{"arguments":{"v":${one}}}`), text)).toBeDefined();
    expect(states.open(subjectOf(`{"arguments":{"v":${other}}}`), text)).toBeUndefined();
  });

  it('works for deeply nested arguments', () => {
    const { states } = bench();
    const deep = subjectOf(`{"arguments":{"v":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`);
    expect(states.open(deep, states.seal(deep, { parked: 'p' }))).toEqual({ parked: 'p' });
  });

  it('is invalid if changed, cut or forged', () => {
    const { states } = bench();
    const text = states.seal(subjectOf(), { parked: 'p' });
    for (let at = 0; at < text.length; at += 7) {
      const other = text[at] === 'A' ? 'B' : 'A';
      expect(states.open(subjectOf(), `${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBeUndefined();
    }
    for (const made of ['', 'x', text.slice(1), text.slice(0, -1), `${text}A`, ` ${text}`, `${text}=`])
      expect(states.open(subjectOf(), made)).toBeUndefined();
  });

  it('is invalid in another process', () => {
    expect(
      bench().states.open(subjectOf(), bench().states.seal(subjectOf(), { parked: 'p' })),
    ).toBeUndefined();
  });

  it('is invalid with unknown content', () => {
    const clock = { now: () => 0, elapsed: () => 0 };
    const plain = { seal: (text: string) => text, open: (text: string) => text };
    const states = createRequestStates({ sealer: plain, digest: (text) => text, clock, ttlMs: TTL });
    const sealed = JSON.parse(states.seal(subjectOf(), { parked: 'p' })) as Record<string, unknown>;
    for (const other of [{ parked: 7 }, { upstream: 7 }, { isPlainRepeat: 'yes' }, {}]) {
      const { parked: _, ...rest } = sealed;
      expect(states.open(subjectOf(), JSON.stringify({ ...rest, ...other }))).toBeUndefined();
    }
    for (const text of ['null', '[]', '"x"', '7']) expect(states.open(subjectOf(), text)).toBeUndefined();
  });

  it('is valid for exactly the same arguments', () => {
    const { states } = bench();
    const params = (value: unknown): StateSubject => subjectOf(JSON.stringify({ arguments: { value } }));
    fc.assert(
      fc.property(anyJson(), anyJson(), (one, other) => {
        const text = states.seal(params(one), { parked: 'p' });
        expect(states.open(params(one), text)).toBeDefined();
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(states.open(params(other), text) !== undefined).toBe(isSame);
      }),
    );
  });
});

/** The value with its keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
