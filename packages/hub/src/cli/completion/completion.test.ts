import { Argument, Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import { specOf } from './spec.ts';
import { zshScript } from './zsh.ts';

function program(): Command {
  const root = new Command('pincer').helpCommand(false).option('--json', 'as "JSON", it\'s $HOME');
  root.command('show').summary("a server's state").argument('[name]');
  root.command('call').argument('<server.tool>').option('--timeout <ms>', 'give up');
  const token = root.command('token').summary('tokens').helpCommand(false);
  token.command('add').argument('<name>').option('--server <name>').option('--tool <server.tool>');
  token.command('revoke').argument('<name>');
  root.command('completion').addArgument(new Argument('<shell>'));
  root.command('import').argument('[client]').option('--from <file>', 'a file');
  const sessions = root.command('sessions').helpCommand(false).option('--app <app>');
  sessions.command('end').argument('<session>');
  root.command('secretly', { hidden: true });
  return root;
}
const spec = specOf(program());
const at = (path: string) => spec.find((command) => command.path === path)!;

describe('what can be typed', () => {
  it('is read off the program, without what is hidden', () => {
    expect(spec.map(({ path }) => path)).toEqual([
      '',
      'show',
      'call',
      'token',
      'token add',
      'token revoke',
      'completion',
      'import',
      'sessions',
      'sessions end',
    ]);
    expect(at('token').commands.map(({ name }) => name)).toEqual(['add', 'revoke']);
    expect(at('').options.flatMap(({ names }) => names)).toEqual(['--json', '-h', '--help']);
  });

  it('is names of servers, tools, tokens, files or words, by what is asked for', () => {
    expect(at('show').values).toBe('servers');
    expect(at('call').values).toBe('tools');
    expect(at('token add').values).toEqual([]);
    expect(at('token revoke').values).toBe('tokens');
    expect(at('sessions end').values).toBe('sessions');
    expect(at('completion').values).toContain('fish');
    expect(at('import').values).toContain('claude-desktop');
    const valueOf = (path: string, name: string) =>
      at(path).options.find(({ names }) => names.includes(name))!.values;
    expect(valueOf('token add', '--server')).toBe('servers');
    expect(valueOf('token add', '--tool')).toBe('tools');
    expect(valueOf('sessions', '--app')).toBe('apps');
    expect(valueOf('import', '--from')).toBe('files');
    expect(valueOf('call', '--timeout')).toEqual([]);
    expect(valueOf('call', '--help')).toBeUndefined();
  });
});

describe('a script', () => {
  it.each([
    ['bash', bashScript],
    ['zsh', zshScript],
    ['fish', fishScript],
    ['powershell', powershellScript],
  ])('for %s has every command and option, and asks for names', (_shell, script) => {
    const text = script(spec);
    for (const word of ['show', 'token revoke', 'json', 'timeout', 'claude-desktop', '__complete'])
      expect(text).toContain(word);
    expect(text).not.toContain('secretly');
  });

  it('quotes what was written for people', () => {
    expect(zshScript(spec)).toContain(String.raw`'--json:as "JSON", it'\''s $HOME'`);
    expect(fishScript(spec)).toContain(String.raw`'as "JSON", it\'s $HOME'`);
  });
});
