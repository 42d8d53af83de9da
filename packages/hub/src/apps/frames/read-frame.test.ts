import { describe, expect, it } from 'vitest';
import { FRAME_FORM, isFault, type AppFrame, type FrameFault } from './frame.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { readFrame, type ReadOptions } from './read-frame.ts';

const RESULT = '{"type":"invoke_result","mcpSessionId":"s","request_id":"r","ok":true,"content":7}';

const frame = (text: string, options?: ReadOptions): AppFrame => {
  const read = readFrame(text, options);
  if (isFault(read)) throw new Error(`${read.code}: ${read.message}`);
  return read;
};

const fault = (text: string, options?: ReadOptions): FrameFault => {
  const read = readFrame(text, options);
  if (!isFault(read)) throw new Error(`${read.type} was read from a bad frame`);
  return read;
};

const resultWith = (members: string): string =>
  `{"type":"invoke_result","mcpSessionId":"s","request_id":"r"${members}}`;

describe('frames of every app', () => {
  it('include a documented result', () => {
    expect(
      frame(`{
        "type": "invoke_result",
        "mcpSessionId": "session-id",
        "request_id": "session-id:1",
        "ok": true,
        "content": {"echoed_text": "hello"}
      }`),
    ).toEqual({
      type: 'invoke_result',
      mcpSessionId: 'session-id',
      requestId: 'session-id:1',
      ok: true,
      content: '{"echoed_text": "hello"}',
      error: undefined,
    });
  });

  it('keep the bytes of the content', () => {
    const content = '{"a":99999999999999999999, "b":1.0,"c":1e999,"d":"\\u00e9\\/é 😀","a ":[ ]}';
    expect(frame(resultWith(`,"ok":true,"content": ${content} `))).toMatchObject({
      content: Buffer.from(content).toString('latin1'),
    });
  });

  it('have an error text or an error object with a message', () => {
    expect(frame(resultWith(',"ok":false,"error":"no öil"'))).toMatchObject({ ok: false, error: 'no öil' });
    expect(frame(resultWith(',"ok":false,"error":{"code":5,"message":"broken"}'))).toMatchObject({
      error: 'broken',
    });
  });

  it('treat null as missing, except for the content', () => {
    expect(frame(resultWith(',"ok":true,"content":null,"error":null'))).toMatchObject({
      content: 'null',
      error: undefined,
    });
    expect(frame(resultWith(',"ok":true'))).toMatchObject({ content: undefined });
  });

  it('include a pong with any other members', () => {
    expect(frame('{"type":"pong"}')).toEqual({ type: 'pong', mcpSessionId: undefined });
    expect(frame('{"type":"pong","mcpSessionId":"s","at":12}')).toEqual({ type: 'pong', mcpSessionId: 's' });
  });

  it('have their keys unescaped', () => {
    expect(frame('{"t\\u0079pe":"p\\u006fng"}').type).toBe('pong');
  });
});

describe('frames of an app that has said hello', () => {
  it('include a hello with version and features', () => {
    expect(frame('{"type":"hello","version":1,"features":["progress","cancel"]}')).toMatchObject({
      version: 1,
      features: ['progress', 'cancel'],
    });
  });

  it('include progress of one request', () => {
    expect(
      frame('{"type":"progress","request_id":"r","progress":0.5,"total":1,"message":"half"}'),
    ).toMatchObject({ requestId: 'r', progress: 0.5, total: 1, message: 'half' });
    expect(frame('{"type":"progress","request_id":"r","progress":-3,"total":null}')).toMatchObject({
      progress: -3,
      total: undefined,
      message: undefined,
    });
  });

  it('include tools as any array of bytes', () => {
    expect(frame('{"type":"tools_changed","tools":[ {"name":"a"},7]}')).toMatchObject({
      tools: '[ {"name":"a"},7]',
    });
  });

  it('include a chunk of text', () => {
    expect(frame('{"type":"chunk","id":"c","index":0,"isLast":true,"data":"{\\"ä\\":"}')).toMatchObject({
      id: 'c',
      index: 0,
      isLast: true,
      data: '{"ä":',
    });
  });

  it('may be larger when joined, but not be a chunk again', () => {
    const large = resultWith(`,"ok":true,"content":"${'x'.repeat(DEFAULT_LIMITS.maxFrameBytes)}"`);
    expect(fault(large).code).toBe('frame_too_large');
    expect(frame(large, { isJoined: true }).type).toBe('invoke_result');
    const chunk = '{"type":"chunk","id":"c","index":0,"isLast":true,"data":""}';
    expect(fault(chunk, { isJoined: true }).code).toBe('chunk_in_chunk');
  });
});

describe('fault', () => {
  it.each([
    ['nothing', '', 'frame_not_json'],
    ['half of it', RESULT.slice(0, 40), 'frame_not_json'],
    ['two at once', `${RESULT}${RESULT}`, 'frame_not_json'],
    ['a byte order mark before it', `\ufeff${RESULT}`, 'frame_not_json'],
    ['an array', `[${RESULT}]`, 'frame_not_object'],
    ['a string', '"pong"', 'frame_not_object'],
    ['null', 'null', 'frame_not_object'],
    ['no type', '{}', 'frame_member_missing'],
    ['a type that is not a string', '{"type":7}', 'frame_member_invalid'],
    ['a type that objects have', '{"type":"constructor"}', 'frame_type_unknown'],
    ['the type of a frame of ours', '{"type":"invoke_tool"}', 'frame_type_unknown'],
    ['a key twice', '{"type":"pong","type":"pong"}', 'frame_duplicate_key'],
    ['a key twice, once escaped', '{"type":"pong","a":1,"\\u0061":2}', 'frame_duplicate_key'],
    [
      'a key twice in its error',
      resultWith(',"ok":false,"error":{"message":"a","message":"b"}'),
      'frame_duplicate_key',
    ],
    ['__proto__', '{"type":"pong","__proto__":{"ok":true}}', 'frame_forbidden_key'],
    ['__proto__, escaped', '{"type":"pong","\\u005f_proto__":1}', 'frame_forbidden_key'],
    [
      '__proto__ in its error',
      resultWith(',"ok":false,"error":{"__proto__":{"message":"a"}}'),
      'frame_forbidden_key',
    ],
    ['half of a character', '{"type":"pong","a":"\ud83d"}', 'frame_not_unicode'],
    ['half of a character, escaped', '{"type":"pong","a":"\\ud83d"}', 'frame_not_unicode'],
    ['the other half, escaped', resultWith(',"ok":true,"content":["\\uDE00"]'), 'frame_not_unicode'],
    ['two first halves', '{"type":"pong","a":"\\ud83d\\ud83d\\ude00"}', 'frame_not_unicode'],
    ['half of a character at the end of a key', '{"type":"pong","a\\ud83d":"\\ude00"}', 'frame_not_unicode'],
    ['no session', '{"type":"invoke_result","request_id":"r","ok":true}', 'frame_member_missing'],
    ['no request', '{"type":"invoke_result","mcpSessionId":"s","ok":true}', 'frame_member_missing'],
    ['an empty request', '{"type":"progress","request_id":"","progress":1}', 'frame_member_invalid'],
    ['neither ok nor not', resultWith(''), 'frame_member_missing'],
    ['"true" instead of true', resultWith(',"ok":"true"'), 'frame_member_invalid'],
    ['an error that is a number', resultWith(',"ok":false,"error":5'), 'frame_member_invalid'],
    ['an error without a message', resultWith(',"ok":false,"error":{"code":5}'), 'frame_member_invalid'],
    ['a session that is not a string', '{"type":"pong","mcpSessionId":1}', 'frame_member_invalid'],
    ['an endless id', `{"type":"pong","mcpSessionId":"${'x'.repeat(129)}"}`, 'frame_member_invalid'],
    ['features that are not strings', '{"type":"hello","version":1,"features":[1]}', 'frame_member_invalid'],
    ['features that are not an array', '{"type":"hello","version":1,"features":{}}', 'frame_member_invalid'],
    [
      'too many features',
      `{"type":"hello","version":1,"features":[${'"a",'.repeat(64)}"a"]}`,
      'frame_member_invalid',
    ],
    ['version 0', '{"type":"hello","version":0,"features":[]}', 'frame_member_invalid'],
    ['version 1.5', '{"type":"hello","version":1.5,"features":[]}', 'frame_member_invalid'],
    [
      'a huge version',
      '{"type":"hello","version":99999999999999999999,"features":[]}',
      'frame_number_out_of_range',
    ],
    [
      'infinite progress',
      '{"type":"progress","request_id":"r","progress":1e999}',
      'frame_number_out_of_range',
    ],
    [
      'a total out of range',
      '{"type":"progress","request_id":"r","progress":1,"total":-1e16}',
      'frame_number_out_of_range',
    ],
    ['progress in words', '{"type":"progress","request_id":"r","progress":"half"}', 'frame_member_invalid'],
    ['tools that are an object', '{"type":"tools_changed","tools":{}}', 'frame_member_invalid'],
    [
      'a chunk before the first',
      '{"type":"chunk","id":"c","index":-1,"isLast":true,"data":""}',
      'frame_member_invalid',
    ],
    [
      'a chunk without text',
      '{"type":"chunk","id":"c","index":0,"isLast":true,"data":[]}',
      'frame_member_invalid',
    ],
  ])('for %s', (_, text, code) => {
    const { message, ...rest } = fault(text);
    expect(rest.code).toBe(code);
    expect(message).toMatch(/^\S.*\.$/);
  });

  it('for values that are nested too deep', () => {
    const nested = (depth: number): string =>
      resultWith(`,"ok":true,"content":${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(frame(nested(FRAME_FORM.maxDepth - 1)).type).toBe('invoke_result');
    expect(fault(nested(FRAME_FORM.maxDepth)).code).toBe('frame_too_complex');
    expect(fault('['.repeat(1_000_000)).code).toBe('frame_too_complex');
    expect(fault('{"a":'.repeat(1_000_000)).code).toBe('frame_too_complex');
  });

  it('for too many values', () => {
    const many = `${'0,'.repeat(FRAME_FORM.maxValues)}0`;
    expect(fault(resultWith(`,"ok":true,"content":[${many}]`)).code).toBe('frame_too_complex');
  });

  it('does not count brackets and commas in strings', () => {
    const text = '[{,\\"'.repeat(FRAME_FORM.maxDepth);
    expect(frame(resultWith(`,"ok":true,"content":"${text}"`)).type).toBe('invoke_result');
  });

  it('counts the size in bytes', () => {
    const text = 'é'.repeat(DEFAULT_LIMITS.maxFrameBytes / 2);
    expect(fault(resultWith(`,"ok":true,"content":"${text}"`)).code).toBe('frame_too_large');
  });

  it('does not read an escaped backslash before a "u" as an escape', () => {
    expect(frame(resultWith(String.raw`,"ok":true,"content":"\\ud83d \\\\ud83d"`)).type).toBe(
      'invoke_result',
    );
    expect(fault(resultWith(String.raw`,"ok":true,"content":"\\\ud83d"`)).code).toBe('frame_not_unicode');
  });

  it('names the request if its id could be read', () => {
    expect(fault(resultWith(',"ok":1')).requestId).toBe('r');
    expect(fault('{"type":"what","request_id":"r"}').requestId).toBe('r');
    expect(fault('{"type":"progress","request_id":7}')).not.toHaveProperty('requestId');
    expect(fault('{"request_id":"r","request_id":"q"}')).not.toHaveProperty('requestId');
  });

  it('shows hidden characters of a type, and cuts it', () => {
    const { message } = fault(`{"type":"a\u202eb${'x'.repeat(5_000)}"}`);
    expect(message).toContain(String.raw`a\u202eb`);
    expect(message.length).toBeLessThan(200);
  });
});
