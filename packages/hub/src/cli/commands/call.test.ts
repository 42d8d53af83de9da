import { describe, expect, it } from 'vitest';
import { parseOptions, PROGRAM_OPTIONS, readWords, unknownOption } from '../parse.ts';
import { command, readCall, slipsIn, renderResult } from './call.ts';

/** Parses the words as the program does. */
function parseCall(words: readonly string[]) {
  const end = words.indexOf('--');
  const level = {
    path: 'pincer call',
    options: { ...command.options, ...PROGRAM_OPTIONS },
    refuse: command.refuse,
  };
  const { flags, operands, unknown } = parseOptions(end === -1 ? words : words.slice(0, end), level);
  if (unknown[0] !== undefined) throw unknownOption(unknown[0], [], level);
  const [target, pairs] = readWords(operands, command, level) as [string | undefined, string[]];
  return readCall(target, [...pairs, ...(end === -1 ? [] : words.slice(end + 1))], flags as never);
}

describe('parseCall', () => {
  it('splits at the first dot and keeps the pairs in order', () => {
    expect(parseCall(['github.issues.create', 'title=a=b', 'n:=1'])).toEqual({
      server: 'github',
      tool: 'issues.create',
      pairs: ['title=a=b', 'n:=1'],
      args: undefined,
      timeoutMs: undefined,
      out: undefined,
      isUnchecked: false,
    });
  });

  it('takes options anywhere, with a space or an equals sign, and ignores those of the program', () => {
    expect(parseCall(['--json', '--args', '{}', 'x.y', '--timeout=500', '--debug'])).toMatchObject({
      server: 'x',
      args: '{}',
      timeoutMs: 500,
    });
    expect(parseCall(['x.y', '--args', '-'])).toMatchObject({ args: '-' });
    expect(parseCall(['x.y', '--out', 'pictures', '--no-check'])).toMatchObject({
      out: 'pictures',
      isUnchecked: true,
    });
  });

  it('takes everything after -- as arguments', () => {
    expect(parseCall(['x.y', '--', '--odd=1'])).toMatchObject({ pairs: ['--odd=1'] });
  });

  it.each([
    [[], 'The tool is missing.'],
    [['echo'], '"echo" is not SERVER.TOOL.'],
    [['.echo'], 'is not SERVER.TOOL'],
    [['x.'], 'is not SERVER.TOOL'],
    [['x.y', '--timeout', 'soon'], '--timeout takes milliseconds'],
    [['x.y', '--timeout', '0'], '--timeout takes milliseconds'],
    [['x.y', '--args'], 'Option --args needs a value.'],
    [['x.y', 'a=1', '--args', '{}'], 'not both'],
  ])('refuses %j', (words, message) => {
    expect(() => parseCall(words)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });

  it('suggests the option that was probably meant', () => {
    expect(() => parseCall(['x.y', '--arg', '{}'])).toThrow(
      expect.objectContaining({ hint: 'Did you mean --args?' }),
    );
  });
});

const SCHEMA = {
  type: 'object',
  properties: { format: { type: 'string' }, maxWidth: { type: 'integer' } },
  additionalProperties: {},
};

it.each([
  [{ format: 'png' }, []],
  [{ formt: 'png', maxWidth: 1 }, ['d.snap has no argument "formt". Did you mean format?']],
  [{ somethingElse: 1 }, []],
])('warns about an unknown key that is similar to a known one: %j', (args, slips) => {
  expect(slipsIn(JSON.stringify(args), SCHEMA, 'd.snap')).toEqual(slips);
});

const render = (result: object) => renderResult(Buffer.from(JSON.stringify(result)).toString('latin1'));

describe('renderResult', () => {
  it('prints text unchanged and ends each block with a newline', () => {
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

  it('prints structured content if there is no text, without rounding numbers', () => {
    const structured = '{"structuredContent":{"n":99999999999999999999},"content":[]}';
    expect(renderResult(structured).text).toBe('{\n  "n": 99999999999999999999\n}\n');
    const both = '{"structuredContent":{"n":1},"content":[{"type":"text","text":"one"}]}';
    expect(renderResult(both).text).toBe('one\n');
  });

  it('recognizes an error and an empty result', () => {
    expect(render({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual({
      text: 'no\n',
      isError: true,
      hasMedia: false,
    });
    expect(render({})).toEqual({ text: '', isError: false, hasMedia: false });
  });
});
