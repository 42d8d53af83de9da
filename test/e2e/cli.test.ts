import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { eventually, isAlive } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { startHttpServer, stdioCommand } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

/** The discard port, on which no program listens. */
const NOWHERE = 'http://127.0.0.1:9/mcp';
const TOKEN = /^[\w-]{43}\n$/;

describe('a hub in the foreground', () => {
  it('prints its addresses and the next steps, and refuses a second hub', async () => {
    await using home = openCliHome();
    const up = home.start(['up', '--port', '0']);
    expect(await eventually(() => up.stdout().includes('pincer add'))).toBe(true);
    const mcp = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(up.stdout())?.[0];
    expect(up.stdout()).toContain(
      `claude mcp add --transport http pincer ${mcp} --header "Authorization: Bearer $(cat ${home.path}/mcp-token.txt)"`,
    );
    const second = await home.run(['up', '--port', '0']);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`process ${up.child.pid}, ${mcp}`);
    expect((await home.json(['up', '--port', '0'])).document).toMatchObject({
      ok: false,
      error: { type: 'failure', code: 'HUB_RUNNING', docs: 'docs/errors.md#hub_running' },
    });
    up.child.kill('SIGTERM');
    expect(await up.ended).toMatchObject({ code: 0 });
  });

  it('exits with 130 on Ctrl+C, and writes only its log to stderr', async () => {
    await using home = openCliHome();
    // The app proxy has no token. It warns about that only when the first app connects.
    const env = { OPENCLAW_PROXY_APP_TOKEN: '', OPENCLAW_PROXY_OPENCLAW_TOKEN: '' };
    const up = home.start(['up', '--port', '0', '--json'], { env });
    expect(await eventually(() => up.stdout().endsWith('}\n'))).toBe(true);
    expect(JSON.parse(up.stdout())).toMatchObject({ ok: true, hub: { pid: up.child.pid, servers: [] } });
    up.child.kill('SIGINT');
    expect(await up.ended).toMatchObject({ code: 130, stderr: '' });
  });
});

describe('a hub that ends slowly', () => {
  it('exits at once on a second signal, and the next hub cleans up', async () => {
    await using home = openCliHome();
    home.configure({ stubborn: stdioServer({ ignoreStdinEnd: true, ignoreSigterm: true }) });
    const up = home.start(['up', '--port', '0']);
    await eventually(() => home.hubPid() !== undefined);
    const { document } = await home.json(['call', 'stubborn.pid']);
    const { pid } = (document['result'] as { structuredContent: { pid: number } }).structuredContent;
    up.child.kill('SIGINT');
    await eventually(() => home.hubPid() === undefined);
    up.child.kill('SIGINT');
    expect(await up.ended).toMatchObject({ code: 130 });
    expect(isAlive(pid)).toBe(true);
    await home.run(['token', 'list']);
    expect(isAlive(pid)).toBe(false);
  });
});

describe('with servers', () => {
  let home: CliHome;
  beforeAll(async () => {
    home = openCliHome();
    home.configure(
      {
        x: stdioServer({}, { policy: { sink: 'deny' } }),
        down: { url: NOWHERE },
        off: { url: 'https://example.com/mcp', enabled: false },
      },
      { limits: { idleExitMs: 60_000 } },
    );
    home.start(['up', '--port', '0']);
    await eventually(() => home.hubPid() !== undefined);
    await home.run(['tools']);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it('list shows each server with the states of the contract', async () => {
    // A server that is down is retried, and shown as connecting meanwhile.
    const isTried = (text: string): boolean => /connecting/i.test(text);
    let listed = await home.run(['list']);
    for (let tries = 0; isTried(listed.stdout) && tries < 20; tries++) listed = await home.run(['list']);
    const { code, stdout, stderr } = listed;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^● {2}x +Running.* +22 +stdio /m);
    expect(stdout).toMatch(/^✗ {2}down +Disconnected +- +http +http:\/\/127\.0\.0\.1:9\/mcp$/m);
    expect(stdout).toMatch(/^- {2}off +Disabled/m);
    let { document } = await home.json(['list']);
    for (let tries = 0; isTried(JSON.stringify(document)) && tries < 20; tries++)
      ({ document } = await home.json(['list']));
    expect(document).toMatchObject({
      ok: true,
      hub: { pid: home.hubPid(), mode: 'foreground' },
      servers: [
        { name: 'x', state: 'ready', word: 'Running', tools: 22 },
        { name: 'down', state: 'backoff', error: { code: 'SERVER_UNREACHABLE' } },
        { name: 'off', state: 'disabled' },
      ],
    });
  });

  it('tools shows signatures and example commands, and the examples work', async () => {
    const { code, stdout, stderr } = await home.run(['tools', 'x']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      '  add(a: number, b: number): { sum: number }\n    Adds two numbers. [read-only]\n',
    );
    const line = /\$ pincer (call x\.add .*)/.exec(stdout)![1]!;
    expect(await home.run(line.split(' '))).toMatchObject({ code: 0, stdout: '2\n' });
    const { document } = await home.json(['tools', 'x']);
    expect(document['tools']).toHaveLength(22);
    expect((await home.run(['tools'])).stderr).toContain('down: Server "down" cannot be reached');
    expect(await home.run(['tools', 'down'])).toMatchObject({ code: 4, stdout: '' });
    expect(await home.run(['tools', 'z'])).toMatchObject({ code: 2 });
  });

  it('call converts its arguments by the schema, and passes JSON unchanged', async () => {
    expect(await home.run(['call', 'x.echo', 'message=42'])).toEqual({ code: 0, stdout: '42\n', stderr: '' });
    expect(await home.run(['call', 'x.add', 'a=2', 'b=3'])).toMatchObject({ code: 0, stdout: '5\n' });
    expect(await home.run(['call', 'x.echo', '--args', '{"message":"héllo"}'])).toMatchObject({
      stdout: 'héllo\n',
    });
    const input = '{"message":"from stdin"}';
    expect(await home.run(['call', 'x.echo', '--args', '-'], { input })).toMatchObject({
      stdout: 'from stdin\n',
    });
    expect(await home.run(['--json', 'call', 'x.echo', 'message=a'])).toMatchObject({
      stdout: '{"ok":true,"result":{"content":[{"type":"text","text":"a"}]}}\n',
    });
  });

  it('call preserves numbers beyond 2^53 in both directions', async () => {
    const big = '99999999999999999999';
    const sent = await home.run(['call', 'x.raw', '--args', `{"n":${big}}`]);
    expect(sent.stdout).toContain(`"n":${big}`);
    const literal = `{"content":[],"structuredContent":{"n":${big}}}`;
    const { stdout } = await home.run(['call', 'x.big_number', `literal=${literal}`, '--json']);
    expect(stdout).toBe(`{"ok":true,"result":${literal}}\n`);
    expect((await home.run(['call', 'x.big_number', `literal=${literal}`])).stdout).toBe(
      `{\n  "n": ${big}\n}\n`,
    );
  });

  it.each<[args: string[], code: number, error: string, says: string]>([
    [['x.echo', 'mesage=a'], 2, 'ARGUMENT_INVALID', 'Did you mean message=…?'],
    [['x.add', 'a=1'], 2, 'ARGUMENT_INVALID', 'x.add needs argument "b".'],
    [['x.add', 'a=1', 'b=two'], 2, 'ARGUMENT_INVALID', 'Argument "b" must be a number'],
    [['x.echo', '--args', '[]'], 2, 'ARGUMENT_INVALID', 'not a JSON object'],
    [['x.ecko', 'message=a'], 2, 'TOOL_UNKNOWN', 'Did you mean x.echo?'],
    [['x.ecko', '--args', '{}'], 2, 'TOOL_UNKNOWN', 'Did you mean x.echo?'],
    [['dwon.echo', '--args', '{}'], 2, 'SERVER_UNKNOWN', 'Did you mean down.echo?'],
    [['echo'], 2, 'USAGE', 'is not SERVER.TOOL'],
    [['down.echo', 'message=a'], 4, 'SERVER_UNREACHABLE', 'cannot be reached'],
    [['x.hang', '--args', '{}', '--timeout', '200'], 4, 'CALL_TIMEOUT', 'within 200 ms'],
    [['x.rpc_error', 'code=-32077', 'message=go away'], 5, 'TOOL_ERROR', 'error -32077: go away'],
    [['x.sink', 'data=a'], 6, 'POLICY_DENIED', ''],
  ])('call %j exits with %i, %s', async (args, code, error, says) => {
    const text = await home.run(['call', ...args]);
    expect(text).toMatchObject({ code, stdout: '' });
    expect(text.stderr).toContain(says);
    expect(text.stderr).toContain(`more: pincer explain ${error}\n`);
    expect(text.stderr).not.toContain('    at ');
    const { code: again, document } = await home.json(['call', ...args]);
    expect(again).toBe(code);
    expect(document).toMatchObject({ ok: false, error: { code: error } });
  });

  it("call prints a failed tool's message and exits with 5", async () => {
    expect(await home.run(['call', 'x.fail', 'message=no'])).toEqual({
      code: 5,
      stdout: 'no\n',
      stderr: 'x.fail reported an error.\n',
    });
    const { code, document } = await home.json(['call', 'x.fail', 'message=no']);
    expect(code).toBe(5);
    expect(document).toMatchObject({
      ok: false,
      error: { type: 'tool_error', code: 'TOOL_ERROR', message: 'no' },
      result: { isError: true },
    });
  });

  it('call exits with 130 when interrupted, and cancels', async () => {
    const look = async (): Promise<{ running: string[]; count: number }> => {
      const { document } = await home.json(['call', 'x.cancelled']);
      return (document['result'] as { structuredContent: { running: string[]; count: number } })
        .structuredContent;
    };
    const { count } = await look();
    const hanging = home.start(['call', 'x.slow', 'ms=60000']);
    expect(await eventually(async () => (await look()).running.includes('slow'))).toBe(true);
    hanging.child.kill('SIGINT');
    expect(await hanging.ended).toMatchObject({ code: 130, stdout: '' });
    expect(await eventually(async () => (await look()).count > count)).toBe(true);
  });

  it('token creates, lists and revokes', async () => {
    const made = await home.run([
      'token',
      'add',
      'laptop',
      '--server',
      'x',
      '--tool',
      'x.echo',
      '--read-only',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: 'This is the token "laptop". It is not shown again.\n' });
    expect(made.stdout).toMatch(TOKEN);
    const list = await home.run(['token', 'list']);
    expect(list.stdout).toMatch(/^laptop +client +\d{4}-\d\d-\d\d +servers x and tools x\.echo, read-only$/m);
    expect(list.stdout + list.stderr).not.toContain(made.stdout.trim());
    expect((await home.run(['token', 'add', 'laptop'])).code).toBe(2);
    expect((await home.json(['token', 'list'])).document).toMatchObject({
      tokens: [{ name: 'laptop', scopes: { servers: ['x'], tools: ['x.echo'], readOnly: true } }],
    });
    expect(await home.run(['token', 'revoke', 'laptop'])).toMatchObject({
      code: 0,
      stdout: 'Token "laptop" is revoked.\n',
    });
    expect((await home.run(['token', 'revoke', 'laptop'])).code).toBe(2);
  });

  it('doctor reports the server that is down', async () => {
    const { code, stdout } = await home.run(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ {2}servers\.down +Disconnected: Server "down" cannot be reached/m);
    const { document } = await home.json(['doctor']);
    expect(document).toMatchObject({ ok: false, error: { code: 'SERVER_UNREACHABLE' } });
    expect(document['findings']).toContainEqual({
      severity: 'ok',
      path: 'servers.x',
      message: expect.stringMatching(/^Running/) as string,
    });
  });
});

describe('add', () => {
  it('saves a working server, and lists its tools', async () => {
    await using home = openCliHome();
    await using server = await startHttpServer({ tools: ['echo', 'add'] });
    const added = await home.run(['add', 'web', server.url]);
    expect(added).toMatchObject({ code: 0, stderr: `Saved in ${home.path}/config.json\n` });
    expect(added.stdout).toBe(
      '● web is connected: 2 tools.\n  add   Adds two numbers.\n  echo  Returns the message.\n\nNext: pincer tools web\n',
    );
    const { command, args } = stdioCommand({ tools: ['env'] });
    const env = ['--env', 'GREETING=hi', '--env', 'MY_TOKEN=$PINCER_TEST_SECRET'];
    // A background hub has the variables of the command that started it.
    const withSecret = { env: { PINCER_TEST_SECRET: 's3cret' } };
    const add = ['--json', 'add', 'local', ...env, '--', command, ...args];
    expect(await home.run(add, withSecret)).toMatchObject({ code: 1 });
    process.kill(home.hubPid()!, 'SIGTERM');
    await eventually(() => home.hubPid() === undefined);
    const { code, stdout } = await home.run(add, withSecret);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      server: { name: 'local', command, env: { MY_TOKEN: '$PINCER_TEST_SECRET' } },
      tools: [{ server: 'local', name: 'env' }],
    });
    expect((await home.run(['call', 'local.env', '--json'])).stdout).toContain('s3cret');
    expect((await home.run(['list'])).stdout).toContain('2 servers');
    expect((await home.run(['add', 'web', server.url])).stderr).toContain('already exists');
  });

  it('saves nothing if the server does not work, and reports why', async () => {
    await using home = openCliHome();
    const refused = await home.run(['add', 'web', NOWHERE]);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toMatch(/cannot be reached .* Nothing was saved\.\nhint: /);
    expect((await home.run(['add', 'cmd', '--', 'no-such-command'])).stderr).toContain('no such command');
    const secret = await home.run(['add', 'web', NOWHERE, '--header', 'Authorization: Bearer abc']);
    expect(secret).toMatchObject({ code: 2, stdout: '' });
    expect(secret.stderr).toContain('looks like a secret');
    expect((await home.json(['list'])).document).toMatchObject({ servers: [] });
  });
});

describe('without a hub', () => {
  it('list and doctor connect to nothing and start nothing', async () => {
    await using home = openCliHome();
    const empty = await home.run(['list']);
    expect(empty.stdout).toMatch(/^No servers yet\. Add one:\n {2}pincer add /);
    expect(empty.stderr).toContain('No hub is running');
    home.configure({ x: stdioServer() });
    expect((await home.run(['list'])).stdout).toMatch(/^○ {2}x +Idle/m);
    expect((await home.json(['list'])).document).toMatchObject({ hub: null, servers: [{ state: 'idle' }] });
    const env = { OPENCLAW_MCP_PORT: '0' };
    const { code, stdout } = await home.run(['doctor'], { env });
    expect({ code, isWell: stdout.endsWith('No problems found.\n') }).toEqual({ code: 0, isWell: true });
    home.configure({ x: {} });
    const broken = await home.json(['doctor'], { env });
    expect(broken).toMatchObject({ code: 1, document: { ok: false, error: { code: 'CONFIG_INVALID' } } });
    expect(home.hubPid()).toBeUndefined();
  });

  it('reports mistakes in a command line', async () => {
    verifies('000-history-version-shown', '000-history-english');
    await using home = openCliHome();
    const typo = await home.run(['lst']);
    expect(typo).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Unknown command "lst".\nhint: Did you mean list?\nmore: pincer explain USAGE\n',
    });
    expect(await home.json(['lst'])).toMatchObject({
      code: 2,
      document: { ok: false, error: { code: 'USAGE' } },
    });
    expect((await home.run(['lst', '--debug'])).stderr).toContain('    at ');
    expect((await home.run(['lst'], { env: { FORCE_COLOR: '1' } })).stderr).toContain('\u001b[31m');
    expect(await home.run(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
    const help = await home.run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    const lines = help.stdout.split('\n');
    expect(lines.length).toBeLessThan(80);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(help.stdout).toContain('130 interrupted');
    expect((await home.run([])).stdout).toBe(help.stdout);
    const german = { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de' };
    expect((await home.run(['--help'], { env: german })).stdout).toBe(help.stdout);
    expect((await home.run(['call', '--help'])).stdout).toContain('--timeout');
  });
});

describe('explain', () => {
  it('prints the section about a code, offline, and lists all codes', async () => {
    await using home = openCliHome();
    const { code, stdout } = await home.run(['explain', 'port_busy']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PORT_BUSY\n\nAnother program listens on the port\./);
    expect(stdout).toContain('What to do. ');
    expect(stdout).not.toMatch(/\]\(|\*\*/);
    const { document } = await home.json(['explain']);
    const { codes } = document as { codes: { code: string }[] };
    for (const each of codes) expect((await home.json(['explain', each.code])).code, each.code).toBe(0);
    expect((await home.run(['explain', 'PRT_BUSY'])).stderr).toContain('Did you mean PORT_BUSY?');
  });
});
