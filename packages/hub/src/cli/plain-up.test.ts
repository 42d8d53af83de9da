import { describe, expect, it } from 'vitest';
import { plainUp } from './plain-up.ts';

describe('plainUp', () => {
  it.each([
    [[], { port: undefined, background: false }],
    [['--background'], { port: undefined, background: true }],
    [['--port', '0'], { port: 0, background: false }],
    [['--port', '8765', '--json', '--debug'], { port: 8765, background: false }],
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
    [['--background', '--port', '80']],
    [['--help']],
    [['now']],
  ])('leaves %j to the program', (words) => {
    expect(plainUp(words)).toBeUndefined();
  });
});
