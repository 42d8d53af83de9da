import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCliHome } from '../kit/cli.ts';
import { openOnTerminal } from '../kit/terminal.ts';
import { stdioServer } from '../kit/servers.ts';

describe('secret', () => {
  it('reads a secret from stdin, lists it without its value, passes it to the server that refers to it, and removes it', async () => {
    await using home = openCliHome();
    home.configure({ x: stdioServer({}, { env: { MY_KEY: '$secret:MY_KEY' } }) });
    const missing = await home.run(['call', 'x.env']);
    expect(missing).toMatchObject({ code: 4, stdout: '' });
    expect(missing.stderr).toContain('servers.x.env.MY_KEY refers to $secret:MY_KEY');
    expect(missing.stderr).toContain('pincer secret set MY_KEY');

    expect(await home.run(['secret', 'set', 'MY_KEY'], { input: 's3cret $value\n' })).toEqual({
      code: 0,
      stdout: 'MY_KEY is saved in the vault.\n',
      stderr: 'The running hub uses it.\n',
    });
    const { document } = await home.json(['call', 'x.env']);
    expect(JSON.stringify(document)).toContain('"MY_KEY":"s3cret $value"');

    const list = await home.json(['secret', 'list']);
    expect(list.document).toMatchObject({
      ok: true,
      secrets: [{ name: 'MY_KEY', state: 'ok', usedBy: ['servers.x.env.MY_KEY'] }],
    });
    expect((await home.run(['secret', 'list'])).stdout).toMatch(
      /^● {2}MY_KEY +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d +servers\.x\.env\.MY_KEY$/m,
    );
    for (const file of readdirSync(join(home.path, 'secrets')))
      expect(readFileSync(join(home.path, 'secrets', file), 'latin1')).not.toContain('s3cret');

    expect(await home.run(['secret', 'unset', 'MY_KEY'])).toMatchObject({
      code: 0,
      stdout: 'MY_KEY is deleted.\n',
      stderr: 'The configuration still refers to it in servers.x.env.MY_KEY. Change that, too.\n',
    });
    expect(await home.run(['secret', 'unset', 'MY_KEY'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('prints what to do next: refer to it, enable the waiting server, reload the hub', async () => {
    await using home = openCliHome();
    const hints = async (name: string): Promise<string> =>
      (await home.run(['secret', 'set', name], { input: 'v' })).stderr;
    expect(await hints('A')).toBe(`Refer to it in ${home.path}/config.json as "$secret:A".\n`);
    home.configure({
      off: { url: 'https://a.example/mcp', apiKey: '$secret:A', enabled: false },
      on: { command: 'x', args: ['$secret:B'] },
    });
    expect(await hints('A')).toBe('off is switched off. To use it: pincer set off enabled true\n');
    expect(await hints('B')).toBe('');
    await home.run(['token', 'list']);
    expect(await hints('B')).toBe('The running hub uses it.\n');
  });

  it('refuses an unknown secret, and a name that no setting could refer to', async () => {
    await using home = openCliHome();
    expect(await home.run(['secret', 'set', 'A'])).toMatchObject({ code: 2, stdout: '' });
    expect(await home.run(['secret', 'set', 'a b'], { input: 'x' })).toMatchObject({ code: 2, stdout: '' });
    expect((await home.json(['secret', 'unset', 'A'])).document).toMatchObject({
      ok: false,
      error: { type: 'usage', code: 'SECRET_UNKNOWN' },
    });
    expect(readdirSync(home.path)).toEqual([]);
  });

  it('hides a secret typed at a terminal', async () => {
    await using home = openCliHome();
    await using terminal = openOnTerminal(['secret', 'set', 'TYPED'], { PINCER_HOME: home.path });
    await terminal.until('not shown while you type): ');
    terminal.type('s3cret-typed\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.seen()).toContain('TYPED is saved in the vault.');
    expect(terminal.seen()).not.toContain('s3cret-typed');
    expect((await home.json(['secret', 'list'])).document).toMatchObject({ secrets: [{ name: 'TYPED' }] });
  });

  it('never replaces a lost key, and tells the person what to do', async () => {
    await using home = openCliHome();
    await home.run(['secret', 'set', 'A'], { input: 'a' });
    const key = join(home.path, 'master-key.txt');
    const text = readFileSync(key, 'utf8');
    rmSync(key);
    const { code, document } = await home.json(['secret', 'set', 'B'], { input: 'b' });
    expect(code).toBe(1);
    expect(document).toMatchObject({ ok: false, error: { code: 'VAULT_UNREADABLE' } });
    expect((await home.run(['secret', 'list'])).stdout).toContain('key is gone');
    writeFileSync(join(home.path, 'elsewhere'), text, { mode: 0o600 });
    const env = { PINCER_MASTER_KEY_FILE: join(home.path, 'elsewhere') };
    expect(await home.run(['secret', 'set', 'B'], { input: 'b', env })).toMatchObject({ code: 0 });
  });
});
