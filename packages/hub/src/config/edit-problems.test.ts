import { describe, expect, it } from 'vitest';
import { type ConfigChange, editConfigText, newProblems } from './edit.ts';
import { readConfig } from './load.ts';

const BROKEN = `{
  servers: { bad: { comand: 'x' }, good: { command: 'x' } },
  proxy: { apps: [{ name: 'a b', tokenHash: 'x' }, { name: 'web', tokenHash: '${'ab'.repeat(32)}' }] },
}`;

/** Settings with new problems after a change of a broken file. */
function causedBy(...changes: ConfigChange[]): string[] {
  const problems = (text: string) =>
    readConfig(text, '/none/config.json', { env: { PINCER_HOME: '/none' } }).problems;
  const edited = editConfigText(BROKEN, changes, 'config.json');
  return newProblems(problems(BROKEN), problems(edited), changes).map(({ setting }) => setting);
}

describe('a change of a configuration with problems', () => {
  it('does not count existing problems', () => {
    expect(causedBy({ path: ['servers', 'good', 'trust'], value: 'ask' })).toEqual([]);
    expect(causedBy({ path: ['servers', 'more'], value: { command: 'y' } })).toEqual([]);
    expect(causedBy({ path: ['servers', 'bad', 'args'], value: ['z'] })).toEqual([]);
  });

  it('counts problems of settings that it writes, even if they existed', () => {
    expect(causedBy({ path: ['servers', 'bad', 'comand'], value: 'y' })).toEqual(['servers.bad.comand']);
    expect(causedBy({ path: ['servers', 'bad'], value: {} })).toEqual(['servers.bad.url']);
  });

  it('counts problems that it causes elsewhere', () => {
    expect(causedBy({ path: ['servers', 'good', 'toolPrefix'], value: 'web' })).toEqual([
      'proxy.apps[1].name',
    ]);
  });

  it('may correct or remove a wrong setting', () => {
    expect(causedBy({ path: ['servers', 'bad'], value: undefined })).toEqual([]);
    expect(causedBy({ path: ['proxy', 'apps'], value: undefined, item: 0 })).toEqual([]);
  });

  it('may add a valid item to a list, but not an invalid one', () => {
    const app = { name: 'next', tokenHash: 'cd'.repeat(32) };
    expect(causedBy({ path: ['proxy', 'apps'], value: app, item: 'new' })).toEqual([]);
    expect(causedBy({ path: ['proxy', 'apps'], value: { ...app, name: 'web' }, item: 'new' })).toEqual([
      'proxy.apps[2].name',
    ]);
  });
});
