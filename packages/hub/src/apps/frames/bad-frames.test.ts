import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBytes } from '../../core/wire/byte-text.ts';
import { isFault, type AppFrame } from './frame.ts';
import { readFrame } from './read-frame.ts';
import { resultOf } from '../calls/invocation.ts';
import { errorText } from './write-frame.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const TYPES = ['invoke_result', 'pong', 'hello', 'progress', 'tools_changed', 'chunk'] as const;

/** A frame as an app writes it, and as it must be read. */
const written = (type: AppFrame['type'], value: unknown, word: string, count: number): string =>
  JSON.stringify(
    {
      invoke_result: {
        type,
        mcpSessionId: 's',
        request_id: 'r',
        ok: count % 2 === 0,
        content: value,
        error: word,
      },
      pong: { type, mcpSessionId: 's' },
      hello: { type, version: count + 1, features: ['progress', 'cancel'] },
      progress: { type, request_id: 'r', progress: count, total: count / 3, message: word },
      tools_changed: { type, tools: [value] },
      chunk: { type, id: 'c', index: count, isLast: count % 2 === 0, data: word },
    }[type],
  );

/** The frame under the member names of the wire. */
function asWritten(frame: AppFrame): object {
  const { requestId, ...rest } = { requestId: undefined, ...frame };
  return {
    ...rest,
    ...(requestId !== undefined && { request_id: requestId }),
    ...('content' in rest && rest.content !== undefined && { content: parseBytes(rest.content) }),
    ...('tools' in rest && { tools: parseBytes(rest.tools) }),
  };
}

const good = fc
  .tuple(
    fc.constantFrom(...TYPES),
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.nat(1_000),
  )
  .map(([type, value, word, count]) => written(type, value, word, count));

const TOKENS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'null',
  'true',
  '-',
  '1e999',
  '99999999999999999999',
  '\\u',
  '\\ud800',
  '\\udc00',
  '\ud800',
  '\udc00',
  '\u0000',
  '\ufeff',
  ' ',
  'é',
  '"type":"pong",',
  '"__proto__":{},',
  '"request_id":"q",',
  '"type"',
  '[[[[[[[[',
];

interface Change {
  readonly at: number;
  readonly cut: number;
  readonly put: string;
}

const change = fc.record<Change>({
  at: fc.nat(10_000),
  cut: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(200)),
  put: fc.oneof(fc.constant(''), fc.constantFrom(...TOKENS), fc.string({ maxLength: 3 })),
});

/** A valid frame with random damage. */
const damaged = fc.tuple(good, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) =>
  changes.reduce((now, { at, cut, put }) => {
    const place = at % (now.length + 1);
    return now.slice(0, place) + put + now.slice(place + cut);
  }, text),
);

const KEYS = [
  'type',
  'mcpSessionId',
  'request_id',
  'ok',
  'content',
  'error',
  'version',
  'features',
  'progress',
  'total',
  'message',
  'tools',
  'id',
  'index',
  'isLast',
  'data',
  '__proto__',
  'constructor',
];
const VALUES = [
  '"pong"',
  '"r"',
  '""',
  '0',
  '-1',
  '1.5',
  '1e999',
  '1e16',
  'true',
  'null',
  '[]',
  '[1]',
  '["a"]',
  '{}',
  '{"message":"m"}',
  '{"message":1}',
  '"\\ud800"',
  '{"a":1,"a":2}',
  '[{"type":"text","text":"t"}]',
];

/** Members of any frame with values of any type, some of them twice. */
const mixed = fc
  .tuple(
    fc.constantFrom(...TYPES, 'invoke_tool', 'toString'),
    fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), { maxLength: 7 }),
  )
  .map(([type, members]) => `{"type":"${type}"${members.map(([key, raw]) => `,"${key}":${raw}`).join('')}}`);

const badFrame = fc.oneof(
  { weight: 5, arbitrary: damaged },
  { weight: 4, arbitrary: mixed },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);

const seen = { frames: 0, faults: new Map<string, number>() };

/** Must hold for every text. */
function check(text: string): void {
  const read = readFrame(text);
  if (isFault(read)) {
    seen.faults.set(read.code, (seen.faults.get(read.code) ?? 0) + 1);
    const sent = JSON.parse(errorText(read)) as { type: string; code: string; message: string };
    if (sent.type !== 'error' || sent.code !== read.code || !sent.message.endsWith('.'))
      throw new Error(`no clear error: ${JSON.stringify(sent)}`);
    return;
  }
  seen.frames++;
  const sent = JSON.parse(text) as { type: string };
  if (sent.type !== read.type) throw new Error(`${sent.type} was read as ${read.type}`);
  if (read.type === 'invoke_result')
    for (const isRich of [false, true]) parseBytes(resultOf(read, { isRich }));
}

/** A pure computation: a busy machine may take longer. */
const BUSY_MS = 180_000;

describe('any message of an app', () => {
  it(
    'is a frame or a fault',
    () => {
      fc.assert(fc.property(badFrame, check), { numRuns: 50_000 });
      // Proves that the frames were bad, and not all bad in the same way.
      expect(seen.frames).toBeGreaterThan(1_000);
      for (const code of [
        'frame_not_json',
        'frame_not_object',
        'frame_not_unicode',
        'frame_duplicate_key',
        'frame_forbidden_key',
        'frame_type_unknown',
        'frame_member_missing',
        'frame_member_invalid',
        'frame_number_out_of_range',
      ])
        expect(seen.faults.get(code), code).toBeGreaterThan(10);
    },
    BUSY_MS,
  );

  it('is read as it was written if it is valid', () => {
    fc.assert(
      fc.property(good, (text) => {
        const read = readFrame(text);
        if (isFault(read)) throw new Error(`${read.code}: ${read.message}`);
        expect(asWritten(read)).toMatchObject(JSON.parse(text) as object);
      }),
      { numRuns: atDepth(200, 2_000) },
    );
  });
});
