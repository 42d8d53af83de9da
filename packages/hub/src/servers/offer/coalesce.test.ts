import { describe, expect, it } from 'vitest';
import { coalesce } from './offer-keeper.ts';

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

describe('coalesce', () => {
  it('runs one at a time, and once more for all requests made meanwhile', async () => {
    const started: string[] = [];
    const releases: (() => void)[] = [];
    const ask = coalesce((subject: string) => {
      started.push(subject);
      return new Promise<void>((resolve) => releases.push(resolve));
    }, 1);
    const first = ask('a');
    const joined = ask('b');
    const last = ask('c');
    expect(last).toBe(joined);
    await settled();
    expect(started).toEqual(['a']);
    releases.shift()!();
    await settled();
    expect(started).toEqual(['a', 'c']);
    await first;
    releases.shift()!();
    await joined;
    await settled();
    void ask('d');
    await settled();
    expect(started).toEqual(['a', 'c', 'd']);
    releases.shift()!();
  });
});
