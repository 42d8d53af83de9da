import { describe, expect, it } from 'vitest';
import { expectProgress } from '../kit/expect-progress.ts';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { ENTRY, readHubFile } from '../kit/hub.ts';
import { eventually, isAlive } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { openStdio, type Program } from '../kit/stdio.ts';
import type { Era } from '../servers/flags.ts';
import { connectSdk } from '../servers/sdk-clients.ts';

const ask = (id: number, name: string, args: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

/** The hub requests its servers' tools when a client lists them. */
const LIST = '{"jsonrpc":"2.0","id":0,"method":"tools/list"}';

const stdioOf = (home: CliHome, ...more: string[]): Program => ({
  command: process.execPath,
  args: [ENTRY, 'stdio', ...more],
  env: { PINCER_HOME: home.path },
});

function openHome(): CliHome {
  const home = openCliHome();
  home.configure({ x: stdioServer({ era: 'dual' }) });
  return home;
}

describe('a hub in the background', () => {
  it('is started by a call, reused by the next, and ends when idle', async () => {
    await using home = openCliHome();
    home.configure({ x: stdioServer() }, { limits: { idleExitMs: 1_500 } });
    // A new hub has not connected to the server yet.
    expect(await home.run(['call', 'x.echo', '--args', '{"message":"a"}'])).toEqual({
      code: 0,
      stdout: 'a\n',
      stderr: '',
    });
    const pid = home.hubPid()!;
    expect(readHubFile(home.path)).toMatchObject({ mode: 'background' });
    expect(await home.run(['call', 'x.echo', 'message=b'])).toMatchObject({ stdout: 'b\n' });
    expect(home.hubPid()).toBe(pid);
    expect(await eventually(() => !isAlive(pid))).toBe(true);
    expect(home.hubPid()).toBeUndefined();
  });

  it('gives way to `up`, unless it is in use', async () => {
    await using home = openHome();
    const client = openStdio(stdioOf(home));
    await client.ask(LIST);
    const pid = home.hubPid()!;
    const refused = await home.run(['up', '--port', '0']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`process ${pid}`);
    expect(refused.stderr).toContain('in use by 1 client');
    client.end();
    expect(await client.exited).toBe(0);
    const up = home.start(['up', '--port', '0']);
    expect(await eventually(() => up.stdout().includes('is running'))).toBe(true);
    expect(await eventually(() => !isAlive(pid))).toBe(true);
    expect(home.hubPid()).toBe(up.child.pid);
    expect(await home.run(['call', 'x.echo', 'message=c'])).toMatchObject({ stdout: 'c\n' });
  });

  it('fails with the last lines of its log if it cannot start', async () => {
    await using home = openCliHome();
    home.configure({ x: {} });
    const { code, stdout, stderr } = await home.run(['call', 'x.echo', 'message=a']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('servers.x.url');
  });
});

describe('stdio', () => {
  it('warns on stderr if there is nothing to offer', async () => {
    await using home = openCliHome();
    const { code, stdout, stderr } = await home.run(['stdio'], { input: '' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('PINCER_HOME');
  });

  it('starts one hub for two concurrent clients', async () => {
    await using home = openHome();
    await using one = openStdio(stdioOf(home));
    await using two = openStdio(stdioOf(home, '--server', 'x'));
    await Promise.all([one.ask(LIST), two.ask(LIST)]);
    const answers = await Promise.all([one.ask(ask(1, 'x__pid', {})), two.ask(ask(2, 'pid', {}))]);
    const pids = answers.map((answer) => /"pid":(\d+)/.exec(answer)?.[1]);
    expect(pids[0]).toBeDefined();
    expect(pids[0]).toBe(pids[1]);
  });

  it.each<Era>(['legacy', 'modern'])('serves the official SDK of the %s era', async (era) => {
    await using home = openHome();
    await using client = await connectSdk(era, stdioOf(home));
    expect(await client.listTools()).toContain('x__echo');
    expect(await client.callTool('x__echo', { message: 'héllo' })).toMatchObject({ text: 'héllo' });
    const steps: number[] = [];
    await client.callTool(
      'x__progress',
      { steps: 3, everyMs: 50 },
      { onprogress: ({ progress }) => steps.push(progress) },
    );
    expectProgress(steps, 3);
    const bytes = 8_000_000;
    expect((await client.callTool('x__big', { bytes })).text).toHaveLength(bytes);
  });

  it('answers all requests before the end of stdin, then exits with 0', async () => {
    await using home = openHome();
    await home.run(['tools']);
    const input = `${ask(1, 'x__slow', { ms: 600 })}\n${ask(2, 'x__echo', { message: 'b' })}\n`;
    const { code, stdout, stderr } = await home.run(['stdio'], { input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual([2, 1]);
    expect(stdout).toContain('waited 600 ms');
  });

  it('exits with 4 if the hub has ended, and with 2 for an unknown server', async () => {
    await using home = openHome();
    const client = openStdio(stdioOf(home));
    await client.ask(LIST);
    process.kill(home.hubPid()!, 'SIGTERM');
    expect(await client.exited).toBe(4);
    expect(client.stderr()).toContain('The hub has ended.');
    expect(client.untaken).toEqual([]);
    expect(await home.run(['stdio', '--server', 'nope', '--json'])).toMatchObject({ code: 2, stdout: '' });
  });
});
