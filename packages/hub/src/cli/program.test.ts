import { describe, expect, it, vi } from 'vitest';
import { termOf } from './help.ts';
import { runProgram } from './program.ts';
import { COMMANDS } from './table.ts';

const rows = COMMANDS.flatMap((group) => group.rows);
const context = { home: '', entry: '', json: false, debug: false };

describe('the table', () => {
  it('has each name and alias once', () => {
    const names = rows.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(rows.map((row) => [row.name, row] as const))(
    'shows the arguments of %s as its own help does',
    async (name, row) => {
      const { command } = await row.load();
      expect(`${name} ${row.args}`.trimEnd()).toBe(termOf(name, command.usage));
    },
  );
});

describe('the program', () => {
  it('shows its help without arguments', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      expect(await runProgram([], context)).toBe(0);
      expect(write.mock.calls.join('')).toContain('Usage: pincer COMMAND [options]');
    } finally {
      write.mockRestore();
    }
  });

  it.each([
    [['--json'], '`pincer` needs a command.'],
    [['token'], '`pincer token` needs a command.'],
    [['token', 'foo'], 'Unknown command "foo".'],
    [['token', 'add', '--nonsense'], 'Unknown option "--nonsense".'],
    [['stdio', 'x'], '`pincer stdio` does not take "x".'],
    [['__nothing'], 'Unknown command "__nothing".'],
  ])('refuses %j', async (words, message) => {
    await expect(runProgram(words, context)).rejects.toMatchObject({ code: 'USAGE', message });
  });
});
