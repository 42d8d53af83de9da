import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson, anyText } from '../../../../../test/kit/any-text.ts';
import {
  asBytes,
  fromByteText,
  isValidUtf8,
  jsonBytes,
  parseBytes,
  quoted,
  toByteText,
} from './byte-text.ts';

/** Any well-formed text: every code point that UTF-8 can encode. */
const text = anyText(40);
/** Any sequence of UTF-16 units, lone surrogates included. */
const units = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes));

describe('toByteText and fromByteText', () => {
  it('round-trip, and the char codes in between are the UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, (value) => {
        const bytes = toByteText(value);
        return (
          fromByteText(bytes) === value &&
          Buffer.from(bytes, 'latin1').equals(Buffer.from(value, 'utf8')) &&
          isValidUtf8(bytes)
        );
      }),
    );
  });

  it('keep a byte order mark like any other character', () => {
    expect(fromByteText('\u00ef\u00bb\u00bfx')).toBe('\ufeffx');
  });

  it.each([
    ['a stray continuation byte', '"\u0080"'],
    ['a truncated sequence', '"\u00e2\u0082"'],
    ['an overlong slash', '"\u00c0\u00af"'],
    ['a surrogate', '"\u00ed\u00a0\u0080"'],
    ['more than U+10FFFF', '"\u00f4\u0090\u0080\u0080"'],
    ['a byte that is never used', '"\u00ff"'],
  ])('throws for %s, which is not UTF-8', (_what, bytes) => {
    expect(isValidUtf8(bytes)).toBe(false);
    expect(() => fromByteText(bytes)).toThrow(TypeError);
  });
});

describe('quoted', () => {
  it('is a JSON string with that value, for any text', () => {
    fc.assert(fc.property(units, (value) => parseBytes(quoted(value)) === value));
  });

  it.each(['', 'plain text', 'q"q', 'back\\slash', 'line\nbreak', '\u0000', '\u007f', 'größe', '\ud800'])(
    'writes %j like JSON.stringify',
    (value) => {
      expect(quoted(value)).toBe(toByteText(JSON.stringify(value)));
    },
  );
});

describe('asBytes', () => {
  it('returns bytes unchanged', () => {
    fc.assert(fc.property(text, (value) => asBytes(toByteText(value)) === toByteText(value)));
    expect(asBytes('\u0000\u00ff')).toBe('\u0000\u00ff');
  });

  // Truncated to one byte, these would be a quote, a line break and a backslash.
  it.each(['\u2222', '\u220a', '\u225c', '\u0100', '🦀', '\ud800'])(
    'throws for a character beyond 0xff: %j',
    (char) => {
      expect(() => asBytes(`{"a":"${char}"}`)).toThrow(TypeError);
    },
  );
});

describe('jsonBytes', () => {
  it('round-trips JSON values with parseBytes', () => {
    fc.assert(
      fc.property(anyJson(), (value) => {
        return JSON.stringify(parseBytes(jsonBytes(value))) === JSON.stringify(value);
      }),
    );
  });

  it('has one char code per byte', () => {
    expect(jsonBytes({ größe: '€' })).toBe(Buffer.from('{"größe":"€"}').toString('latin1'));
  });
});
