import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { openOnTerminal } from '../kit/terminal.ts';
import { stdioCommand } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

/** The discard port, on which no program listens. */
const NOWHERE = 'http://127.0.0.1:9/mcp';

let home: CliHome;
const file = (): string => join(home.path, 'config.json');
const written = (): string => readFileSync(file(), 'utf8');
const toolsOf = async (server: string): Promise<string[]> => {
  const { document } = await home.json(['show', server]);
  return (document['server'] as { offer: { tools: string[] } }).offer.tools;
};

beforeAll(async () => {
  home = openCliHome();
  const x = stdioServer({ tools: ['add', 'echo', 'pid', 'env'] }, { env: { MY_TOKEN: 'in-the-clear' } });
  writeFileSync(
    file(),
    `// mine
{
  servers: {
    x: ${JSON.stringify(x)}, // the first
    down: { url: '${NOWHERE}' },
    off: { url: 'https://example.com/mcp', enabled: false },
  },
}
`,
    { mode: 0o600 },
  );
  home.start(['up', '--port', '0']);
  await eventually(() => home.hubPid() !== undefined);
  await home.run(['tools', 'x']);
});
afterAll(() => home[Symbol.asyncDispose]());

describe('commands about servers', () => {
  it('show hides secrets, and lists what the server offers', async () => {
    const { code, stdout } = await home.run(['show', 'x']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^● x {2}Running \(\d+\)\n/);
    expect(stdout).toMatch(/tools +add, echo, env, pid\n/);
    expect(stdout).toContain('"MY_TOKEN": "(hidden)"');
    const { document } = await home.json(['get', 'x']);
    expect(document).toMatchObject({
      ok: true,
      server: {
        name: 'x',
        word: 'Running',
        config: { env: { MY_TOKEN: '(hidden)' } },
        offer: { isKnown: true },
      },
    });
    expect((await home.json(['show'])).document['servers']).toHaveLength(3);
    expect(await home.run(['show', 'dwon'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean down?') as string,
    });
  });

  it('status shows since when, the error, and the next retry', async () => {
    verifies('004-3.1-health');
    const { code, stdout } = await home.run(['status', 'down']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✗ down {2}Disconnected for \d+ m?s/);
    expect(stdout).toContain('Server "down" cannot be reached');
    const { document } = await home.json(['status', 'down']);
    expect(document).toMatchObject({
      server: {
        state: 'backoff',
        since: expect.any(Number) as number,
        error: { code: 'SERVER_UNREACHABLE' },
      },
    });
    const all = await home.run(['status']);
    expect(all.stdout).toMatch(/^● Pincer .* is running in the foreground, process \d+\.$/m);
    expect(all.stdout).toMatch(/^● {2}x +Running \(\d+\) +\d+ m?s +legacy +4 /m);
  });

  it('probe connects to all, and exits with the worst code', async () => {
    const { code, stdout } = await home.run(['probe', 'x']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ {2}x {2}\d+ m?s {2}legacy {2}4 tools/);
    const all = await home.json(['probe']);
    expect(all.code).toBe(4);
    expect(all.document).toMatchObject({
      ok: false,
      error: { code: 'SERVER_UNREACHABLE' },
      servers: [
        { ok: true, name: 'x', tools: ['add', 'echo', 'env', 'pid'] },
        { ok: false, name: 'down' },
      ],
    });
    expect(await home.run(['probe', 'off'])).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('settings', () => {
  it('are typed, validated, written without losing comments, and applied at once', async () => {
    const set = await home.run(['set', 'x', 'requestTimeoutMs', '60000']);
    expect(set).toEqual({
      code: 0,
      stdout: 'x.requestTimeoutMs is 60000.\n',
      stderr: 'The running hub has applied it: x changed, 1 server unchanged.\n',
    });
    expect(written()).toContain('// the first');
    expect(written()).toContain('"requestTimeoutMs": 60000');
    expect(await home.run(['set', 'x', 'env.GREETING=hi', 'policy.echo=deny'])).toMatchObject({ code: 0 });
    expect(await home.run(['call', 'x.echo', 'message=a'])).toMatchObject({ code: 6 });
    expect((await home.run(['call', 'x.env'])).stdout).toContain('GREETING');
    expect(await home.run(['unset', 'x', 'policy', 'env.GREETING'])).toMatchObject({ code: 0 });
    expect(await home.run(['call', 'x.echo', 'message=a'])).toMatchObject({ code: 0, stdout: 'a\n' });
    expect((await home.json(['configure', 'x', '--set', 'start=lazy'])).document).toMatchObject({
      ok: true,
      changes: [{ path: 'servers.x.start', value: 'lazy' }],
      reload: { changed: ['x'] },
    });
  });

  it('are prompted for on a terminal', async () => {
    await using terminal = openOnTerminal(['configure', 'down'], { PINCER_HOME: home.path });
    await terminal.until('[http://127.0.0.1:9/mcp]');
    for (const [key, answer] of [
      ['url', ''],
      ['apiKey', ''],
      ['headers', 'X-Team=blue'],
      ['enabled', 'perhaps'],
      ['enabled must be true or false', ''],
      ['start', 'lazy'],
    ]) {
      await terminal.until(key!);
      terminal.type(`${answer}\n`);
    }
    for (const key of ['trust', 'policy', 'include', 'exclude', 'connectTimeoutMs', 'requestTimeoutMs']) {
      await terminal.until(key);
      terminal.type('\n');
    }
    expect(await terminal.ended).toBe(0);
    expect(written()).toContain('{ "X-Team": "blue" }');
    await home.run(['unset', 'down', 'headers', 'start']);
  });

  it('with a secret in clear text are accepted with a warning, and not shown', async () => {
    const { code, stdout, stderr } = await home.run(['set', 'down', 'apiKey', 'sk-1234']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'down.apiKey is "(hidden)".\n' });
    expect(stderr).toContain('pincer secret set DOWN_API_KEY');
    expect(stdout + stderr).not.toContain('sk-1234');
    await home.run(['unset', 'down', 'apiKey']);
  });

  it.each<[args: string[], code: number, says: string]>([
    [['set', 'x', 'tolPrefix', 'y'], 2, 'did you mean "toolPrefix"?'],
    [['set', 'x', 'requestTimeoutMs', '0'], 1, 'servers.x.requestTimeoutMs: must be at least 1'],
    [['set', 'x', 'url', 'https://example.com'], 1, 'a stdio server takes no url'],
    [['set', 'y', 'enabled', 'true'], 2, 'No server "y" is configured.'],
    [['set', 'down', 'apiKey', '$PINCER_TEST_NOWHERE'], 1, 'PINCER_TEST_NOWHERE is not set'],
    [['unset', 'x', 'cwd'], 2, 'servers.x.cwd is not set.'],
    [['unset', 'nobody'], 2, 'No server "nobody" is configured.'],
    [['configure', 'x'], 2, 'This command asks questions, but there is no terminal to answer on.'],
    [['configure', 'x', '--set', 'trust=maybe'], 2, 'one of ask, pin, always'],
    [['set', 'device', '{"command":"x"}'], 1, 'this name is reserved'],
  ])('%j changes nothing and exits with %i', async (args, code, says) => {
    const before = written();
    const { code: ended, stdout, stderr } = await home.run(args);
    expect({ ended, stdout }).toEqual({ ended: code, stdout: '' });
    expect(stderr).toContain(says);
    expect(written()).toBe(before);
  });

  it('can add a whole server, which the hub starts, and remove it', async () => {
    const { command, args } = stdioCommand({ tools: ['echo'] });
    const set = await home.run(['set', 'y', JSON.stringify({ command, args })]);
    expect(set).toMatchObject({ code: 0, stdout: 'y is set.\n' });
    expect(set.stderr).toContain('y added');
    expect(await home.run(['call', 'y.echo', 'message=new'])).toMatchObject({ code: 0, stdout: 'new\n' });
    expect(await home.run(['remove', 'y'])).toMatchObject({ code: 0, stdout: 'y is removed.\n' });
    expect(await home.run(['call', 'y.echo', 'message=new'])).toMatchObject({ code: 2 });
  });

  it('select which tools are offered', async () => {
    const filtered = await home.run(['tools', 'x', '--include', 'e*,add', '--exclude', 'x__env']);
    expect(filtered).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('x offers 2 tools now.') as string,
    });
    expect(await toolsOf('x')).toEqual(['add', 'echo']);
    expect(await home.run(['call', 'x.pid'])).toMatchObject({ code: 2 });
    await home.run(['tools', 'x', '--clear']);
    expect(await toolsOf('x')).toEqual(['add', 'echo', 'env', 'pid']);
    expect(await home.run(['tools', '--clear'])).toMatchObject({ code: 2 });
  });
});

describe('a configuration edited by hand', () => {
  it('is reported if it cannot be read, while the hub keeps running', async () => {
    const before = written();
    writeFileSync(file(), before.replace('off: {', 'off: {{'));
    const reload = await home.run(['reload']);
    expect(reload).toMatchObject({ code: 1, stdout: '' });
    expect(reload.stderr).toMatch(/is not JSON5: .*\d+:\d+\.\n/);
    const list = await home.run(['list']);
    expect(list).toMatchObject({ code: 0, stderr: expect.stringContaining('The hub still uses') as string });
    expect((await home.json(['list'])).document['configProblem']).toContain('is not JSON5');
    expect(await home.run(['call', 'x.echo', 'message=a'])).toMatchObject({ code: 0 });
    expect(await home.run(['set', 'x', 'trust', 'pin'])).toMatchObject({ code: 1 });
    writeFileSync(file(), before);
    expect(await home.run(['reload'])).toMatchObject({
      code: 0,
      stdout: 'Reloaded: nothing has changed, 2 servers unchanged.\n',
    });
    expect((await home.json(['status'])).document['configProblem']).toBeNull();
  });

  it('is checked by doctor, line by line', async () => {
    const { code, document } = await home.json(['doctor', '--probe']);
    expect(code).toBe(1);
    const findings = document['findings'] as { path: string; severity: string; message: string }[];
    const of = (path: string): (typeof findings)[number] | undefined =>
      findings.find((finding) => finding.path === path);
    expect(of('servers.x')).toMatchObject({
      severity: 'ok',
      message: expect.stringMatching(/^Answers in .*: 4 tools\.$/) as string,
    });
    expect(of('servers.down')).toMatchObject({ severity: 'error' });
    expect(of('servers.x.env.MY_TOKEN')).toMatchObject({ severity: 'warn' });
    expect(JSON.stringify(document)).not.toContain('in-the-clear');
  });
});
