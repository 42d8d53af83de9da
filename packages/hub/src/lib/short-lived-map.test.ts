import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ShortLivedMap } from './short-lived-map.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const IN_FLIGHT = 32;
const CALLS = 100_000;

/** How much of `CALLS` short-lived entries of about 1 KB survives collections of the young generation. */
function survivingMegabytes(map: Pick<ShortLivedMap<string, unknown>, 'set' | 'delete'>): number {
  const keys: string[] = [];
  const call = (number: number): void => {
    const key = `id-${number}`;
    map.set(key, { bytes: Array.from({ length: 128 }, () => number) });
    const at = number % IN_FLIGHT;
    if (keys[at] !== undefined) map.delete(keys[at]);
    keys[at] = key;
  };
  for (let number = 0; number < 1_000; number++) call(number);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let number = 1_000; number < CALLS; number++) call(number);
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before) / 1e6;
}

describe('a map of short-lived entries', () => {
  it('lets ended entries go without a full collection', () => {
    expect(survivingMegabytes(new ShortLivedMap<string, unknown>())).toBeLessThan(5);
  });

  it('is needed: a plain Map keeps them', () => {
    expect(survivingMegabytes(new Map())).toBeGreaterThan(20);
  });

  it('keeps all entries, in order, over many replacements of its table', () => {
    const map = new ShortLivedMap<number, string>();
    const model = new Map<number, string>();
    for (let number = 0; number < 5_000; number++) {
      map.set(number, String(number));
      model.set(number, String(number));
      if (number % 3 > 0) {
        expect(map.delete(number - (number % 7))).toBe(model.delete(number - (number % 7)));
      }
    }
    expect(map.size).toBe(model.size);
    expect(map.entries()).toEqual([...model]);
    expect(map.values()).toEqual([...model.values()]);
  });

  it('can be changed while its values are read', () => {
    const map = new ShortLivedMap<number, number>();
    for (let number = 0; number < 10; number++) map.set(number, number);
    for (const value of map.values()) {
      map.delete(value);
      map.set(value + 100, value);
    }
    expect(map.size).toBe(10);
    expect(map.has(3)).toBe(false);
    expect(map.get(103)).toBe(3);
    map.clear();
    expect(map.size).toBe(0);
  });
});
