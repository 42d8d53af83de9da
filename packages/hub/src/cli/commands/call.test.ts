import { describe, expect, it } from 'vitest';
import { parseOptions, PROGRAM_OPTIONS, readWords, unknownOption } from '../parse.ts';
import { command, readCall, slipsIn } from './call.ts';

/** As the program does it. */
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

  it('takes options anywhere, with a blank or an equals sign, and leaves those of the program alone', () => {
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
    [[], 'Which tool?'],
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

  it('knows which option was meant', () => {
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
  [{ formt: 'png', maxWidth: 1 }, ['d.snap does not know "formt". Did you mean format?']],
  [{ somethingElse: 1 }, []],
])(
  'a name that the tool takes and does not know is told of where it is close to another: %j',
  (args, slips) => {
    expect(slipsIn(JSON.stringify(args), SCHEMA, 'd.snap')).toEqual(slips);
  },
);
