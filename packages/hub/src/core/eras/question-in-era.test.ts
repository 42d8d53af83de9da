import { describe, expect, it } from 'vitest';
import { parseBytes } from '../wire/byte-text.ts';
import { questionToLegacy, questionToModern } from './in-era.ts';

const BY_URL = '{"mode":"url","elicitationId":"e-1","url":"https://example.com/?a=1.0","n":1.0}';
const BY_FORM = '{"mode":"form","elicitationId":"e-1","requestedSchema":{"n": 99999999999999999999}}';

describe('a URL elicitation', () => {
  it('loses only its id for the modern era', () => {
    expect(questionToModern('elicitation/create', BY_URL)).toBe(
      '{"mode":"url","url":"https://example.com/?a=1.0","n":1.0}',
    );
  });

  it('gets a new id each time for the legacy era', () => {
    const ids = [BY_URL, BY_URL, '{"mode":"url","url":"x"}'].map((params) => {
      const { elicitationId, ...rest } = parseBytes(questionToLegacy('elicitation/create', params)) as {
        elicitationId: string;
      };
      expect(rest).toMatchObject({ mode: 'url' });
      return elicitationId;
    });
    expect(new Set([...ids, 'e-1']).size).toBe(4);
  });
});

describe('the progress token of a question', () => {
  it.each([
    ['{"a":1.0,"_meta":{"progressToken":7,"x":1.0}}', '{"a":1.0,"_meta":{"x":1.0}}'],
    ['{"a":1.0,"_meta":{"progressToken":7}}', '{"a":1.0}'],
    ['{"a":1.0,"_meta":{"x":1.0}}', '{"a":1.0,"_meta":{"x":1.0}}'],
  ])('is removed for the modern era: %s', (params, expected) => {
    expect(questionToModern('sampling/createMessage', params)).toBe(expected);
    expect(questionToLegacy('sampling/createMessage', params)).toBe(params);
  });
});

describe('any other question', () => {
  it.each([
    ['elicitation/create', BY_FORM],
    ['elicitation/create', '{"message":"x"}'],
    ['elicitation/create', '{"mode":["url"],"elicitationId":"e"}'],
    ['sampling/createMessage', BY_URL],
    ['roots/list', '{}'],
  ])('keeps %s %s in both eras', (method, params) => {
    expect(questionToModern(method, params)).toBe(params);
    expect(questionToLegacy(method, params)).toBe(params);
  });
});
