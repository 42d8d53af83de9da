import { describe, expect, it } from 'vitest';
import { resultInEra } from '../../core/eras/in-era.ts';
import { fromByteText, parseBytes, toByteText } from '../../core/wire/byte-text.ts';
import { resultOf } from './invocation.ts';

type Answer = Parameters<typeof resultOf>[0];

const ofContent = (content: string | undefined, isRich = false): unknown =>
  parseBytes(
    resultOf(
      { ok: true, content: content === undefined ? undefined : toByteText(content), error: undefined },
      { isRich },
    ),
  );

const failed = (answer: Partial<Answer>, isRich = false): unknown =>
  parseBytes(resultOf({ content: undefined, error: undefined, ...answer, ok: false }, { isRich }));

const text = (value: string): object => ({ type: 'text', text: value });

const BLOCKS = [
  { type: 'text', text: 'Grüße', annotations: { priority: 1 } },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'audio', data: 'AAA=', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///a', name: 'a' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
  { type: 'resource', resource: { uri: 'file:///b', blob: 'AA==' } },
];

describe('answer of an app', () => {
  it('becomes structured output and its JSON text', () => {
    expect(ofContent('{"echoed_text": "hällo"}')).toEqual({
      content: [text('{"echoed_text": "hällo"}')],
      structuredContent: { echoed_text: 'hällo' },
      isError: false,
      resultType: 'complete',
    });
  });

  it('stays the same to the last digit', () => {
    const content = '{"n":99999999999999999999,"t":"é\\u00e9\\n\\"","f":1.0}';
    const result = fromByteText(
      resultOf({ ok: true, content: toByteText(content), error: undefined }, { isRich: false }),
    );
    expect(result).toContain(`"structuredContent":${content},`);
    expect(JSON.parse(result)).toMatchObject({ content: [text(content)] });
  });

  it.each(['7', '"hello"', 'null', '[1,2]', 'true'])(
    '%s becomes structured output, in an object for legacy callers',
    (content) => {
      const result = resultOf({ ok: true, content, error: undefined }, { isRich: true });
      const value: unknown = JSON.parse(content);
      expect(parseBytes(result)).toMatchObject({ content: [text(content)], structuredContent: value });
      const legacy = resultInEra(result, 'legacy', { method: 'tools/call', tool: undefined });
      expect(parseBytes(legacy)).toEqual({
        content: [text(content)],
        structuredContent: { result: value },
        isError: false,
      });
    },
  );

  it('may be empty', () => {
    expect(ofContent(undefined)).toEqual({ content: [], isError: false, resultType: 'complete' });
  });
});

describe('content blocks', () => {
  it('become the content if the app has said hello', () => {
    expect(ofContent(JSON.stringify(BLOCKS), true)).toEqual({
      content: BLOCKS,
      isError: false,
      resultType: 'complete',
    });
  });

  it('are a plain value otherwise', () => {
    expect(ofContent(JSON.stringify(BLOCKS))).toMatchObject({
      content: [text(JSON.stringify(BLOCKS))],
      structuredContent: BLOCKS,
    });
  });

  it.each([
    ['no blocks at all', '[]'],
    ['one that is a number', '[{"type":"text","text":"a"},7]'],
    ['one of an unknown type', '[{"type":"text","text":"a"},{"type":"video"}]'],
    ['a text without text', '[{"type":"text"}]'],
    ['a text that is a number', '[{"type":"text","text":7}]'],
    [
      'an image that is not base64',
      '[{"type":"image","data":"data:image/png;base64,AAAA","mimeType":"image/png"}]',
    ],
    ['a picture that is cut off', '[{"type":"image","data":"AAAAA","mimeType":"image/png"}]'],
    ['a picture of no type', '[{"type":"image","data":"AAAA"}]'],
    ['a resource that is a string', '[{"type":"resource","resource":"a"}]'],
    ['a resource without content', '[{"type":"resource","resource":{"uri":"a:b"}}]'],
    ['a connection without a name', '[{"type":"resource_link","uri":"a:b"}]'],
    ['one of two types', '[{"type":"text","text":"a","type":"image"}]'],
  ])('%s: treated as a plain value', (_, content) => {
    expect(ofContent(content, true)).toMatchObject({
      content: [text(content)],
      structuredContent: JSON.parse(content) as unknown,
    });
  });
});

describe('failure', () => {
  it("becomes an error with the app's text", () => {
    expect(failed({ error: 'No "öil".' })).toEqual({
      content: [text('No "öil".')],
      isError: true,
      resultType: 'complete',
    });
  });

  it('uses the content if there is no error text', () => {
    expect(failed({ content: '"disk \\"c\\" full"' })).toMatchObject({ content: [text('disk "c" full')] });
    expect(failed({ content: '{"code":5}', error: '  ' })).toMatchObject({ content: [text('{"code":5}')] });
  });

  it('gets a general message if there is no text', () => {
    for (const answer of [{}, { content: 'null' }, { error: '' }])
      expect(failed(answer)).toMatchObject({
        content: [text('The app reported a failure of the tool without a reason.')],
        isError: true,
      });
  });

  it('may have content blocks after the text', () => {
    const content = JSON.stringify([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]);
    expect(failed({ content, error: 'see' }, true)).toMatchObject({
      content: [text('see'), { type: 'image' }],
      isError: true,
    });
    expect(failed({ content }, true)).toMatchObject({ content: [{ type: 'image' }], isError: true });
  });
});
