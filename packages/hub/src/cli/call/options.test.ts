import { describe, expect, it } from 'vitest';
import { parseCall } from './options.ts';

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
