import { describe, expect, it } from 'vitest';
import { PLAIN } from '../terminal/style.ts';
import { interview } from './configure.ts';

async function run(written: object, answers: (string | undefined)[]) {
  const said: string[] = [];
  const left = [...answers];
  const changes = await interview('s', written as Record<string, unknown>, {
    style: PLAIN,
    async ask(question) {
      said.push(question);
      return left.length === 0 ? '' : left.shift();
    },
    tell: (text) => void said.push(text),
  });
  return { changes, said: said.join('') };
}

describe('interview', () => {
  it('asks a web server for its key, shows what there is, and keeps what is not answered', async () => {
    const { changes, said } = await run({ url: 'https://a.b', apiKey: 'clear', trust: 'ask' }, []);
    expect(changes).toEqual([]);
    expect(said).toContain('[https://a.b] ');
    expect(said).toContain('[(hidden)] ');
    expect(said).not.toContain('clear');
    expect(said).toMatch(/trust .*\n {2}\[ask\]/);
    expect(said).toMatch(/requestTimeoutMs .*\n {2}\[30000\]/);
  });

  it('asks again where an answer does not fit, and takes - for nothing', async () => {
    const { changes, said } = await run({ command: 'x', cwd: '/a' }, [
      'A=1, B=2',
      '-',
      'maybe',
      'no',
      'lazy',
    ]);
    expect(changes).toEqual([
      { path: ['servers', 's', 'env', 'A'], value: '1' },
      { path: ['servers', 's', 'env', 'B'], value: '2' },
      { path: ['servers', 's', 'cwd'], value: undefined },
      { path: ['servers', 's', 'enabled'], value: false },
      { path: ['servers', 's', 'start'], value: 'lazy' },
    ]);
    expect(said).toContain('enabled is true or false; not "maybe".');
  });

  it('changes nothing when the person goes away', async () => {
    expect((await run({ url: 'https://a.b' }, ['https://c.d', undefined])).changes).toBeUndefined();
  });
});
