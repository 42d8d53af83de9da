import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson, anyKey, anyText } from '../../../../../test/kit/any-text.ts';
import { RPC } from '../protocol.ts';
import { asBytes, fromByteText, parseBytes, toByteText } from './byte-text.ts';
import { findMember } from './members.ts';
import { MalformedMessageError, parseMessage, plainString } from './message.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const refusal = (text: string): MalformedMessageError => {
  try {
    parseMessage(text);
  } catch (error) {
    if (error instanceof MalformedMessageError) return error;
    throw error;
  }
  throw new Error(`taken: ${text}`);
};

describe('parseMessage', () => {
  it('reads a request', () => {
    const message = parseMessage('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}');
    expect(message).toEqual({
      id: '1',
      method: 'tools/call',
      params: [{ key: 'name', raw: '"x"' }],
      meta: [],
      result: undefined,
      error: undefined,
      extra: '',
      isError: false,
    });
  });

  it.each([
    ['"_meta":[]', -32602],
    ['"_meta":null', -32602],
    ['"_meta":{"a":1,"\\u0061":2}', -32600],
  ])('refuses params {%s} with an error that has the id', (params, rpcCode) => {
    const text = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x",${params}}}`;
    expect(() => parseMessage(text)).toThrow(expect.objectContaining({ rpcCode, id: '7' }) as Error);
  });

  it('reads a notification, which has no id', () => {
    const message = parseMessage('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect(message).toMatchObject({ id: undefined, method: 'notifications/initialized', params: [] });
  });

  it('reads an answer with a result', () => {
    const message = parseMessage('{"jsonrpc":"2.0","id":"a","result":{"content":[]}}');
    expect(message).toMatchObject({
      id: '"a"',
      method: undefined,
      result: '{"content":[]}',
      error: undefined,
    });
  });

  it('reads an answer with an error', () => {
    const message = parseMessage('{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}');
    expect(message).toMatchObject({ result: undefined, error: '{"code":-32601,"message":"no"}' });
  });

  it('reads members in any order, with white space anywhere', () => {
    const text = '\r\n{ "params" : { } ,\t"method" : "m" , "id" : "x" , "jsonrpc" : "2.0" }\n';
    expect(parseMessage(text)).toMatchObject({ id: '"x"', method: 'm', params: [] });
  });

  it.each(['0', '-1', '7', '1.5', '1e3', '99999999999999999999', '"7"', '""', '"\\u0037"'])(
    'keeps an id unchanged: %s',
    (id) => {
      expect(parseMessage(`{"jsonrpc":"2.0","id":${id},"method":"m"}`).id).toBe(id);
      expect(parseMessage(`{"jsonrpc":"2.0","id":${id},"result":{}}`).id).toBe(id);
    },
  );

  it('keeps params and results as unchanged bytes', () => {
    const args = '{ "n": 99999999999999999999, "f": 1.0, "z": -0, "e": 1e400, "s": "\\u0041/\\/" }';
    const call = parseMessage(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":${args}}}`);
    expect(findMember(call.params, 'arguments')).toBe(args);
    expect(parseMessage(`{"jsonrpc":"2.0","id":1,"result": ${args} }`).result).toBe(args);
    expect(parseMessage(`{"jsonrpc":"2.0","id":1,"error": ${args} }`).error).toBe(args);
  });

  it('keeps the members of every params object, byte for byte', () => {
    const value = anyJson(3);
    fc.assert(
      fc.property(fc.dictionary(anyKey(), value), (params) => {
        const bytes = toByteText(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'm', params }));
        const read = parseMessage(bytes).params;
        const back = Object.fromEntries(read.map(({ key, raw }) => [key, parseBytes(raw)]));
        return (
          JSON.stringify(back) === JSON.stringify(params) && read.every(({ raw }) => bytes.includes(raw))
        );
      }),
    );
  });

  it('reads a method in every spelling', () => {
    expect(parseMessage('{"jsonrpc":"2.0","method":"p\\u0069ng"}').method).toBe('ping');
    expect(parseMessage(toByteText('{"jsonrpc":"2.0","method":"größe"}')).method).toBe('größe');
  });

  it('reads 200,000 levels of nesting', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const message = parseMessage(
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"a":${deep}}}}`,
    );
    expect(findMember(message.params, 'arguments')).toBe(`{"a":${deep}}`);
  });

  it.each([
    ['{"isError":true}', true],
    ['{"isError" : true,"content":[]}', true],
    ['{"\\u0069sError":true}', true],
    ['{"isError":false}', false],
    ['{"isError":"true"}', false],
    ['{"isError":1}', false],
    ['{"content":[{"isError":true}]}', false],
    ['{}', false],
    ['null', false],
    ['7', false],
    ['[true]', false],
  ])('reads from the result %s isError %s', (result, isError) => {
    expect(parseMessage(`{"jsonrpc":"2.0","id":1,"result":${result}}`).isError).toBe(isError);
  });

  it('keeps unknown members of the envelope', () => {
    const text = '{"jsonrpc":"2.0","trace":[1.0],"id":1,"q\\"k":null,"result":{},"n":99999999999999999999}';
    const { extra } = parseMessage(text);
    expect(extra).toBe(',"trace":[1.0],"q\\"k":null,"n":99999999999999999999');
    expect(JSON.parse(`{"a":0${extra}}`)).toMatchObject({ trace: [1], 'q"k': null });
  });

  it('keeps unknown members as bytes, with keys in any script', () => {
    // U+2222 and U+220A: truncated to one byte they would be a quote and a line break.
    const text = toByteText('{"jsonrpc":"2.0","id":1,"result":{},"größe":1.0,"\u2222\u220a":"∢"}');
    const { extra } = parseMessage(text);
    expect(fromByteText(extra)).toBe(',"größe":1.0,"\u2222\u220a":"∢"');
    const keys = fc.uniqueArray(anyKey(), { selector: (key) => key });
    const known = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
    fc.assert(
      fc.property(keys, (all) => {
        const unknown = all.filter((key) => !known.has(key));
        const members = Object.fromEntries(unknown.map((key) => [key, key]));
        const sent = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {}, ...members });
        const back = parseMessage(toByteText(sent)).extra;
        const value = parseBytes(`{"result":{}${back}}`);
        return asBytes(back) === back && JSON.stringify(value) === JSON.stringify({ result: {}, ...members });
      }),
    );
  });
});

describe('parseMessage refuses', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['half an object', '{"jsonrpc":"2.0"'],
    ['two objects', '{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}'],
    ['a trailing comma', '{"jsonrpc":"2.0","method":"a",}'],
    ['a comment', '{"jsonrpc":"2.0","method":"a"}//'],
    ['single quotes', "{'jsonrpc':'2.0'}"],
    ['NaN', '{"jsonrpc":"2.0","method":"a","params":{"n":NaN}}'],
    ['a raw line break in a string', '{"jsonrpc":"2.0","method":"a\nb"}'],
    ['a byte order mark', toByteText('\ufeff{"jsonrpc":"2.0","method":"a"}')],
    ['a no-break space between tokens', '{"jsonrpc":\u00a0"2.0","method":"a"}'],
    ['invalid UTF-8 in a value', '{"jsonrpc":"2.0","method":"a","params":{"s":"\u00ff"}}'],
    ['invalid UTF-8 in a key', '{"jsonrpc":"2.0","method":"a","params":{"\u00c3":1}}'],
    ['invalid UTF-8 in the method', '{"jsonrpc":"2.0","method":"\u0080"}'],
    ['a surrogate in UTF-8', '{"jsonrpc":"2.0","method":"\u00ed\u00a0\u0080"}'],
  ])('%s as a parse error', (_what, text) => {
    expect(refusal(text)).toMatchObject({ rpcCode: -32700, id: undefined });
  });

  it.each([
    ['a string', '"a"'],
    ['a number', '1'],
    ['null', 'null'],
    ['true', 'true'],
    ['an empty batch', '[]'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'],
    ['an empty object', '{}'],
    ['no jsonrpc', '{"id":1,"method":"ping"}'],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}'],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['a boolean id', '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['an array as id', '{"jsonrpc":"2.0","id":[1],"method":"ping"}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1}'],
    ['a null method', '{"jsonrpc":"2.0","id":1,"method":null}'],
    ['neither method nor answer', '{"jsonrpc":"2.0","id":1}'],
    ['result and error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
    ['an answer without an id', '{"jsonrpc":"2.0","result":{}}'],
    ['an error without an id', '{"jsonrpc":"2.0","error":{}}'],
    ['two ids', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
    ['two methods', '{"jsonrpc":"2.0","id":1,"method":"a","m\\u0065thod":"b"}'],
    ['two unknown members', '{"jsonrpc":"2.0","id":1,"method":"a","x":1,"x":1}'],
    ['two names', '{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"a","name":"b"}}'],
    [
      'two names in two spellings',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"a","n\\u0061me":"b"}}',
    ],
  ])('%s as an invalid request', (_what, text) => {
    expect(refusal(text).rpcCode).toBe(-32600);
  });

  it.each(['[]', 'null', '"a"', '1'])('%s as params, with invalid params', (params) => {
    const error = refusal(`{"jsonrpc":"2.0","id":9,"method":"a","params":${params}}`);
    expect(error).toMatchObject({ rpcCode: RPC.invalidParams, id: '9' });
  });

  it('a message, naming its id if it can be read', () => {
    expect(refusal('{"jsonrpc":"1.0","id":"x","method":"ping"}').id).toBe('"x"');
    expect(refusal('{"jsonrpc":"2.0","id":4,"method":5}').id).toBe('4');
    expect(refusal('{"jsonrpc":"2.0","id":4,"method":"a","params":{"a":1,"a":2}}').id).toBe('4');
    expect(refusal('{"jsonrpc":"2.0","id":null,"method":"ping"}').id).toBeUndefined();
  });

  it('any bytes with MalformedMessageError and no other error', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((data) => Buffer.from(data).toString('latin1'));
    const nearly = fc
      .tuple(
        fc.json({ maxDepth: 2 }),
        fc.nat(80),
        fc.constantFrom('', '"', '{', '}', '\\', '\u00ff', ':', ','),
      )
      .map(([json, at, insert]) => {
        const text = `{"jsonrpc":"2.0","id":1,"method":"a","params":${toByteText(json)}}`;
        return text.slice(0, at) + insert + text.slice(at);
      });
    fc.assert(
      fc.property(fc.oneof(bytes, nearly), (text) => {
        try {
          parseMessage(text);
        } catch (error) {
          return error instanceof MalformedMessageError;
        }
        return true;
      }),
      { numRuns: atDepth(200, 1_000) },
    );
  });
});

describe('plainString', () => {
  it('is the value of a JSON string', () => {
    fc.assert(
      fc.property(anyText(), fc.boolean(), (value, escape) => {
        const json = JSON.stringify(value);
        const raw = escape ? json.replaceAll(/[^\u0020-\u007e]/g, hex) : toByteText(json);
        return plainString(raw) === value && fromByteText(raw).length >= 2;
      }),
    );
  });
});

const hex = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
