import { describe, expect, it } from 'vitest';
import { wordsAfter } from './words.ts';

const after = (...words: string[]): readonly string[] =>
  wordsAfter('pincer', ['node', 'openclaw.mjs', ...words]);

describe('wordsAfter', () => {
  it('leaves every word behind the command as it is', () => {
    expect(after('pincer')).toEqual([]);
    expect(after('pincer', 'list', '--json')).toEqual(['list', '--json']);
    expect(after('pincer', 'add', 'files', '--', 'node', 'server.mjs', '--profile', 'x')).toEqual([
      'add',
      'files',
      '--',
      'node',
      'server.mjs',
      '--profile',
      'x',
    ]);
    expect(after('pincer', 'show', 'pincer')).toEqual(['show', 'pincer']);
  });

  it('skips what OpenClaw takes for itself before the command', () => {
    expect(after('--no-color', '--profile', 'pincer', 'pincer', '--help')).toEqual(['--help']);
    expect(after('--profile=pincer', 'pincer', '-h')).toEqual(['-h']);
  });

  it('is nothing where the command is not there', () => {
    expect(after('mcp', 'list')).toEqual([]);
  });
});
