import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyUnit } from '../../../../../test/kit/any-json-text.ts';
import { CUT_MARK, cleanText, seenOf } from './clean-definition.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const clean = (text: string): string => cleanText(text, 1_000);
const anyHiddenText = fc.string({ unit: anyUnit, maxLength: 24 });

describe('cleanText', () => {
  it.each([
    ['tag characters that only a model reads', 'Adds.\u{e0001}\u{e0049}\u{e0067}\u{e006e}\u{e007f}', 'Adds.'],
    ['zero-width characters', 'pa\u200by\u200c\u200d\u2060\u2063\ufeffment', 'payment'],
    ['soft hyphens and fillers', 'a\u00adb\u3164c\u115f\u034fd', 'abcd'],
    ['bidirectional controls', '\u202eexe.fdp\u202c \u2066a\u2069\u061c\u200e\u200f', 'exe.fdp a'],
    ['bytes hidden in variation selectors', '😀\u{e0100}\u{e01ef}\ufe00\ufe0d', '😀'],
    ['colours', '\u001b[8;38;2;0;0;0mhidden\u001b[0m and \u009b31mred', 'hidden and red'],
    [
      'links, and titles of windows',
      '\u001b]8;;http://x\u001b\\here\u001b]8;;\u0007 \u009d0;t\u009cthere',
      'here there',
    ],
    ['an unterminated string', 'a\u001b]0;b', 'a0;b'],
    ['short escapes', 'a\u001bc\u001b(Bb\u001b', 'ab'],
    ['controls', 'a\u0000b\u0008c\u007fd\u0085e', 'abcd\ne'],
    ['halves of pairs', 'a\ud800b\udc00c', 'abc'],
    ['noncharacters', 'a\ufffe\u{1ffff}\ufdd0b', 'ab'],
  ])('removes %s', (_what, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it('normalizes line breaks and keeps tabs', () => {
    expect(clean('a\r\nb\rc\u2028d\u2029e\vf\fg\th\n\ni')).toBe('a\nb\nc\nd\ne\nf\ng\th\n\ni');
  });

  it.each([
    ['Persian', 'می‌خواهم، کتاب‌ها، PDF‌ها، ۱۴۰۲ ه‍.ش'],
    ['Hindi, Marathi and Nepali', 'क्‍ष, सूर्‍य, श्रीमान्‌को'],
    ['Bengali', 'র‍্যাব'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['Malayalam', 'അവന്‍'],
    ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ ᠠᠯ᠎ᠠ ᠭ᠋'],
    ['families and professions', '👨‍👩‍👧‍👦 👩🏽‍💻 🧑‍⚕️ 👨🏻‍🦰'],
    ['hearts, flags and keycaps', '❤️‍🔥 🏳️‍🌈 🏴‍☠️ 🇩🇪 1️⃣ #️⃣ ☎︎ ©️'],
    ['Arabic, Hebrew and Chinese', 'مرحبا بالعالم שלום 世界 ۝ ؀'],
  ])('keeps %s', (_what, text) => {
    expect(clean(text)).toBe(text);
  });

  it.each([
    ['joiners in a row', 'ه\u200c\u200c\u200d\u200cا', 'ه\u200cا'],
    ['a joiner between letters that need none', 'pay\u200dment', 'payment'],
    ['a style selector that is not allowed there', 'x\ufe0f 5\ufe0f ❤\ufe0f\ufe0f\ufe0e', 'x 5 ❤\ufe0f'],
    ['a joiner after a removed style selector', 'x\ufe0f\u200d🔥', 'x🔥'],
    ['a joiner before a removed character', 'x\u200c\u061cy', 'xy'],
    ['a joiner before an invisible vowel', 'x\u200c\u17b4y', 'xy'],
    ['selectors in a row', 'ᠭ\u180b\u180c\u180b', 'ᠭ\u180b'],
  ])('removes %s', (_what, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it('cuts a long text and marks the cut', () => {
    const cut = cleanText('d'.repeat(101), 100);
    expect(cut).toHaveLength(100);
    expect(cut.endsWith(CUT_MARK)).toBe(true);
    expect(cleanText('d'.repeat(100), 100)).toBe('d'.repeat(100));
    expect(cleanText('\u200b'.repeat(200) + 'd'.repeat(100), 100)).toBe('d'.repeat(100));
    expect(cleanText('d'.repeat(100), 3)).toBe(CUT_MARK.slice(0, 3));
  });

  it('never cuts a character in two', () => {
    const text = '👨‍👩‍👧'.repeat(100);
    for (let max = 20; max < 40; max++) {
      const cut = cleanText(text, max);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(max);
      expect(cleanText(cut, max)).toBe(cut);
    }
  });

  it('is idempotent for any text and limit', () => {
    fc.assert(
      fc.property(anyHiddenText, fc.integer({ min: 1, max: 30 }), (text, max) => {
        const once = cleanText(text, max);
        expect(cleanText(once, max)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(max);
        expect(once.isWellFormed()).toBe(true);
        expect(once).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]|[^\P{Cc}\n\t]/u);
      }),
      { numRuns: atDepth(200, 2_000) },
    );
  });

  it('keeps every visible character in its place', () => {
    const seen =
      /[^\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
    const plainText = anyHiddenText.filter(
      (text) => !text.includes('\u001b') && !/[\u0080-\u009f]/.test(text),
    );
    fc.assert(
      fc.property(plainText, (text) => {
        expect(clean(text).match(seen)?.join('')).toBe(text.match(seen)?.join(''));
      }),
      { numRuns: atDepth(200, 1_000) },
    );
  });

  it('stays fast for hostile texts', () => {
    const parts = ['\u009d', '\u001b]', '\u001b[0', '\u001b ', '\u200d', 'ه\u200c', '\u0090x', '\u001bP;'];
    for (const part of parts) expect(clean(part.repeat(200_000)).length).toBeLessThanOrEqual(1_000);
  });
});

describe('seenOf', () => {
  it('returns the visible part of a name', () => {
    expect(seenOf('p\u200bay\n\u{e0041}')).toBe('pay');
    expect(seenOf('نمی‌دانم')).toBe('نمی‌دانم');
  });
});
