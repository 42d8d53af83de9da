import { expect, it } from 'vitest';
import { z } from 'zod';
import { placeArguments, placeOf, quality } from './show-commands.ts';

const place = (args: object) => placeOf(z.object(placeArguments).parse(args));

it.each([
  [{}, { width: 800, height: 600 }],
  [
    { width: 10, height: 99_999 },
    { width: 100, height: 7_680 },
  ],
  [
    { width: 'wide', x: 5, y: 6 },
    { width: 800, height: 600, position: { x: 5, y: 6 } },
  ],
  [
    { x: -20_000, y: 20_000 },
    { width: 800, height: 600, position: { x: -16_384, y: 16_384 } },
  ],
  [{ x: 5 }, { width: 800, height: 600 }],
  [
    { placement: { x: 1, y: 2, width: 300, height: 200 } },
    { width: 300, height: 200, position: { x: 1, y: 2 } },
  ],
  [{ placement: 'left' }, { width: 800, height: 600 }],
])('the arguments %j place the window at %j', (args, expected) => {
  expect(place(args)).toEqual(expected);
});

it.each([
  [undefined, 80],
  ['high', 80],
  [0, 1],
  [-3, 1],
  [0.5, 50],
  [1, 1],
  [55.4, 55],
  [1_000, 100],
])('the quality %j is %j', (given, expected) => {
  expect(quality.parse(given)).toBe(expected);
});
