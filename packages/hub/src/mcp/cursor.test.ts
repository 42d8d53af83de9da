import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../../../../test/kit/any-text.ts';
import { readCursor, writeCursor } from './lists.ts';

it('a cursor decodes to its key, only for its own list', () => {
  fc.assert(
    fc.property(anyText(20), (key) => {
      const cursor = writeCursor('tools/list', key);
      return readCursor('tools/list', cursor) === key && readCursor('prompts/list', cursor) === undefined;
    }),
  );
});

it('a cursor may encode half a surrogate pair', () => {
  expect(readCursor('a', writeCursor('a', '\ud800x'))).toBe('\ud800x');
});

it('other texts are not cursors', () => {
  fc.assert(fc.property(anyText(30), (text) => readCursor('tools/list', text) === undefined));
  const more = Buffer.from('{"method":"a","after":"b","x":1}').toString('base64url');
  expect(readCursor('a', more)).toBeUndefined();
});
