import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { eventually, isAlive } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { openOnTerminal } from '../kit/terminal.ts';
import { stdioCommand } from '../servers/start.ts';

/** Prints its process id on stderr and never answers. */
const MUTE = ['node', '-e', 'console.error(`loading, pid ${process.pid}`); setInterval(() => {}, 1000)'];
const PID = /loading, pid (\d+)/;

const configText = ({ path }: CliHome): string => {
  const file = join(path, 'config.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** Starts a hub for this home, besides those that the commands start themselves. */
async function withHub(home: CliHome): Promise<void> {
  home.start(['up', '--port', '0']);
  expect(await eventually(() => home.hubPid() !== undefined)).toBe(true);
}

describe('Ctrl+C', () => {
  it('during add saves nothing and leaves nothing running, including a hub that add started', async () => {
    await using home = openCliHome();
    await using terminal = openOnTerminal(['add', 'mute', '--', ...MUTE], { PINCER_HOME: home.path });
    await terminal.until('  | loading, pid ');
    await terminal.until('Waiting for node to answer "initialize" … 2 s');
    const hub = home.hubPid()!;
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(terminal.seen()).toContain('Cancelled. Nothing was saved.\n');
    expect(isAlive(Number(PID.exec(terminal.seen())![1]))).toBe(false);
    expect(configText(home)).toBe('');
    expect(await eventually(() => !isAlive(hub))).toBe(true);
  });

  it('during add leaves a hub running that ran before', async () => {
    await using home = openCliHome();
    await withHub(home);
    const add = home.start(['add', 'mute', '--json', '--', ...MUTE]);
    const status = async (): Promise<string> => (await home.run(['status', 'mute', '--stderr'])).stdout;
    let seen = '';
    expect(await eventually(async () => PID.test((seen = await status())))).toBe(true);
    add.child.kill('SIGINT');
    const { code, stdout } = await add.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { type: 'interrupted', code: 'CALL_CANCELLED', message: 'Cancelled. Nothing was saved.' },
    });
    expect(isAlive(Number(PID.exec(seen)![1]))).toBe(false);
    expect((await home.json(['list'])).document).toMatchObject({ hub: { mode: 'foreground' }, servers: [] });
    expect(configText(home)).toBe('');
  });

  it('has the same effect as killing add: nothing is left', async () => {
    await using home = openCliHome();
    await withHub(home);
    const add = home.start(['add', 'mute', '--', ...MUTE]);
    const status = async (): Promise<string> => (await home.run(['status', 'mute', '--stderr'])).stdout;
    let seen = '';
    expect(await eventually(async () => PID.test((seen = await status())))).toBe(true);
    add.child.kill('SIGKILL');
    expect(await eventually(() => !isAlive(Number(PID.exec(seen)![1])))).toBe(true);
    expect((await home.json(['list'])).document).toMatchObject({ servers: [] });
    expect(configText(home)).toBe('');
  });

  it('during call cancels at the server, and reports that the call may have run', async () => {
    await using home = openCliHome();
    home.configure({ x: stdioServer({ tools: ['hang', 'cancelled', 'echo'] }) });
    await home.run(['probe', 'x']);
    const call = home.start(['call', 'x.hang', '--json']);
    const isUnderWay = async (): Promise<boolean> =>
      ((await home.json(['list'])).document['servers'] as { inFlight: number }[])[0]!.inFlight === 1;
    expect(await eventually(isUnderWay)).toBe(true);
    call.child.kill('SIGINT');
    const { code, stdout } = await call.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'CALL_CANCELLED', message: 'x.hang was cancelled.', outcome: 'outcome_unknown' },
    });
    expect(await eventually(async () => !(await isUnderWay()))).toBe(true);
    expect((await home.run(['call', 'x.cancelled'])).stdout).toMatch(/"count": ?1/);
  });
});

describe('add', () => {
  it('shows the output of a server that did not start', async () => {
    await using home = openCliHome();
    const words = ['add', 'broken', '--', 'node', '-e', 'console.error("first line"); null.x'];
    const { code, stderr } = await home.run(words);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^ {2}\| first line\n/);
    expect(stderr).toContain('Server "broken" exited with code 1. Nothing was saved.\n');
    expect(stderr).toContain(
      "hint: Its last output on stderr: TypeError: Cannot read properties of null (reading 'x')\n",
    );
    const { stdout } = await home.run(['--json', ...words]);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { code: 'SERVER_GONE', stderr: expect.arrayContaining(['first line']) as unknown },
    });
  });

  it('reports that a nonexistent package could not be downloaded', async () => {
    await using home = openCliHome();
    const registry = createServer((_request, response) => response.writeHead(404).end('{}'));
    await new Promise<void>((resolve) => void registry.listen(0, '127.0.0.1', resolve));
    const cache = mkdtempSync(join(tmpdir(), 'pincer-npm-'));
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
    const env = [`npm_config_registry=${url}`, `npm_config_cache=${cache}`, 'npm_config_fetch_retries=0'];
    try {
      const { code, stderr } = await home.run([
        'add',
        'typo',
        ...env.flatMap((each) => ['--env', each]),
        '--',
        'npx',
        '-y',
        '@modelcontextprotocol/server-everythin',
      ]);
      expect(code).toBe(4);
      expect(stderr).toContain(
        'Server "typo" could not be downloaded: the registry has no such package (E404). Nothing was saved.\n',
      );
      expect(stderr).toMatch(/^hint: It said: npm error 404 {1,2}Not Found - GET http:/m);
      expect(stderr).toContain('npm view @modelcontextprotocol/server-everythin versions');
    } finally {
      registry.close();
      rmSync(cache, { recursive: true, force: true });
    }
  });

  it('fails after --timeout, and names the option to wait longer', async () => {
    await using home = openCliHome();
    const { command, args } = stdioCommand({ startDelay: 3_000 });
    const words = (ms: string): string[] => ['add', 'slow', '--timeout', ms, '--', command, ...args];
    const early = await home.run(words('400'));
    expect(early).toMatchObject({ code: 4, stdout: '' });
    expect(early.stderr).toContain('did not answer "initialize" within 400 ms. Nothing was saved.\n');
    expect(early.stderr).toContain('hint: Give it more time: --timeout 300000');
    expect((await home.run(words('1e9'))).stderr).toContain('from 1 to 86400000');
    expect(await home.run(words('30000'))).toMatchObject({ code: 0 });
  });

  it('with --no-check saves without connecting and starts no hub', async () => {
    await using home = openCliHome();
    const words = ['add', 'later', 'http://127.0.0.1:9/mcp', '--no-check'];
    const { code, stdout } = await home.run(words);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'later is saved but was not tested. Test it: pincer probe later\n',
    });
    expect(home.hubPid()).toBeUndefined();
    expect(JSON.parse(configText(home))).toEqual({ servers: { later: { url: 'http://127.0.0.1:9/mcp' } } });
    expect(await home.json(words)).toMatchObject({ code: 1, document: { error: { code: 'SERVER_EXISTS' } } });
    const bad = await home.run(['add', 'bad', 'http://example.com/mcp', '--no-check']);
    expect(bad).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('call of a starting server', () => {
  it('waits for it as long as --timeout allows', async () => {
    await using home = openCliHome();
    home.configure(
      { slow: stdioServer({ startDelay: 2_500, tools: ['echo'] }) },
      { limits: { listWaitMs: 200 } },
    );
    const early = await home.run(['call', 'slow.echo', 'message=hi', '--timeout', '300']);
    expect(early.code).toBe(4);
    expect(early.stderr).toContain('Server "slow" is still starting.');
    expect(await home.run(['call', 'slow.echo', 'message=hi'])).toMatchObject({ code: 0, stdout: 'hi\n' });
  });
});
