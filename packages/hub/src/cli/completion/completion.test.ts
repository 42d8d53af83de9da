import { describe, expect, it } from 'vitest';
import { defineCommand, defineSubcommand, type CommandDefinition, type CommandRow } from '../command.ts';
import { bashScript, fishScript, powershellScript, zshScript } from './scripts.ts';
import { readSpec } from './spec.ts';

const row = (name: string, summary: string, command: Partial<CommandDefinition>): CommandRow => ({
  name,
  args: '',
  summary,
  load: () => Promise.resolve({ command: { description: '', ...command } }),
});

const rows = [
  row('show', "a server's state", { arguments: ['[name]'] }),
  row('call', '', {
    arguments: ['<server.tool>'],
    options: { '--timeout <ms>': 'as "JSON", it\'s $HOME' },
  }),
  row('token', 'tokens', {
    commands: {
      add: defineSubcommand({
        summary: '',
        description: '',
        arguments: ['<name>'],
        completes: [],
        options: { '--server <name>': '', '--tool <server.tool>': '' },
      }),
      revoke: defineSubcommand({ summary: '', description: '', arguments: ['<name>'], completes: 'tokens' }),
    },
  }),
  row('completion', '', { arguments: ['<shell>'], completes: ['bash', 'fish'] }),
  row('import', '', {
    arguments: ['[client]'],
    completes: ['claude-desktop'],
    options: { '--from <file>': 'a file' },
  }),
  row(
    'sessions',
    '',
    defineCommand({
      description: '',
      options: { '--app <app>': '' },
      commands: { end: defineSubcommand({ summary: '', description: '', arguments: ['<session>'] }) },
    }),
  ),
];
const spec = await readSpec([{ title: 'All:', rows }]);
const at = (path: string) => spec.find((command) => command.path === path)!;

describe('readSpec', () => {
  it('lists all commands of the table', () => {
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
    expect(at('').options.flatMap(({ names }) => names)).toEqual([
      '-V',
      '--version',
      '--json',
      '--debug',
      '-h',
      '--help',
    ]);
  });

  it('derives the kind of completion from the name of an argument or option', () => {
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
    expect(valueOf('sessions end', '--app')).toBe('apps');
  });
});

describe('a script', () => {
  it.each([
    ['bash', bashScript],
    ['zsh', zshScript],
    ['fish', fishScript],
    ['powershell', powershellScript],
  ])('for %s has every command and option, and requests names', (_shell, script) => {
    const text = script(spec);
    for (const word of ['show', 'token revoke', 'json', 'timeout', 'claude-desktop', '__complete'])
      expect(text).toContain(word);
  });

  it('quotes summaries', () => {
    expect(zshScript(spec)).toContain(String.raw`'--timeout:as "JSON", it'\''s $HOME'`);
    expect(fishScript(spec)).toContain(String.raw`'as "JSON", it\'s $HOME'`);
  });
});
