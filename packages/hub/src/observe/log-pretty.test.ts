import { describe, expect, it } from 'vitest';
import { prettyLine } from './log.ts';

const time = new Date(2026, 9, 1, 12, 3, 11).toISOString();
const line = (fields: Record<string, unknown>, colour = false): string =>
  prettyLine(JSON.stringify({ level: 'info', time, msg: 'server "x" is ready', ...fields }), colour);

describe('prettyLine', () => {
  it('shows time, level and message', () => {
    expect(line({})).toBe('12:03:11 info  server "x" is ready\n');
    expect(line({ level: 'error' })).toBe('12:03:11 error server "x" is ready\n');
  });

  it('appends fields, quoted if necessary', () => {
    expect(line({ pid: 7, url: 'https://a.b/c', why: 'two words', error: { message: 'x' } })).toBe(
      '12:03:11 info  server "x" is ready pid=7 url=https://a.b/c why="two words" error={"message":"x"}\n',
    );
  });

  it('colours only on request', () => {
    expect(line({ level: 'warn', pid: 7 }, true)).toBe(
      '\u001b[90m12:03:11\u001b[39m \u001b[33mwarn \u001b[39m server "x" is ready\u001b[90m pid=7\u001b[39m\n',
    );
  });

  it('shows control and bidirectional characters instead of obeying them', () => {
    expect(line({ msg: 'a\u001b[2J\nb\u009b\u202e', '\u001b': '\u009b' })).toBe(
      String.raw`12:03:11 info  a\u001b[2J\u000ab\u009b\u202e \u001b="\u009b"` + '\n',
    );
  });
});
