import { describe, expect, it } from 'vitest';
import { parseBytes, toByteText } from '../wire/byte-text.ts';
import { DuplicateKeyError } from '../wire/members.ts';
import { readInputRequired, writeInputRequired } from './input-required.ts';

describe('readInputRequired', () => {
  it('reads the questions in their original bytes', () => {
    const read = readInputRequired(
      toByteText(
        '{"resultType":"input_required","inputRequests":{"größe":{"method":"elicitation/create","params":{"n": 1.0}},' +
          '"b":{"method":"roots/list"}},"requestState":"s\\u0041","x":99999999999999999999}',
      ),
    );
    expect(read!.requests).toEqual([
      { key: 'größe', method: 'elicitation/create', params: '{"n": 1.0}' },
      { key: 'b', method: 'roots/list', params: '{}' },
    ]);
    expect(read!.state).toBe('"s\\u0041"');
    expect(read!.members.at(-1)).toEqual({ key: 'x', raw: '99999999999999999999' });
  });

  it.each([
    '{}',
    '{"resultType":"complete"}',
    '{"content":[{"type":"text","text":"input_required"}]}',
    '{"content":["input_required"]}',
    '{"structuredContent":{"resultType":"input_required"}}',
    '{"resultType":"complete","x":"input_required"}',
    '{"resultType":["input_required"]}',
  ])('leaves other results alone: %s', (result) => {
    expect(readInputRequired(result)).toBeUndefined();
  });

  it.each([
    ['', undefined],
    [',"requestState":"s"', '"s"'],
  ])('may have no questions%s', (more, state) => {
    expect(readInputRequired(`{"resultType":"input_required"${more}}`)).toMatchObject({
      requests: [],
      state,
    });
    expect(readInputRequired(`{"resultType":"input_required","inputRequests":{}${more}}`)).toMatchObject({
      requests: [],
      state,
    });
  });

  it.each([
    '[]',
    'null',
    '"x"',
    '{"a":7}',
    '{"a":{}}',
    '{"a":{"method":7}}',
    '{"a":{"method":"m","params":[]}}',
  ])('ignores invalid requests: %s', (requests) => {
    expect(
      readInputRequired(`{"resultType":"input_required","inputRequests":${requests}}`)!.requests,
    ).toEqual([]);
  });

  it.each([
    '{"resultType":"input_required","resultType":"complete"}',
    '{"resultType":"input_required","inputRequests":{"a":{"method":"m"},"a":{"method":"n"}}}',
    '{"resultType":"input_required","inputRequests":{"a":{"method":"m","method":"n"}}}',
    '{"resultType":"input_required","inputRequests":{"a":{"method":"m","params":{"b":1,"b":2}}}}',
  ])('throws on duplicate keys: %s', (result) => {
    expect(() => readInputRequired(result)).toThrow(DuplicateKeyError);
  });
});

describe('writeInputRequired', () => {
  const REQUESTS = [
    { key: 'größe"', method: 'elicitation/create', params: toByteText('{"n": 1.0,"s":"größe"}') },
    { key: 'b', method: 'roots/list', params: '{}' },
  ];

  it('writes an `input_required` result', () => {
    const written = writeInputRequired(REQUESTS, 'state "1"');
    expect(parseBytes(written)).toEqual({
      resultType: 'input_required',
      inputRequests: {
        'größe"': { method: 'elicitation/create', params: { n: 1, s: 'größe' } },
        b: { method: 'roots/list', params: {} },
      },
      requestState: 'state "1"',
    });
    expect(written).toContain('{"n": 1.0,');
  });

  it('can be read again', () => {
    const read = readInputRequired(writeInputRequired(REQUESTS, 's'));
    expect(read).toMatchObject({ requests: REQUESTS, state: '"s"' });
  });
});
