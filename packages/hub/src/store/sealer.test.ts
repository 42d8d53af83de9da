import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/kit/any-text.ts';
import { createSealer } from './sealer.ts';

describe('a sealed text', () => {
  it('survives a round trip for any text', () => {
    const sealer = createSealer();
    fc.assert(fc.property(anyText(200), (text) => sealer.open(sealer.seal(text)) === text));
    expect(sealer.open(sealer.seal(''))).toBe('');
  });

  it('is unreadable and differs each time', () => {
    const { seal } = createSealer();
    const sealed = Array.from({ length: 10 }, () => seal('a secret'));
    expect(new Set(sealed).size).toBe(10);
    for (const each of sealed) {
      expect(each).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(Buffer.from(each, 'base64url').toString('latin1')).not.toContain('secret');
    }
  });

  it('is invalid after any change', () => {
    const { seal, open } = createSealer();
    const sealed = seal('{"to":"caller-1"}');
    const bytes = Buffer.from(sealed, 'base64url');
    for (let at = 0; at < bytes.length; at++)
      for (const bit of [0x01, 0x80]) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= bit;
        expect(open(changed.toString('base64url'))).toBeUndefined();
      }
  });

  it('is invalid if truncated, extended or combined from two', () => {
    const { seal, open } = createSealer();
    const [one, other] = [seal('one'), seal('other')];
    for (let length = 0; length < one.length; length++) expect(open(one.slice(0, length))).toBeUndefined();
    for (const text of [`${one}A`, `${one}AAAA`, one + other, other.slice(0, 16) + one.slice(16)])
      expect(open(text)).toBeUndefined();
  });

  it('is invalid in another encoding of the same bytes', () => {
    const { seal, open } = createSealer();
    const sealed = seal('some text');
    const standard = Buffer.from(sealed, 'base64url').toString('base64');
    for (const text of [
      `${sealed}=`,
      `${sealed}\n`,
      ` ${sealed}`,
      `${sealed.slice(0, 4)} ${sealed.slice(4)}`,
    ])
      expect(open(text)).toBeUndefined();
    if (standard !== sealed) expect(open(standard)).toBeUndefined();
  });

  it.each(['', 'x', 'größe', '{}', 'A'.repeat(38), 'A'.repeat(1_000), '\0'])(
    'rejects a forged text: %j',
    (text) => {
      expect(createSealer().open(text)).toBeUndefined();
    },
  );

  it('opens only with its own key', () => {
    const key = randomBytes(32);
    const sealed = createSealer(key).seal('text');
    expect(createSealer(key).open(sealed)).toBe('text');
    expect(createSealer().open(sealed)).toBeUndefined();
    expect(createSealer(randomBytes(32)).open(sealed)).toBeUndefined();
  });
});
