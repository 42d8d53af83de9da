import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstStep, nextStep, type Source } from './scale-image.ts';

const MiB = 1024 * 1024;
const photo = {
  format: 'jpeg',
  width: 4032,
  height: 3024,
  hasAlpha: false,
  frames: 1,
  size: 10 * MiB,
} as const;

describe('first step', () => {
  it('scales by the ratio of limit and size', () => {
    const { format, width, height } = firstStep(photo, 6 * MiB);
    expect(format).toBe('jpeg');
    expect(width / height).toBeCloseTo(4 / 3, 2);
    expect((width * height) / (photo.width * photo.height)).toBeCloseTo(0.9 * 0.6, 2);
  });

  it('keeps the size of an animation that is only slightly too large', () => {
    expect(firstStep({ ...photo, format: 'gif', frames: 20 }, 6 * MiB)).toEqual({
      format: 'png',
      factor: 1,
      width: 4032,
      height: 3024,
    });
  });

  it('keeps edges above zero and within the limit of the format', () => {
    expect(firstStep({ ...photo, width: 60_000, height: 2 }, 1_000)).toMatchObject({ height: 1 });
    const strip: Source = { ...photo, format: 'webp', width: 100, height: 50_000, frames: 9 };
    expect(firstStep(strip, 6 * MiB)).toMatchObject({ format: 'webp', width: 32, height: 16_383 });
  });
});

describe('next step', () => {
  it('scales by the size of the last result', () => {
    const first = firstStep(photo, 6 * MiB);
    const { width } = nextStep(photo, first, 8 * MiB, 6 * MiB);
    expect(width / first.width).toBeCloseTo(Math.sqrt((0.9 * 6) / 8), 2);
  });

  it.each([
    ['png', false, 'jpeg'],
    ['png', true, 'webp'],
    ['jpeg', false, 'jpeg'],
    ['webp', true, 'webp'],
  ] as const)('turns a %s (transparent: %s) into a %s', (format, hasAlpha, next) => {
    const source = { ...photo, format, hasAlpha };
    expect(nextStep(source, firstStep(source, MiB), 2 * MiB, MiB).format).toBe(next);
  });

  it('is never larger than the one before', () => {
    const edge = fc.integer({ min: 1, max: 60_000 });
    const bytes = fc.integer({ min: 1, max: 20 * MiB });
    const format = fc.constantFrom('jpeg', 'png', 'webp', 'gif');
    const image = fc.record({ width: edge, height: edge, format });
    fc.assert(
      fc.property(image, bytes, bytes, bytes, (given, maxBytes, over, again) => {
        const source: Source = { ...photo, ...given, size: maxBytes + over };
        const first = firstStep(source, maxBytes);
        const next = nextStep(source, first, maxBytes + again, maxBytes);
        expect(next.width).toBeLessThanOrEqual(first.width);
        expect(next.height).toBeLessThanOrEqual(first.height);
        expect(Math.min(next.width, next.height)).toBeGreaterThan(0);
      }),
    );
  });
});
