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
  ])('%j is typed by the rules', (words, value) => {
    expect(values(...words)).toEqual([[`servers.s.${words[0]!.replace(/:?=.*/s, '')}`, value]]);
  });

  it('takes dots in names of tools and headers as they are', () => {
    expect(values('policy.screen.snapshot', 'ask')).toEqual([['servers.s.policy.screen.snapshot', 'ask']]);
    expect(readSettings('s', ['policy.screen.snapshot', 'ask'])[0]!.path).toHaveLength(4);
    expect(values('auth.scopes', 'read', 'write')).toEqual([['servers.s.auth.scopes', ['read', 'write']]]);
  });

  it('takes several at once', () => {
    expect(values('env', 'A=1', 'B=2')).toEqual([
      ['servers.s.env.A', '1'],
      ['servers.s.env.B', '2'],
    ]);
    expect(values('start=lazy', 'trust=pin')).toEqual([
      ['servers.s.start', 'lazy'],
      ['servers.s.trust', 'pin'],
    ]);
  });

  it('takes a whole server', () => {
    expect(values('{"url":"https://a.b"}')).toEqual([['servers.s', { url: 'https://a.b' }]]);
  });

  it.each<[words: string[], says: RegExp]>([
    [[], /Set what/],
    [['trust'], /What should trust be/],
    [['trust', 'pinn'], /one of ask, pin, always/],
    [['enabled', 'maybe'], /true or false/],
    [['requestTimeoutMs', '30s'], /is a number/],
    [['requestTimeoutMs', ''], /is a number/],
    [['apiKey', 'two', 'words'], /takes one value/],
    [['tolPrefix', 'x'], /did you mean "toolPrefix"/],
    [['toolFilter.incl', 'x'], /toolFilter\.incl: unknown; did you mean "include"/],
    [['url.host', 'x'], /servers\.s\.url\.host: unknown/],
    [['env', 'A'], /env is an object/],
    [['env.', 'A'], /unknown/],
    [['args:=[', ''], /not JSON/],
    [['start=lazy', 'trust'], /is not KEY=VALUE/],
  ])('refuses %j', (words, says) => {
    expect(() => readSettings('s', words)).toThrow(says);
  });
});
