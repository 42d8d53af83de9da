import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { readHubFile, spawnHub, startHub, type TestHub } from '../kit/hub.ts';
import { callText, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { WRONG_SERVERS, wrongConfigs } from '../kit/wrong-servers.ts';
import { verifies } from '../verifies.ts';

interface Shown {
  name: string;
  state: string;
  word: string;
  isMisconfigured?: boolean;
  error?: { code: string; message: string; hint: string; setting?: string; file?: string; line?: number };
}

const BACK_MS = 5_000;
const works = stdioServer({ tools: ['echo'] });

describe('ten servers, nine of them misconfigured in nine ways', () => {
  let hub: TestHub;
  let home: CliHome;
  const file = (): string => join(hub.home, 'config.json');
  const cli = (args: string[], input = ''): ReturnType<CliHome['run']> =>
    home.run(args, { input, env: { PINCER_HOME: hub.home } });
  const json = async (args: string[]): Promise<Record<string, unknown>> =>
    (await home.json(args, { env: { PINCER_HOME: hub.home } })).document;
  const shown = async (): Promise<Shown[]> => (await json(['list']))['servers'] as Shown[];
  const stateOf = async (name: string): Promise<string | undefined> =>
    (await shown()).find((server) => server.name === name)?.state;

  beforeAll(async () => {
    home = openCliHome();
    hub = await startHub({ servers: { ...wrongConfigs(), works } });
    writeFileSync(file(), JSON.stringify({ servers: { ...wrongConfigs(), works } }, undefined, 2));
    await hub.control('POST', 'reload');
    await eventually(async () => (await stateOf('program')) === 'failed');
  });
  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  it('the tenth works at /mcp, over stdio and on the command line', async () => {
    verifies('004-6.4-wrong-server', '004-6.2-types');
    expect(textOf(await hub.call('works__echo', { message: 'over HTTP' }))).toBe('over HTTP');
    const client = hub.stdio();
    expect(await client.ask(callText('works__echo', { args: '{"message":"piped"}' }))).toContain('piped');
    expect(await cli(['call', 'works.echo', 'message=typed'])).toMatchObject({ code: 0, stdout: 'typed\n' });
  });

  it('reports each of the nine with its reason, its place, and what to do', async () => {
    verifies('004-6.4-wrong-server', '004-6.2-types');
    const servers = await shown();
    const lines = readFileSync(file(), 'utf8').split('\n');
    for (const [name, { reason, hint }] of Object.entries(WRONG_SERVERS)) {
      const server = servers.find((each) => each.name === name);
      expect(server, name).toMatchObject({ state: 'failed', word: 'Error' });
      expect(server!.error!.message).toMatch(reason);
      expect(server!.error!.hint).toMatch(hint);
      if (server!.isMisconfigured !== true) continue;
      const { setting, line } = server!.error!;
      expect(server!.error).toMatchObject({ file: file() });
      expect(server!.error!.message).toContain(`Line ${line} of ${file()}, ${setting}`);
      expect(setting!.split('.').some((step) => lines[line! - 1]!.includes(`"${step}"`))).toBe(true);
    }
    for (const args of [['list'], ['status'], ['show'], ['status', 'key']]) {
      const { code, stdout } = await cli(args);
      expect(code).toBe(0);
      for (const [name, { reason }] of Object.entries(WRONG_SERVERS))
        if (args[1] === undefined || args[1] === name) expect(stdout).toMatch(reason);
    }
  });

  it('doctor reports each, and a call of one explains why', async () => {
    const { stdout, code } = await cli(['doctor']);
    expect(code).toBe(1);
    for (const { reason } of Object.values(WRONG_SERVERS)) expect(stdout).toMatch(reason);
    const called = await cli(['call', 'key.echo', 'message=x']);
    expect(called.code).toBe(4);
    expect(called.stderr).toMatch(WRONG_SERVERS['key']!.reason);
    const piped = await cli(['stdio', '--server', 'key']);
    expect(piped.stderr).toMatch(WRONG_SERVERS['key']!.reason);
  });

  it('lets everything else be changed meanwhile, and writes nothing wrong', async () => {
    const { command, args } = works as { command: string; args: string[] };
    expect(await cli(['add', 'added', '--', command, ...args])).toMatchObject({ code: 0 });
    expect(await cli(['set', 'works', 'trust', 'always'])).toMatchObject({ code: 0 });
    expect(await cli(['unset', 'works', 'trust'])).toMatchObject({ code: 0 });
    expect(await cli(['token', 'add', 'somebody'])).toMatchObject({ code: 0 });
    expect(await cli(['token', 'add', 'web', '--app'])).toMatchObject({ code: 0 });
    expect(await cli(['device', 'off', 'tts'])).toMatchObject({ code: 0 });
    const others = join(hub.home, 'others.json');
    writeFileSync(others, JSON.stringify({ mcpServers: { taken: { command: 'true' } } }));
    expect(await cli(['import', '--from', others, '--write'])).toMatchObject({ code: 0 });
    expect(await cli(['reload'])).toMatchObject({ code: 0 });
    const before = readFileSync(file(), 'utf8');
    expect(await cli(['set', 'works', '{"command":"x","colour":1}'])).toMatchObject({ code: 1 });
    expect(await cli(['set', 'works', 'cwd', '$PINCER_TEST_NOT_SET'])).toMatchObject({ code: 1 });
    expect(await cli(['add', 'bad', 'http://example.com/mcp'])).toMatchObject({ code: 1 });
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(await cli(['call', 'added.echo', 'message=typed'])).toMatchObject({ code: 0 });
  });

  it.each<[string, string[], string?]>([
    ['secret', ['secret', 'set', 'NOT_THERE'], 'hush'],
    ['key', ['unset', 'key', 'comand']],
    ['type', ['set', 'type', 'requestTimeoutMs', '5000']],
    ['variable', ['set', 'variable', 'env.KEY', 'plain']],
    ['empty', ['set', 'empty', JSON.stringify(works)]],
  ])('%s works within 5 s after `pincer %s` fixed it', async (name, args, input) => {
    expect(await cli(args, input)).toMatchObject({ code: 0 });
    const begin = performance.now();
    await expect
      .poll(() => hub.call(`${name}__echo`, { message: 'back' }).then(textOf).catch(String), {
        timeout: BACK_MS,
      })
      .toBe('back');
    expect(performance.now() - begin).toBeLessThan(BACK_MS);
  });

  it('a removed one disappears, and one fixed in the file works', async () => {
    expect(await cli(['unset', 'bad name'])).toMatchObject({ code: 0 });
    expect(await stateOf('bad name')).toBeUndefined();
    writeFileSync(
      file(),
      readFileSync(file(), 'utf8').replace('http://example.com/mcp', 'http://127.0.0.1:9/mcp'),
    );
    await expect.poll(() => stateOf('plain'), { timeout: BACK_MS }).toBe('backoff');
  });
});

describe('an invalid section', () => {
  const wrong = {
    device: { capabilities: { screen: 'yes' } },
    agent: { enabled: true, colour: 1 },
    telemetry: { endpoint: 'http://example.com' },
    policy: { default: 'dney' },
    proxy: { appToken: '$PINCER_TEST_NOT_SET' },
    toolSurface: 'serch',
  };

  it('is disabled and reported by status, doctor and the log; no other section is affected; policy fails closed', async () => {
    await using hub = await startHub({
      servers: { works, free: { ...works, policy: { '*': 'allow' } } },
      config: { ...wrong, limits: { approvalWaitMs: 100 } },
    });
    await using home = openCliHome();
    const at = { env: { PINCER_HOME: hub.home } };
    expect(textOf(await hub.call('free__echo', { message: 'hi' }))).toBe('hi');
    const asked = await hub.call('works__echo', { message: 'hi' });
    expect(asked.error?.data).toMatchObject({ code: expect.stringMatching(/APPROVAL|POLICY/) as string });
    const { document } = await home.json(['status'], at);
    const problems = document['problems'] as { section: string; effect: string; hint: string }[];
    expect(problems.map(({ section }) => section).toSorted()).toEqual(Object.keys(wrong).toSorted());
    expect(problems.every(({ effect, hint }) => effect !== '' && hint !== '')).toBe(true);
    expect(document['proxy']).toBeNull();
    const status = await home.run(['status'], at);
    const doctor = await home.run(['doctor'], at);
    for (const section of Object.keys(wrong)) {
      expect(status.stderr).toContain(`, ${section}`);
      expect(doctor.stdout).toContain(`, ${section}`);
      expect(hub.stderr()).toContain(`, ${section}`);
    }
    writeFileSync(
      join(hub.home, 'config.json'),
      JSON.stringify({ servers: { works }, device: {}, proxy: { port: 0 } }),
    );
    await expect
      .poll(async () => (await home.json(['status'], at)).document, { timeout: BACK_MS })
      .toMatchObject({
        problems: [],
        proxy: { address: expect.stringContaining('http://127.0.0.1:') as string },
      });
    expect(readHubFile(hub.home)).toMatchObject({ endpoints: { proxy: expect.any(String) as string } });
    expect(textOf(await hub.call('works__echo', { message: 'hi' }))).toBe('hi');
  });
});

describe('the port of the app proxy', () => {
  it('taken by another program: the hub runs without it, and uses it when it is free', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    await using hub = await startHub({
      config: { proxy: { port }, limits: { proxyRetryMs: 200 } },
      servers: { works },
    });
    const status = async (): Promise<{ proxy?: unknown; problems: { setting: string; message: string }[] }> =>
      (await hub.control('GET', 'status')).value as never;
    expect(textOf(await hub.call('works__echo', { message: 'hi' }))).toBe('hi');
    expect(await status()).toMatchObject({
      problems: [{ section: 'proxy', code: 'PORT_BUSY', effect: 'The app proxy is off.' }],
    });
    expect(hub.stderr()).toContain(`Port ${port} is in use`);
    await closed(other);
    await expect.poll(async () => (await status()).proxy, { timeout: BACK_MS }).toBeDefined();
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect((await status()).problems).toEqual([]);
  });
});

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

describe('an unparsable file', () => {
  it('is the only one that prevents a start, and the error names the place', async () => {
    using folder = temporaryFolder('unparsable');
    writeFileSync(join(folder.path, 'config.json'), '{ servers: { a: ');
    const { exited, stderr } = spawnHub(folder.path);
    expect(await exited).toBe(1);
    expect(stderr()).toContain('is not JSON5');
  });
});
