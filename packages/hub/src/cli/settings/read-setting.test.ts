import { describe, expect, it } from 'vitest';
import { readSettings } from './read-setting.ts';

const values = (...words: string[]): [string, unknown][] =>
  readSettings('s', words).map(({ path, value }) => [path.join('.'), value]);

describe('readSettings', () => {
  it.each<[words: string[], value: unknown]>([
    [['requestTimeoutMs', '60000'], 60_000],
    [['requestTimeoutMs=60000'], 60_000],
    [['enabled', 'off'], false],
    [['enabled=true'], true],
    [['apiKey', '007'], '007'],
    [['apiKey=a=b'], 'a=b'],
    [
      ['args', '-y', 'server', '/tmp'],
      ['-y', 'server', '/tmp'],
    ],
    [['args', '["a b"]'], ['a b']],
    [['args:=["a"]'], ['a']],
    [['trust', 'ask'], 'ask'],
    [['env', '{"A":"1"}'], { A: '1' }],
    [['policy:={"*":"ask"}'], { '*': 'ask' }],
  ])('converts %j to the type of the setting', (words, value) => {
    expect(values(...words)).toEqual([[`servers.s.${words[0]!.replace(/:?=.*/s, '')}`, value]]);
  });

  it('keeps dots in names of tools and headers', () => {
    expect(values('policy.screen.snapshot', 'ask')).toEqual([['servers.s.policy.screen.snapshot', 'ask']]);
    expect(readSettings('s', ['policy.screen.snapshot', 'ask'])[0]!.path).toHaveLength(4);
    expect(values('auth.scopes', 'read', 'write')).toEqual([['servers.s.auth.scopes', ['read', 'write']]]);
  });

  it('reads several settings', () => {
    expect(values('env', 'A=1', 'B=2')).toEqual([
      ['servers.s.env.A', '1'],
      ['servers.s.env.B', '2'],
    ]);
    expect(values('start=lazy', 'trust=pin')).toEqual([
      ['servers.s.start', 'lazy'],
      ['servers.s.trust', 'pin'],
    ]);
  });

  it('reads a whole server', () => {
    expect(values('{"url":"https://a.b"}')).toEqual([['servers.s', { url: 'https://a.b' }]]);
  });

  it.each<[words: string[], message: RegExp]>([
    [[], /The setting is missing/],
    [['trust'], /The value of trust is missing/],
    [['trust', 'pinn'], /one of ask, pin, always/],
    [['enabled', 'maybe'], /true or false/],
    [['requestTimeoutMs', '30s'], /must be a number/],
    [['requestTimeoutMs', ''], /must be a number/],
    [['apiKey', 'two', 'words'], /takes one value/],
    [['tolPrefix', 'x'], /did you mean "toolPrefix"/],
    [['toolFilter.incl', 'x'], /toolFilter\.incl: unknown; did you mean "include"/],
    [['url.host', 'x'], /servers\.s\.url\.host: unknown/],
    [['env', 'A'], /env is an object/],
    [['env.', 'A'], /unknown/],
    [['args:=[', ''], /not JSON/],
    [['start=lazy', 'trust'], /is not KEY=VALUE/],
  ])('refuses %j', (words, message) => {
    expect(() => readSettings('s', words)).toThrow(message);
  });
});
