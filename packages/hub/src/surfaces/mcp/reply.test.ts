import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Era } from '../../core/protocol.ts';
import { parseBytes, toByteText } from '../../core/wire/byte-text.ts';
import { errorText, outcomeText, resultText } from './reply.ts';

const ok = (result: string, era: Era, extra = ''): Outcome => ({ kind: 'ok', result, era, extra });

describe('an answer of the server', () => {
  it.each<[Era, Era]>([
    ['legacy', 'legacy'],
    ['modern', 'modern'],
    ['modern', 'legacy'],
  ])('goes from %s to %s as the bytes that came', (from, to) => {
    const result = toByteText('{ "content": [{"text":"größe"}], "n": 99999999999999999999, "f": 1.0 }');
    expect(outcomeText('"a"', ok(result, from), to)).toEqual({
      text: `{"jsonrpc":"2.0","id":"a","result":${result}}`,
      status: 200,
    });
  });

  it.each([
    ['{"content":[]}', '{"resultType":"complete","content":[]}'],
    ['{}', '{"resultType":"complete"}'],
    ['{ \n }', '{"resultType":"complete" \n }'],
    ['{ "n": 1.0 }', '{"resultType":"complete", "n": 1.0 }'],
  ])('gets the resultType that the modern era wants: %s', (result, expected) => {
    expect(outcomeText('1', ok(result, 'legacy'), 'modern').text).toBe(
      `{"jsonrpc":"2.0","id":1,"result":${expected}}`,
    );
    expect(parseBytes(expected)).toMatchObject({ resultType: 'complete' });
  });

  it('keeps the envelope’s unknown members', () => {
    expect(outcomeText('1', ok('{}', 'legacy', ',"trace":1.0'), 'legacy').text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{},"trace":1.0}',
    );
    expect(
      outcomeText('1', { kind: 'tool_error', error: '{"code":1}', extra: ',"t":2' }, 'legacy').text,
    ).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":1},"t":2}');
  });

  it('is passed on when the tool failed', () => {
    const outcome: Outcome = { kind: 'tool_error', result: '{"isError":true}', era: 'legacy', extra: '' };
    expect(outcomeText('1', outcome, 'legacy').text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"isError":true}}',
    );
    expect(outcomeText('1', outcome, 'modern').text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","isError":true}}',
    );
  });

  it.each<Era>(['legacy', 'modern'])('is passed on when it is a JSON-RPC error (%s)', (era) => {
    const error = '{"code":-32602, "message":"no","data":{"n":1.0}}';
    expect(outcomeText('1', { kind: 'tool_error', error, extra: '' }, era)).toEqual({
      text: `{"jsonrpc":"2.0","id":1,"error":${error}}`,
      status: 200,
    });
  });
});

describe('a failure of Pincer’s own', () => {
  const reason = new PincerError('SERVER_UNREACHABLE', 'Not there: größe.', { hint: 'Look.' });

  it.each<[Outcome, Era, number]>([
    [notExecuted(reason), 'legacy', -32010],
    [notExecuted(reason), 'modern', -32010],
    [outcomeUnknown(reason), 'legacy', -32011],
    [outcomeUnknown(reason), 'modern', -32011],
  ])('%o (%s) has code %i, and says which it is', (outcome, era, code) => {
    expect(parseBytes(outcomeText('"x"', outcome, era).text)).toEqual({
      jsonrpc: '2.0',
      id: 'x',
      error: {
        code,
        message: 'Not there: größe.',
        data: { code: 'SERVER_UNREACHABLE', outcome: outcome.kind, hint: 'Look.' },
      },
    });
  });

  it('an unknown tool has the code that the specification gives it', () => {
    const unknown = new PincerError('TOOL_UNKNOWN', 'Unknown tool: x');
    expect(parseBytes(outcomeText('1', notExecuted(unknown), 'legacy').text)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32602,
        message: 'Unknown tool: x',
        data: { code: 'TOOL_UNKNOWN', outcome: 'not_executed' },
      },
    });
  });

  it('does not show facts, cause or stack', () => {
    const secret = new PincerError('INTERNAL', 'x', {
      data: { token: 's3cret' },
      cause: new Error('s3cret'),
    });
    expect(outcomeText('1', notExecuted(secret), 'legacy').text).not.toMatch(/s3cret|stack|\.ts/);
  });
});

describe('texts', () => {
  it.each(['1', '"7"', '99999999999999999999', '-0', '"\\u0061"'])('carry the id %s as it came', (id) => {
    expect(resultText(id, '{}')).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    expect(errorText(id, { code: 1, message: 'm', status: 400 })).toBe(
      `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"m"}}`,
    );
  });

  it('carry id null where none could be read', () => {
    expect(errorText(undefined, { code: -32700, message: 'm', status: 400 })).toContain('"id":null');
  });

  it('carry data where there is some, as bytes', () => {
    const text = errorText('1', { code: 1, message: 'größe', data: { a: '€' }, status: 400 });
    expect(parseBytes(text)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: 1, message: 'größe', data: { a: '€' } },
    });
  });
});
