import { describe, expect, it } from 'vitest';
import * as errors from './errors.ts';

const { ERROR_CODES, PincerError } = errors;

/** A second copy of the module, as a plugin with its own copy of Pincer would load it. */
const loadCopy = async (): Promise<typeof errors> => {
  const copy = './errors.ts?copy';
  return (await import(/* @vite-ignore */ copy)) as typeof errors;
};

describe('PincerError', () => {
  it('has a code and a message, and optionally a hint, data and a cause', () => {
    const cause = new Error('because');
    const error = new PincerError('PORT_BUSY', 'Taken.', { hint: 'Choose.', data: { port: 1 }, cause });
    expect(error).toMatchObject({
      name: 'PincerError',
      code: 'PORT_BUSY',
      message: 'Taken.',
      hint: 'Choose.',
      data: { port: 1 },
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect('cause' in new PincerError('INTERNAL', 'x')).toBe(false);
  });

  it('is recognized by its brand across two copies of the module', async () => {
    const copy = await loadCopy();
    expect(copy.PincerError).not.toBe(PincerError);
    const foreign = new copy.PincerError('CALL_TIMEOUT', 'Late.');
    expect(foreign).not.toBeInstanceOf(PincerError);
    expect(PincerError.is(foreign)).toBe(true);
    expect(PincerError.from(foreign)).toBe(foreign);
    expect(copy.PincerError.is(new PincerError('USAGE', 'x'))).toBe(true);
  });

  it.each([
    undefined,
    null,
    'PincerError',
    7,
    new Error('x'),
    { code: 'USAGE', message: 'x', name: 'PincerError' },
    Object.assign(new Error('x'), { name: 'PincerError', code: 'USAGE' }),
  ])('does not accept %o', (value) => {
    expect(PincerError.is(value)).toBe(false);
  });

  it('neither spread nor JSON copies the brand', () => {
    const error = new PincerError('USAGE', 'x', { hint: 'y' });
    expect(PincerError.is(Object.assign({}, error))).toBe(false);
    expect(Object.keys(error).toSorted()).toEqual(['code', 'data', 'hint', 'name']);
    expect(PincerError.is(JSON.parse(JSON.stringify(error)))).toBe(false);
  });

  it.each([
    [new TypeError('wrong'), 'wrong'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [Symbol('odd'), 'Symbol(odd)'],
  ])('wraps any thrown value: %o', (thrown, message) => {
    const error = PincerError.from(thrown);
    expect(error).toMatchObject({ code: 'INTERNAL', message });
    expect(PincerError.is(error)).toBe(true);
  });
});

describe('ERROR_CODES', () => {
  it('explains each code in one sentence', () => {
    for (const [code, meaning] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
      expect(meaning, code).toMatch(/^[A-Z].*[^.]\.$/);
    }
  });
});
