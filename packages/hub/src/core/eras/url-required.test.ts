import { describe, expect, it } from 'vitest';
import { jsonBytes, parseBytes } from '../wire/byte-text.ts';
import { readUrlRequired } from './in-era.ts';

const PAGE = { mode: 'url', elicitationId: 'e-1', url: 'https://example.com/größe', message: 'Sign in.' };
const errorOf = (data: unknown, code = -32042): string => jsonBytes({ code, message: 'x', data });

describe('a URL_REQUIRED error', () => {
  it('becomes one question per page, without legacy ids', () => {
    const requests = readUrlRequired(errorOf({ elicitations: [PAGE, { ...PAGE, url: 'https://b' }] }))!;
    expect(requests.map(({ key, method }) => [key, method])).toEqual([
      ['elicitation_url_1', 'elicitation/create'],
      ['elicitation_url_2', 'elicitation/create'],
    ]);
    const { elicitationId: _, ...rest } = PAGE;
    expect(parseBytes(requests[0]!.params)).toEqual(rest);
  });

  it('gets the mode `url` if it has none', () => {
    expect(parseBytes(readUrlRequired(errorOf({ elicitations: [{ url: 'x' }] }))![0]!.params)).toEqual({
      mode: 'url',
      url: 'x',
    });
  });

  it.each([
    errorOf({ elicitations: [PAGE] }, -32041),
    errorOf({ elicitations: [] }),
    errorOf({ elicitations: ['x', 7, null] }),
    errorOf({ elicitations: {} }),
    errorOf({}),
    errorOf(undefined),
    errorOf([PAGE]),
    'null',
    '"x"',
    '[]',
  ])('ignores %s', (error) => {
    expect(readUrlRequired(error)).toBeUndefined();
  });
});
