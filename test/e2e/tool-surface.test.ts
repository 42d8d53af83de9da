/** `toolSurface`: the tools of all servers behind three, checked with the official SDK v2 client in both eras. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DatabaseSync } from 'node:sqlite';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { listText, parseAnswer, textOf, type Answer } from '../kit/messages.ts';
import { stdioServer } from '../kit/servers.ts';
import type { Era } from '../servers/flags.ts';
import { connectSdk } from '../servers/sdk-clients.ts';

const META_TOOLS = ['find_tools', 'describe_tool', 'call_tool'];
const PATIENCE = { timeout: 10_000 };
const ERAS: Era[] = ['legacy', 'modern'];

let hub: TestHub;

beforeAll(async () => {
  hub = await startHub({
    config: { toolSurface: 'search' },
    servers: {
      desk: stdioServer({ era: 'dual', tools: ['add', 'echo', 'progress', 'raw', 'sink', 'slow'] }),
      'old-talk': stdioServer({ era: 'legacy', tools: ['pid'], talk: true }),
      'new-talk': stdioServer({ era: 'modern', tools: ['pid'], talk: true }),
      closed: stdioServer({ tools: ['whoami'] }, { policy: { whoami: 'deny' } }),
    },
  });
});
afterAll(() => hub[Symbol.asyncDispose]());

interface Person extends AsyncDisposable {
  client: Client;
  /** The questions to the client's person. */
  asked: string[];
}

/** A client whose person answers every question with "Ada". */
async function open(era: Era): Promise<Person> {
  const client = new Client(
    { name: 'surface-test', version: '1.0.0' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', (request) => {
    asked.push(request.params.message);
    return { action: 'accept', content: { by: 'Ada' } };
  });
  const requestInit = { headers: { authorization: `Bearer ${hub.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.url), { requestInit }));
  return { client, asked, [Symbol.asyncDispose]: () => client.close() };
}

const firstText = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  (content[0] as { text: string }).text;

describe.each(ERAS)('an SDK client of the %s era', (era) => {
  it('goes from a search to a definition to a call', async () => {
    await using person = await open(era);
    const { client } = person;
    expect(client.getInstructions()).toContain('find_tools');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(META_TOOLS);

    const found = await client.callTool({ name: 'find_tools', arguments: { query: 'add two numbers' } });
    const [hit] = (found.structuredContent as { tools: { name: string; signature: string }[] }).tools;
    expect(hit).toMatchObject({ name: 'desk__add', signature: 'desk__add(a: number, b: number)' });

    const described = await client.callTool({ name: 'describe_tool', arguments: { name: hit!.name } });
    expect(JSON.parse(firstText(described))).toMatchObject({
      name: 'desk__add',
      outputSchema: { properties: { sum: { type: 'number' } } },
    });

    const answered = await client.callTool({
      name: 'call_tool',
      arguments: { name: hit!.name, arguments: { a: 2, b: 3 } },
    });
    expect(answered).toMatchObject({ structuredContent: { sum: 5 } });
    const direct = await client.callTool({ name: 'desk__add', arguments: { a: 2, b: 4 } });
    expect(direct).toMatchObject({ structuredContent: { sum: 6 } });
  });

  it.each(['old-talk', 'new-talk'])('receives a question from %s, and answers', async (server) => {
    await using person = await open(era);
    const marker = `${era}-${server}`;
    const answered = await person.client.callTool({
      name: 'call_tool',
      arguments: { name: `${server}__talk`, arguments: { marker, script: 'elicit,elicit' } },
    });
    expect(person.asked).toEqual([`Who? ${marker}`, `Who? ${marker}`]);
    const { answers } = JSON.parse(firstText(answered)) as { answers: unknown[] };
    expect(answers).toHaveLength(2);
    expect(JSON.stringify(answers)).toContain('"by":"Ada"');
  });

  it('receives progress, and may cancel', async () => {
    await using person = await open(era);
    const heard: number[] = [];
    await person.client.callTool(
      { name: 'call_tool', arguments: { name: 'desk__progress', arguments: { steps: 3, everyMs: 20 } } },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(heard).toContain(1);
    const enough = AbortSignal.timeout(200);
    await expect(
      person.client.callTool(
        { name: 'call_tool', arguments: { name: 'desk__slow', arguments: { ms: 60_000 } } },
        { signal: enough },
      ),
    ).rejects.toThrow();
    await expect.poll(async () => (await status('desk'))['inFlight'], PATIENCE).toBe(0);
  });

  it('gets suggestions for a misspelled name', async () => {
    await using person = await open(era);
    const call = person.client.callTool({ name: 'call_tool', arguments: { name: 'desk__ecko' } });
    await expect(call).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: desk__ecko (similar: desk__echo') as string,
    });
  });
});

async function status(server: string): Promise<Record<string, unknown>> {
  const { value } = await hub.control('GET', 'status');
  const { servers } = value as { servers: ({ name: string } & Record<string, unknown>)[] };
  return servers.find(({ name }) => name === server)!;
}

describe.each(ERAS)('a call through call_tool (%s)', (era) => {
  const through = (tool: string, args = '{}'): Promise<Answer> =>
    hub.call('call_tool', {}, { era, args: `{"name":${JSON.stringify(tool)},"arguments":${args}}` });

  it('reaches its server byte for byte', async () => {
    const args = '{"n": 99999999999999999999, "f":1.0,"s":"gr\\u00f6ße","s":1}';
    expect(textOf(await through('desk__raw', args))).toContain(`"name":"raw","arguments":${args}`);
  });

  it('is checked by policy and recorded under the name of the tool', async () => {
    expect((await through('closed__whoami')).error).toMatchObject({ data: { code: 'POLICY_DENIED' } });
    const rows = (): unknown[] => {
      const database = new DatabaseSync(join(hub.home, 'calls.sqlite'), { readOnly: true });
      try {
        const sql = 'SELECT method, tool, outcome FROM calls WHERE server = ? ORDER BY at';
        return database
          .prepare(sql)
          .all('closed')
          .map((row) => ({ ...row }));
      } finally {
        database.close();
      }
    };
    const record = { method: 'tools/call', tool: 'whoami', outcome: 'not_executed' };
    await expect.poll(() => rows().at(-1), PATIENCE).toEqual(record);
  });
});

it('always shows a single server in full', async () => {
  const { body } = await hub.post(listText(), { path: '/mcp/old-talk' });
  expect(namesOf(parseAnswer(body))).toEqual(['pid', 'talk']);
  expect((await hub.call('call_tool', { name: 'pid' }, { path: '/mcp/old-talk' })).error?.code).toBe(-32602);
});

const namesOf = ({ result }: Answer): string[] =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

it('neither finds, describes nor calls what a caller may not use', async () => {
  const { value } = await hub.control('POST', 'tokens', { name: 'guest', tools: ['desk.echo', 'desk.add'] });
  const { token } = value as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const ask = (tool: string, args: object): Promise<Answer> => hub.call(tool, args, { headers });
  const everything = await ask('find_tools', { query: 'raw progress echo talk whoami pid', limit: 50 });
  expect(namesOf({ id: 1, result: everything.result!['structuredContent'] as never })).toEqual([
    'desk__echo',
  ]);
  expect(textOf(await ask('find_tools', { query: '' }))).not.toMatch(/raw|talk|closed/);
  expect(textOf(await ask('describe_tool', { name: 'desk__raw' }))).toMatch(/^Unknown tool: desk__raw/);
  const { error } = await ask('call_tool', { name: 'desk__raw', arguments: {} });
  expect(error).toMatchObject({ code: -32602, data: { code: 'TOOL_UNKNOWN', outcome: 'not_executed' } });
  expect(error!.message).not.toContain('similar: desk__raw');
  expect(textOf(await ask('call_tool', { name: 'desk__echo', arguments: { message: 'x' } }))).toBe('x');
});

it.each(ERAS)('auto lists what fits, searches the rest, and announces the change (%s)', async (era) => {
  await using auto = await startHub({
    config: { toolSurface: 'auto', limits: { toolSurfaceTokens: 1_000 } },
    servers: { small: stdioServer({ tools: ['echo'] }) },
  });
  const headers = { authorization: `Bearer ${auto.token}` };
  await using client = await connectSdk(era, auto.url, headers);
  expect(await client.listTools()).toEqual(['small__echo']);
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  await client.onToolsChanged(resolve);
  const config = stdioServer({ tools: ['echo'], count: 60 });
  expect((await auto.control('POST', 'servers', { name: 'large', config })).status).toBe(200);
  await changed;
  await using fresh = await connectSdk(era, auto.url, headers);
  expect(await fresh.listTools()).toEqual(META_TOOLS);
  const through = { name: 'small__echo', arguments: { message: 'x' } };
  expect(await client.callTool('call_tool', through)).toMatchObject({ text: 'x' });
  expect(await client.callTool('small__echo', { message: 'y' })).toMatchObject({ text: 'y' });
});

it('a changed setting changes the list of a running hub, and clients are notified', async () => {
  const servers = { small: stdioServer({ tools: ['echo'] }) };
  await using plain = await startHub({ servers });
  await using client = await connectSdk('legacy', plain.url, { authorization: `Bearer ${plain.token}` });
  expect(await client.listTools()).toEqual(['small__echo']);
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  await client.onToolsChanged(resolve);
  writeFileSync(join(plain.home, 'config.json'), JSON.stringify({ servers, toolSurface: 'search' }));
  expect((await plain.control('POST', 'reload')).status).toBe(200);
  await changed;
  expect(await client.listTools()).toEqual(META_TOOLS);
  const found = await client.callTool('find_tools', { query: 'return a message' });
  expect(found).toMatchObject({ structured: { total: 1, tools: [{ name: 'small__echo' }] } });
});
