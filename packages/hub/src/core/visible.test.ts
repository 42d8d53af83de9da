import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyUnit } from '../../../../test/kit/any-json-text.ts';
import { spelledOut, visible, visibleBlock } from './visible.ts';
import { atDepth } from '../../../../test/kit/depth.ts';

describe('visible', () => {
  it('escapes what a terminal would obey', () => {
    expect(visible('a\u001b[2J\nb\u009b\u202e')).toBe(String.raw`a\u001b[2J\u000ab\u009b\u202e`);
    expect(visibleBlock('a\r\n\tb\u001b\u2066\r')).toBe('a\n\tb\\u001b\\u2066\\u000d');
    expect(visible('héllo – 世界 🦀')).toBe('héllo – 世界 🦀');
  });

  it('escapes invisible characters and keeps them where a script needs them', () => {
    expect(visible('pay\u200b\u{e0041}\u2028x\ufe0f')).toBe(String.raw`pay\u200b\u{e0041}\u2028x\ufe0f`);
    expect(visible('👨‍👩‍👧 می‌خواهم ❤️')).toBe('👨‍👩‍👧 می‌خواهم ❤️');
  });
});

describe('spelledOut', () => {
  it('also escapes joiners, look-alike spaces and trailing spaces', () => {
    expect(spelledOut('می\u200cخ\u00a0a\tb  \n c \\u200b')).toBe(
      'می\\u200cخ\\u00a0a\\u0009b\\u0020\\u0020\n c \\\\u200b',
    );
    expect(spelledOut(' '.repeat(500_000) + 'x')).toHaveLength(500_001);
  });

  it('never shows two texts alike', () => {
    const text = fc.string({
      unit: fc.oneof(anyUnit, fc.constantFrom('\\', 'u', '2', '0', 'b', ' ')),
      maxLength: 6,
    });
    const shown = new Map<string, string>();
    fc.assert(
      fc.property(text, (each) => {
        const out = spelledOut(each);
        expect(shown.get(out) ?? each).toBe(each);
        shown.set(out, each);
        expect(out).not.toMatch(/[^\P{Default_Ignorable_Code_Point}]|[^\P{Cc}\n]| $/mu);
      }),
      { numRuns: atDepth(200, 2_000) },
    );
  });
});
