import { describe, expect, it } from 'vitest';
import { plainUp } from './plain-up.ts';

describe('plainUp', () => {
  it.each([
    [[], { port: undefined, background: false, untilEof: false }],
    [['--background'], { port: undefined, background: true, untilEof: false }],
    [['--port', '0'], { port: 0, background: false, untilEof: false }],
    [['--port', '8765', '--json', '--debug'], { port: 8765, background: false, untilEof: false }],
    [['--port', '0', '--until-eof'], { port: 0, background: false, untilEof: true }],
  ])('reads %j', (words, options) => {
    expect(plainUp(words)).toEqual(options);
  });

  it.each([
    [['--port']],
    [['--port', '65536']],
    [['--port', '-1']],
    [['--port', ' 80']],
    [['--port=80']],
    [['--port', '80', '--background']],
    [['--background', '--until-eof']],
    [['--until-eof', '--port', '0']],
    [['--background', '--port', '80']],
    [['--help']],
    [['now']],
  ])('leaves %j to the program', (words) => {
    expect(plainUp(words)).toBeUndefined();
  });
});
