import { describe, expect, it } from 'vitest';
import { isModest, MAX_DEPTH, MAX_VALUES } from './members.ts';

const BIG = 2 * 1024 * 1024;

describe('isModest', () => {
  it('accepts large text with any content in its strings', () => {
    expect(isModest(`{"data":"${'A'.repeat(BIG)}"}`)).toBe(true);
    expect(isModest(`{"data":"${'[{,\\"'.repeat(BIG / 4)}"}`)).toBe(true);
    expect(isModest(`["${'\\\\'.repeat(BIG)}"]`)).toBe(true);
  });

  it('refuses too many or too deeply nested values, only in large text', () => {
    expect(isModest(`[${'1,'.repeat(MAX_VALUES + 1)}1]`)).toBe(false);
    expect(isModest(`[${'{},'.repeat(MAX_VALUES)}{}]`)).toBe(false);
    expect(isModest('['.repeat(BIG))).toBe(false);
    const deep = '['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1);
    expect(isModest(`[${deep},"${'A'.repeat(BIG)}"]`)).toBe(false);
    expect(isModest(deep)).toBe(true);
  });

  it('terminates on text that is not JSON', () => {
    for (const text of ['"', '"\\"', '[["', '\\"']) expect(isModest(text + ' '.repeat(BIG))).toBe(true);
  });
});
