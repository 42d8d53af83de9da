import { describe, expect, it } from 'vitest';
import { type ConfigChange, editConfigText, newProblems } from './edit.ts';
import { readConfig } from './load.ts';

const BROKEN = `{
  servers: { bad: { comand: 'x' }, good: { command: 'x' } },
  proxy: { apps: [{ name: 'a b', tokenHash: 'x' }, { name: 'web', tokenHash: '${'ab'.repeat(32)}' }] },
}`;

/** Settings that a change of a broken file is to blame for. */
function blamed(...changes: ConfigChange[]): string[] {
  const problems = (text: string) =>
    readConfig(text, '/none/config.json', { env: { PINCER_HOME: '/none' } }).problems;
  const edited = editConfigText(BROKEN, changes, 'config.json');
  return newProblems(problems(BROKEN), problems(edited), changes).map(({ setting }) => setting);
}

describe('a change of a configuration with problems', () => {
  it('is not blamed for what was there', () => {
    expect(blamed({ path: ['servers', 'good', 'trust'], value: 'ask' })).toEqual([]);
    expect(blamed({ path: ['servers', 'more'], value: { command: 'y' } })).toEqual([]);
    expect(blamed({ path: ['servers', 'bad', 'args'], value: ['z'] })).toEqual([]);
  });

  it('is blamed for what it writes, even if it was there', () => {
    expect(blamed({ path: ['servers', 'bad', 'comand'], value: 'y' })).toEqual(['servers.bad.comand']);
    expect(blamed({ path: ['servers', 'bad'], value: {} })).toEqual(['servers.bad.url']);
  });

  it('is blamed for what it makes wrong elsewhere', () => {
    expect(blamed({ path: ['servers', 'good', 'toolPrefix'], value: 'web' })).toEqual(['proxy.apps[1].name']);
  });

  it('may correct or remove what is wrong', () => {
    expect(blamed({ path: ['servers', 'bad'], value: undefined })).toEqual([]);
    expect(blamed({ path: ['proxy', 'apps'], value: undefined, item: 0 })).toEqual([]);
  });

  it('may add one more to a list, unless that one is wrong', () => {
    const app = { name: 'next', tokenHash: 'cd'.repeat(32) };
    expect(blamed({ path: ['proxy', 'apps'], value: app, item: 'new' })).toEqual([]);
    expect(blamed({ path: ['proxy', 'apps'], value: { ...app, name: 'web' }, item: 'new' })).toEqual([
      'proxy.apps[2].name',
    ]);
  });
});
