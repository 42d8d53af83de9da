import { describe, expect, it } from 'vitest';
import { entryOf, findTool, hostName } from './tool-name.ts';

const ENTRIES = [{ key: 'github' }, { key: 'Notes' }, { key: 'github-pincer' }];

describe('entryOf', () => {
  it.each([
    ['github__create_issue', 'github'],
    ['GITHUB__x', 'github'],
    ['notes__x__y', 'Notes'],
    ['github-pincer__x', 'github-pincer'],
    ['github__', 'github'],
  ])('%s belongs to %s', (toolName, key) => {
    expect(entryOf(toolName, ENTRIES)?.key).toBe(key);
  });

  it.each(['read', 'github', 'github_x', '__x', 'git__hub', 'other__x', ''])('%j is not ours', (toolName) => {
    expect(entryOf(toolName, ENTRIES)).toBeUndefined();
  });

  it('accepts a numbered key of ours, unless another entry has that key', () => {
    expect(entryOf('github-2__x', ENTRIES)?.key).toBe('github');
    expect(entryOf('github-2__x', ENTRIES, (key) => key === 'github-2')).toBeUndefined();
    expect(entryOf('other-2__x', ENTRIES)).toBeUndefined();
  });
});

describe('modelName', () => {
  it.each([
    ['createIssue', 'lab__createissue'],
    ['a.b/c d', 'lab__a-b-c-d'],
    ['größe', 'lab__gr--e'],
    ['2nd', 'lab__tool-2nd'],
    ['_x', 'lab__tool-_x'],
    ['  ', 'lab__tool'],
    [
      'a.very.long.tool.name.with.dots.that.goes.beyond.sixty.four.characters',
      'lab__a-very-long-tool-name-with-dots-that-goes-beyond-sixty-four',
    ],
  ])('turns %j into %s', (tool, expected) => {
    expect(hostName('lab', tool)).toBe(expected);
  });
});

describe('findTool', () => {
  it('returns the only tool with that name', () => {
    const tools = ['createIssue', 'a.b', 'x-2'];
    expect(findTool('lab__createissue', 'lab', tools)).toBe('createIssue');
    expect(findTool('lab__a-b', 'lab', tools)).toBe('a.b');
    expect(findTool('lab__x-2', 'lab', tools)).toBe('x-2');
    expect(findTool('lab__y', 'lab', tools)).toBeUndefined();
  });

  it('returns undefined for several tools, and for a number behind them', () => {
    const tools = ['a.b', 'a-b', 'x-2', 'y'];
    expect(findTool('lab__a-b', 'lab', tools)).toBeUndefined();
    expect(findTool('lab__a-b-2', 'lab', tools)).toBeUndefined();
    expect(findTool('lab__x-2', 'lab', tools)).toBeUndefined();
    expect(findTool('lab__y', 'lab', tools)).toBe('y');
  });
});
