/** `pincer mcp-server` as its clients see it, on a gateway whose agent does what the test says. */
import { mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../clients/run.ts';
import { connectSdkV1 } from '../clients/sdk-v1.ts';
import { ENTRY, readHubFile } from '../kit/hub.ts';
import { mcpServerProgram } from '../kit/mcp-server.ts';
import { INITIALIZE, INITIALIZED, listText, parseAnswer, request, textOf } from '../kit/messages.ts';
import {
  askOrder,
  final,
  openFakeAgent,
  openOrdering,
  orderingProgram,
  orderText,
} from '../kit/openclaw/fake-agent.ts';
import { descendants, eventually, isAlive } from '../kit/processes.ts';
import { listeningPorts } from '../kit/sockets.ts';
import { openStdio } from '../kit/stdio.ts';
import { temporaryFolder, type TemporaryFolder } from '../kit/temporary-folder.ts';
import { verifies } from '../verifies.ts';

let folder: TemporaryFolder;
let home: string;
beforeEach(() => {
  folder = temporaryFolder('mcp-server');
  home = folder.path;
});
afterEach(() => folder[Symbol.dispose]());

describe('the command line', () => {
  const program = (...args: string[]) => mcpServerProgram({ HOME: home, PINCER_HOME: home }, args);

  it.each(['-h', '--help'])('%s shows the options and ends, while stdin is open', async (flag) => {
    verifies('001-cli-help');
    const { command, args, env } = program(flag);
    const help = await run(command, args, { cwd: home, env: { ...env, PATH: process.env['PATH']! } });
    for (const option of [/^ +-v, --verbose /m, /^ +--version /m, /^ +-h, --help /m])
      expect(help).toMatch(option);
  });

  it('--version shows the version and ends, while stdin is open', async () => {
    verifies('001-cli-version');
    await using client = openStdio(program('--version'));
    expect(await client.exited).toBe(0);
    const { default: manifest } = await import('../../packages/hub/package.json', { with: { type: 'json' } });
    expect(client.untaken).toEqual([manifest.version]);
  });

  it('is refused with words that it does not know, and stdout stays empty', async () => {
    verifies('001-trouble-unknown-option');
    await using client = openStdio(program('--port', '1'));
    expect(await client.exited).toBe(2);
    expect(client.untaken).toEqual([]);
    expect(client.stderr()).toContain('does not take "--port"');
  });
});

it('works by an absolute path, from any working directory', async () => {
  verifies('001-config-custom-path', '001-start-command');
  await using agent = await openFakeAgent();
  const { env } = orderingProgram(agent, { home });
  const cwd = join(home, 'elsewhere');
  mkdirSync(cwd);
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH']!}`;
  await using client = await connectSdkV1({
    command: ENTRY,
    args: ['mcp-server'],
    cwd,
    env: { ...env, PATH },
  });
  expect(await client.listTools()).toEqual(['order_openclaw']);
  const result = await client.callTool('order_openclaw', { message: 'hi' });
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'echo: hi' }] });
});

it.each([
  [{}, ['order_openclaw']],
  [{ orderStatus: true }, ['order_openclaw', 'order_status', 'order_stop']],
])('offers one tool, and others by setting only: %j', async (settings, names) => {
  verifies('001-limits-single-tool', '001-tool-single');
  await using agent = await openFakeAgent();
  const config = { agent: { gatewayUrl: agent.url, ...settings } };
  await using client = await openOrdering(agent, { home, config });
  const { tools } = parseAnswer(await client.ask(listText())).result as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(names);
});

it.each(['-v', '--verbose'])(
  '%s tells on stderr of each request, and never of what is secret',
  async (flag) => {
    verifies('001-cli-verbose', '001-security-key-secret');
    await using agent = await openFakeAgent();
    await using client = await openOrdering(agent, { home, args: [flag] });
    await askOrder(client, { message: 'first', sessionKey: 'a-key-of-mine' }, '1');
    await askOrder(client, { message: 'second', images: 7 }, '2');
    client.end();
    expect(await client.exited).toBe(0);
    const lines = client
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = lines.filter(({ method }) => method === 'tools/call');
    expect(requests).toMatchObject([
      {
        tool: 'order_openclaw',
        outcome: 'ok',
        durationMs: expect.any(Number),
        answerBytes: expect.any(Number),
      },
      { tool: 'order_openclaw', outcome: 'not_executed', code: 'ARGUMENT_INVALID' },
    ]);
    expect(client.stderr()).not.toContain('a-key-of-mine');
    expect(client.stderr()).not.toContain('by hand');
  },
);

describe('as a process', () => {
  it('listens nowhere, also while an order goes on', async () => {
    verifies('001-transport-stdio-only', '002-4-no-network');
    await using agent = await openFakeAgent(() => []);
    await using client = await openOrdering(agent, { home });
    client.send(orderText({ message: 'take your time' }));
    expect(await eventually(() => agent.orders.length === 1)).toBe(true);
    expect(listeningPorts(process.pid)).toContain(Number(new URL(agent.url).port));
    expect(listeningPorts(client.pid)).toEqual([]);
  });

  it('is one per client: each answers its own, the end of one is nothing to the other, and none stays', async () => {
    verifies('001-transport-own-process', '001-transport-no-login', '001-transport-exit');
    await using agent = await openFakeAgent();
    await using one = await openOrdering(agent, { home });
    await using other = await openOrdering(agent, { home });
    expect(one.pid).not.toBe(other.pid);
    const answers = [askOrder(one, { message: 'of one' }), askOrder(other, { message: 'of the other' })];
    expect((await Promise.all(answers)).map(textOf)).toEqual(['echo: of one', 'echo: of the other']);
    one.end();
    expect(await one.exited).toBe(0);
    expect(textOf(await askOrder(other, { message: 'still there?' }))).toBe('echo: still there?');
    expect(descendants(other.pid)).toEqual([]);
    other.end();
    expect(await other.exited).toBe(0);
    expect(readHubFile(home)).toBeUndefined();
  });

  it('keeps to itself what an answer left to be read', async () => {
    verifies('002-4-process-isolation', '001-limit-response-item');
    const data = Buffer.alloc(2_000, 7).toString('base64');
    await using agent = await openFakeAgent(
      () => [
        ['agent', { stream: 'assistant', data: { text: 'x', delta: '', mediaUrls: ['./a.pdf'] } }],
        final('x'),
      ],
      ({ method }) =>
        method === 'artifacts.download'
          ? { encoding: 'base64', data }
          : { artifacts: [{ id: 'a', title: 'a.pdf', mimeType: 'application/pdf', sizeBytes: 2_000 }] },
    );
    const config = { limits: { maxReplyItemBytes: 1_999 } };
    await using one = await openOrdering(agent, { home, config });
    await using other = await openOrdering(agent, { home, config });
    const { result } = await askOrder(one, { message: 'send it' });
    const [, link] = result!['content'] as { type: string; uri: string }[];
    expect(link).toMatchObject({ type: 'resource_link', name: 'a.pdf', size: 2_000 });
    const read = request('resources/read', JSON.stringify({ uri: link!.uri }));
    expect(await other.ask(read)).toContain('RESOURCE_UNKNOWN');
    expect((await one.ask(read)).includes(`"blob":"${data}"`)).toBe(true);
  });

  it('ends when its client has died in the middle of a call, and the agent is stopped', async () => {
    verifies('002-4-exit');
    await using agent = await openFakeAgent(() => []);
    const { command, args, env } = orderingProgram(agent, { home });
    // Somebody between us who dies: what they have started notices it by itself.
    const script = `const { spawn } = require('node:child_process');
      const child = spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'ignore', 'ignore'] });
      console.log(child.pid);
      process.stdin.pipe(child.stdin);`;
    await using between = openStdio({
      command: process.execPath,
      args: ['-e', script, command, ...args],
      env: env!,
    });
    const pid = Number(await between.take());
    for (const line of [INITIALIZE, INITIALIZED, orderText({ message: 'go on' })]) between.send(line);
    expect(await eventually(() => agent.orders.length === 1)).toBe(true);
    process.kill(between.pid, 'SIGKILL');
    expect(await eventually(() => !isAlive(pid))).toBe(true);
    expect(agent.stopped).toEqual([agent.orders[0]!.idempotencyKey]);
  });
});
