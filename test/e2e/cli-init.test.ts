import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPersonHome, type PersonHome } from '../kit/person-home.ts';
import { openOnTerminal, type Terminal } from '../kit/terminal.ts';
import { verifies } from '../verifies.ts';

const QUESTION = '[Y/n';

function furnish(person: PersonHome): void {
  person.write('.cursor/mcp.json', {
    mcpServers: { one: { command: 'x' }, two: { url: 'https://two.example/mcp' } },
  });
  person.write('.gemini/settings.json', { theme: 'dark' });
}

const open = (person: PersonHome): Terminal =>
  openOnTerminal(
    ['init'],
    { ...person.env, PINCER_HOME: person.cli.path, PATH: '/usr/bin:/bin' },
    person.project,
  );

const serversOf = ({ cli }: PersonHome): string[] =>
  Object.keys(
    (JSON.parse(readFileSync(join(cli.path, 'config.json'), 'utf8')) as { servers: object }).servers,
  );

describe('init', () => {
  it('asks before each step, and does what the person chose', async () => {
    await using person = openPersonHome();
    furnish(person);
    await using terminal = open(person);
    await terminal.until(QUESTION);
    expect(existsSync(join(person.cli.path, 'config.json'))).toBe(false);
    terminal.type('9\r');
    await terminal.until('numbers from 1 to 2');
    await terminal.until(QUESTION, 2);
    terminal.type('2\r');
    await terminal.until(QUESTION, 3);
    expect(serversOf(person)).toEqual(['two']);
    expect(person.read('.cursor/mcp.json')).not.toContain('pincer');
    terminal.type('y\r');
    await terminal.until('[y/N]');
    terminal.type('n\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.seen()).toMatch(/Try it:\n {2}pincer tools\n/);
    for (const file of ['.cursor/mcp.json', '.gemini/settings.json'])
      expect(person.read(file)).toContain('"pincer"');
    expect(person.read('.gemini/settings.json')).toContain('"theme": "dark"');
  });

  it('cancelled with Ctrl+C keeps only the confirmed changes', async () => {
    await using person = openPersonHome();
    furnish(person);
    await using terminal = open(person);
    await terminal.until(QUESTION);
    terminal.type('1\r');
    await terminal.until(QUESTION, 2);
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(serversOf(person)).toEqual(['one']);
    expect(person.read('.cursor/mcp.json')).not.toContain('pincer');
    expect(readdirSync(person.cli.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('enables only the chosen device capabilities', async () => {
    verifies('000-deferred-setup');
    await using person = openPersonHome();
    await using terminal = openOnTerminal(
      ['init'],
      { ...person.env, PINCER_DEVICE: 'on', PINCER_HOME: person.cli.path, PATH: '/usr/bin:/bin' },
      person.project,
    );
    await terminal.until('Which ones to switch on? [numbers such as 1 3, or all; Enter for none]');
    terminal.type('y\r');
    await terminal.until('Please answer numbers from 1 to 4, all, or none.');
    terminal.type('1 4\r');
    await terminal.until('On: screen, clipboard.');
    await terminal.until('wss://…; Enter for none]');
    terminal.type('nonsense\r');
    await terminal.until('To try again: pincer node pair');
    await terminal.until('[y/N]');
    terminal.type('n\r');
    expect(await terminal.ended).toBe(0);
    expect(JSON.parse(readFileSync(join(person.cli.path, 'config.json'), 'utf8'))).toEqual({
      device: { capabilities: { screen: true, clipboard: true } },
    });
  });

  it('with --yes asks nothing: imports and connects everything it finds, and installs no service', async () => {
    await using person = openPersonHome();
    furnish(person);
    expect(await person.run(['init'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--yes') as string,
    });
    const env = { PATH: '/usr/bin:/bin' };
    const { code, document } = await person.json(['init', '--yes'], { env });
    expect(code).toBe(0);
    expect(document).toMatchObject({ ok: true, imported: ['one', 'two'], service: false });
    expect((document['connected'] as { client: string }[]).map(({ client }) => client)).toEqual([
      'cursor',
      'gemini',
    ]);
    const again = await person.run(['init', '--yes'], { env });
    expect(again.stderr).toContain('Already connected: Cursor, Gemini CLI.');
    expect(again.stdout).toBe('Try it:\n  pincer tools\n');
  });

  it('suggests the first server to add if it finds nothing', async () => {
    await using person = openPersonHome();
    const { stdout } = await person.run(['init', '--yes'], { env: { PATH: '/nowhere' } });
    expect(stdout).toMatch(/^Try it:\n {2}pincer add /);
  });
});
