import { describe, expect, it } from 'vitest';
import { parseBytes } from '../wire/byte-text.ts';
import { questionToLegacy, questionToModern } from './in-era.ts';

const BY_URL = '{"mode":"url","elicitationId":"e-1","url":"https://example.com/?a=1.0","n":1.0}';
const BY_FORM = '{"mode":"form","elicitationId":"e-1","requestedSchema":{"n": 99999999999999999999}}';

describe('a question that sends the person elsewhere', () => {
  it('loses its id on the way to the modern era, and nothing else', () => {
    expect(questionToModern('elicitation/create', BY_URL)).toBe(
      '{"mode":"url","url":"https://example.com/?a=1.0","n":1.0}',
    );
  });

  it('gets one on the way to the legacy era, another one each time, whatever it had', () => {
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

describe('progress of an answer', () => {
  it.each([
    ['{"a":1.0,"_meta":{"progressToken":7,"x":1.0}}', '{"a":1.0,"_meta":{"x":1.0}}'],
    ['{"a":1.0,"_meta":{"progressToken":7}}', '{"a":1.0}'],
    ['{"a":1.0,"_meta":{"x":1.0}}', '{"a":1.0,"_meta":{"x":1.0}}'],
  ])('is nothing that the modern era knows: %s', (params, expected) => {
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
  ])('%s %s is the same in both eras', (method, params) => {
    expect(questionToModern(method, params)).toBe(params);
    expect(questionToLegacy(method, params)).toBe(params);
  });
});
