/** `pincer token … --app`: tokens of apps, in config.json and in a running hub. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfigText } from '../../packages/hub/src/config/read-file.ts';
import { openCliHome, type CliHome } from '../kit/cli.ts';

interface AppEntry {
  name: string;
  tokenHash: string;
  origins: string[];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const pathOf = (home: CliHome): string => join(home.path, 'config.json');
const textOf = (home: CliHome): string => readFileSync(pathOf(home), 'utf8');
const appsOf = (home: CliHome): AppEntry[] =>
  (parseConfigText(textOf(home), 'config.json') as { proxy?: { apps?: AppEntry[] } }).proxy?.apps ?? [];

const COMMENTED = `// my hub
{
  proxy: {
    // who may register
    apps: [
      { name: 'old', tokenHash: '${'ab'.repeat(32)}' }, // the tablet
    ],
  },
}
`;

describe('a token of an app', () => {
  it('is created without a hub, shown once, and stored as a digest', async () => {
    await using home = openCliHome();
    const origins = ['--origin', 'https://app.example.com', '--origin', 'http://localhost:5173'];
    const { code, stdout, stderr } = await home.run(['token', 'add', 'web', '--app', ...origins]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\w-]{43}\n$/);
    const token = stdout.trim();
    expect(appsOf(home)).toEqual([
      {
        name: 'web',
        tokenHash: sha256(token),
        origins: ['https://app.example.com', 'http://localhost:5173'],
      },
    ]);
    expect(stderr).toContain('This is the token of the app "web". It is not shown again.');
    expect(stderr).toContain('pincer up');
    expect(stderr).toContain('POST http://127.0.0.1:8000/v1/chat/sessions');
    expect(stderr + textOf(home)).not.toContain(token);
    expect(home.hubPid()).toBeUndefined();
  });

  it('leaves the comments in the file when it is added and removed', async () => {
    await using home = openCliHome();
    writeFileSync(pathOf(home), COMMENTED, { mode: 0o600 });
    const { code, document } = await home.json(['token', 'add', 'web', '--app']);
    expect(code).toBe(0);
    expect(document).toEqual({
      ok: true,
      name: 'web',
      kind: 'app',
      origins: [],
      token: expect.stringMatching(/^[\w-]{43}$/),
      reload: null,
    });
    expect(appsOf(home).map(({ name }) => name)).toEqual(['old', 'web']);
    for (const comment of ['// my hub', '// who may register', '// the tablet'])
      expect(textOf(home)).toContain(comment);
    expect(await home.run(['token', 'revoke', 'web'])).toEqual({
      code: 0,
      stdout: 'Token "web" is revoked.\n',
      stderr: '',
    });
    expect(textOf(home)).toBe(COMMENTED);
    expect(home.hubPid()).toBeUndefined();
  });

  it.each<[args: string[], says: string]>([
    [['apps', '--app'], 'proxy.apps[0].name: this name is reserved'],
    [['anonymous', '--app'], 'proxy.apps[0].name: this name is reserved'],
    [['a b', '--app'], 'proxy.apps[0].name: an app name is'],
    [['docs', '--app'], 'proxy.apps[0].name: already belongs to the server docs'],
    [['web', '--app', '--origin', 'https://a.example/x'], 'proxy.apps[0].origins[0]: must be an origin'],
    [['web', '--app', '--server', 'docs'], '--app can be combined only with --origin'],
    [['web', '--origin', 'https://a.example'], '--origin works only with --app'],
  ])('refuses %j and writes nothing', async (args, says) => {
    await using home = openCliHome();
    home.configure({ docs: { url: 'https://docs.example/mcp', enabled: false } });
    const before = textOf(home);
    const { code, stdout, stderr } = await home.run(['token', 'add', ...args]);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(says);
    expect(textOf(home)).toBe(before);
  });

  it('has a unique name, is listed beside other tokens, and is applied by a running hub', async () => {
    await using home = openCliHome();
    home.configure({});
    expect((await home.run(['token', 'add', 'laptop', '--read-only'])).code).toBe(0);
    const pid = home.hubPid();
    expect(pid).toBeDefined();
    const taken = await home.run(['token', 'add', 'laptop', '--app']);
    expect(taken).toMatchObject({ code: 2, stdout: '' });
    expect(taken.stderr).toContain('A token "laptop" already exists.');

    const { document } = await home.json(['token', 'add', 'web', '--app', '--origin', 'https://a.example']);
    expect(document).toMatchObject({ ok: true, reload: { needsRestart: [] } });
    expect((await home.run(['token', 'add', 'web', '--app'])).stderr).toContain('already exists');
    expect((await home.run(['token', 'add', 'web'])).stderr).toContain(
      'An app already has a token named "web"',
    );

    expect((await home.json(['token', 'list'])).document).toEqual({
      ok: true,
      tokens: [
        { name: 'laptop', kind: 'client', scopes: { readOnly: true }, createdAt: expect.any(String) },
        { name: 'web', kind: 'app', origins: ['https://a.example'] },
      ],
    });
    expect((await home.run(['token', 'list'])).stdout).toMatch(
      /^web +app +the app proxy, from pages of https:\/\/a\.example$/m,
    );

    const revoked = await home.run(['token', 'revoke', 'web', '--json']);
    expect(JSON.parse(revoked.stdout)).toEqual({ ok: true, name: 'web' });
    expect(revoked.stderr).toContain('No app has a token now.');
    expect(appsOf(home)).toEqual([]);
    expect((await home.run(['token', 'revoke', 'laptop'])).code).toBe(0);
    expect((await home.run(['token', 'revoke', 'web'])).stderr).toContain('There is no token "web"');
    expect(home.hubPid()).toBe(pid);
  });
});
