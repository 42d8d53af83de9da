import { describe, expect, it } from 'vitest';
import { PLAIN } from '../terminal/style.ts';
import { interview } from './configure.ts';

async function run(written: object, answers: (string | undefined)[]) {
  const output: string[] = [];
  const left = [...answers];
  const changes = await interview('s', written as Record<string, unknown>, {
    style: PLAIN,
    async ask(question) {
      output.push(question);
      return left.length === 0 ? '' : left.shift();
    },
    tell: (text) => void output.push(text),
  });
  return { changes, output: output.join('') };
}

describe('interview', () => {
  it('asks for the key of a web server, shows current values, and keeps settings without an answer', async () => {
    const { changes, output } = await run({ url: 'https://a.b', apiKey: 'clear', trust: 'ask' }, []);
    expect(changes).toEqual([]);
    expect(output).toContain('[https://a.b] ');
    expect(output).toContain('[(hidden)] ');
    expect(output).not.toContain('clear');
    expect(output).toMatch(/trust .*\n {2}\[ask\]/);
    expect(output).toMatch(/requestTimeoutMs .*\n {2}\[30000\]/);
  });

  it('asks again after an invalid answer, and removes a setting for -', async () => {
    const { changes, output } = await run({ command: 'x', cwd: '/a' }, [
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
    expect(output).toContain('enabled must be true or false, not "maybe".');
  });

  it('changes nothing if the input ends', async () => {
    expect((await run({ url: 'https://a.b' }, ['https://c.d', undefined])).changes).toBeUndefined();
  });
});
