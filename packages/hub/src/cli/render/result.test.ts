import { describe, expect, it } from 'vitest';
import { renderResult } from '../commands/call.ts';

const render = (result: object) => renderResult(Buffer.from(JSON.stringify(result)).toString('latin1'));

describe('renderResult', () => {
  it('prints text as it is, each block with a line end', () => {
    const content = [
      { type: 'text', text: 'héllo' },
      { type: 'text', text: 'b\n' },
    ];
    expect(render({ content })).toEqual({ text: 'héllo\nb\n', isError: false, hasMedia: false });
  });

  it('prints other blocks as a short line', () => {
    const content = [
      { type: 'image', mimeType: 'image/png', data: Buffer.alloc(2048).toString('base64') },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'resource', resource: { uri: 'file:///b\u001b', mimeType: 'text/plain', text: 'abc' } },
      { type: 'hologram' },
    ];
    expect(render({ content }).hasMedia).toBe(true);
    expect(render({ content }).text.split('\n')).toEqual([
      '[image image/png 2.0 KB]',
      '[resource_link a file:///a]',
      String.raw`[resource file:///b\u001b text/plain 3 bytes]`,
      '[hologram]',
      '',
    ]);
  });

  it('prints structured content where there is no text, with its numbers unharmed', () => {
    const structured = '{"structuredContent":{"n":99999999999999999999},"content":[]}';
    expect(renderResult(structured).text).toBe('{\n  "n": 99999999999999999999\n}\n');
    const both = '{"structuredContent":{"n":1},"content":[{"type":"text","text":"one"}]}';
    expect(renderResult(both).text).toBe('one\n');
  });

  it('knows an error, and a result without anything', () => {
    expect(render({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual({
      text: 'no\n',
      isError: true,
      hasMedia: false,
    });
    expect(render({})).toEqual({ text: '', isError: false, hasMedia: false });
  });
});
