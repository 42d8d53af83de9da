import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../../test/kit/offer.ts';
import { distinctTools } from './trust.ts';

const distinct = (...names: string[]): string[] =>
  distinctTools(names.map((name) => defineTool({ name }))).map(({ name }) => name);

describe('distinctTools', () => {
  it('keeps the first of a name', () => {
    const tools = [defineTool({ name: 'a', title: '1' }), defineTool({ name: 'a', title: '2' })];
    expect(distinctTools(tools)).toEqual([tools[0]]);
  });

  it('skips a name that looks like another', () => {
    expect(distinct('pay', 'pay\u200b', '\u202epay', 'pa\u00ady', 'p\u{e0041}ay', 'pay\n')).toEqual(['pay']);
    expect(distinct('pay\u200b', 'pay', 'pay\u200c')).toEqual(['pay']);
    expect(distinct('pay\u200b', 'pay\u200c')).toEqual(['pay\u200b']);
  });

  it('keeps names that look different', () => {
    const names = ['pay', 'Pay', 'pay ', 'zahlen\u200b', '支付', 'a.b', 'a_b'];
    expect(distinct(...names)).toEqual(names);
  });

  it('skips half a surrogate pair', () => {
    expect(distinct('a\ud800', 'b')).toEqual(['b']);
  });
});
