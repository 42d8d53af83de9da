/** Two servers with the same task ids: a task, its questions and its answers stay with the server that runs it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, modernHeaders, paramsText, parseAnswer, request, type Answer } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const SERVERS = ['one', 'two'] as const;
type Name = (typeof SERVERS)[number];
type Where = 'all' | 'own';

let hubs: Record<'legacy' | 'modern', TestHub>;

beforeAll(async () => {
  const start = (era: 'legacy' | 'modern'): Promise<TestHub> =>
    startHub({
      servers: Object.fromEntries(
        SERVERS.map((name) => [name, stdioServer({ name, era, tools: ['echo'], tasks: true })]),
      ),
    });
  const [legacy, modern] = await Promise.all([start('legacy'), start('modern')]);
  hubs = { legacy, modern };
});
afterAll(async () => {
  for (const hub of Object.values(hubs)) await hub[Symbol.asyncDispose]();
});

/** The path of a server, and the tool's name there. */
const placeOf = (where: Where, name: Name): { path: string; tool: string } =>
  where === 'all' ? { path: '/mcp', tool: `${name}__job` } : { path: `/mcp/${name}`, tool: 'job' };

interface Asker extends AsyncDisposable {
  client: Client;
  /** Questions and status notifications, with the task that each belongs to. */
  asked: { message: string; task: unknown }[];
  told: string[];
}

/** The official client. It answers each question with its text and the task that it belongs to. */
async function legacyAsker(path: string): Promise<Asker> {
  const client = new Client({ name: 'kit', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  const asked: Asker['asked'] = [];
  const told: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    const related = params._meta?.[RELATED];
    asked.push({ message: params.message, task: related?.taskId });
    return { action: 'accept', content: { by: params.message }, _meta: related && { [RELATED]: related } };
  });
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void told.push(params.taskId));
  const { origin, token } = hubs.legacy;
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}${path}`), { requestInit }));
  await client.listTools();
  return { client, asked, told, [Symbol.asyncDispose]: () => client.close() };
}

async function begin({ client }: Asker, tool: string, marker: string): Promise<string> {
  const params = { name: tool, arguments: { marker } };
  for await (const heard of client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
    task: {},
  }))
    if (heard.type === 'taskCreated') return heard.task.taskId;
  throw new Error('No task was created.');
}

describe.each<Where>(['all', 'own'])('legacy tasks of two servers, asked at %s', (where) => {
  it('have ids of the hub, and each answer reaches the server that asked', async () => {
    const places = SERVERS.map((name) => ({ name, ...placeOf(where, name) }));
    const ids: string[] = [];
    const askers = await Promise.all(places.map(({ path }) => legacyAsker(path)));
    for (const [at, { tool, name }] of places.entries())
      ids.push(await begin(askers[at]!, tool, `m-${name}`));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    for (const [at, { name }] of places.entries()) {
      const { client, asked } = askers[at]!;
      const taskId = ids[at]!;
      expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({
        taskId,
        status: 'input_required',
      });
      const result = await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
      const message = `Whom is m-${name} for? asks ${name}`;
      expect(asked.at(-1)).toEqual({ message, task: taskId });
      expect(result._meta).toEqual({ [RELATED]: { taskId } });
      const said = JSON.parse((result.content[0] as { text: string }).text) as { heard: { result: object } };
      expect(said).toMatchObject({ server: name, marker: `m-${name}` });
      // The server receives its own id.
      expect(said.heard.result).toMatchObject({
        content: { by: message },
        _meta: { [RELATED]: { taskId: expect.stringMatching(/^task-\d$/) as string } },
      });
      expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({
        taskId,
        status: 'cancelled',
      });
    }
    for (const asker of askers) await asker[Symbol.asyncDispose]();
  });
});

it("notifies a client about a task with the client's id", async () => {
  await using asker = await legacyAsker('/mcp');
  const id = await begin(asker, 'two__job', 'told');
  expect(await eventually(() => asker.told.length > 0)).toBe(true);
  expect(new Set(asker.told)).toEqual(new Set([id]));
});

it('changes nothing else in a result', async () => {
  const call = request('tools/call', '{"name":"one__job","arguments":{"marker":"x"},"task":{}}');
  const reply = await hubs.legacy.connect().post(call);
  expect(reply.messages.at(-1)).toMatch(
    /"taskId":"[0-9a-f]{32}","status":"input_required",.*\},"kept":1\.0\}/,
  );
});

it('a task is unknown to other callers, by the server’s id, and at another server', async () => {
  const { token } = hubs.legacy;
  const post = async (path: string, method: string, members: string, as = token): Promise<Answer> => {
    await using connection = hubs.legacy.connect(as);
    return parseAnswer((await connection.post(request(method, `{${members}}`), { path })).messages.at(-1)!);
  };
  const made = await post('/mcp/one', 'tools/call', '"name":"job","arguments":{"marker":"m"},"task":{}');
  const id = (made.result!['task'] as { taskId: string }).taskId;
  const { value } = await hubs.legacy.control('POST', 'tokens', { name: 'other' });
  const other = (value as { token: string }).token;
  expect((await post('/mcp/one', 'tasks/get', `"taskId":"${id}"`)).result).toMatchObject({ taskId: id });
  for (const refused of [
    await post('/mcp/two', 'tasks/get', `"taskId":"${id}"`),
    await post('/mcp/one', 'tasks/get', `"taskId":"${id}"`, other),
    await post('/mcp/one', 'tasks/get', '"taskId":"task-1"'),
    await post('/mcp/one', 'tasks/cancel', '"taskId":"task-1"'),
  ])
    expect(refused.error).toMatchObject({ message: expect.stringMatching(/^Unknown task: /) as string });
  const related = `"name":"echo","arguments":{"message":"x"},"_meta":{"${RELATED}":{"taskId":"task-1"}}`;
  expect((await post('/mcp/one', 'tools/call', related)).error).toMatchObject({ code: -32_602 });
});

describe.each<Where>(['all', 'own'])('modern tasks of two servers, asked at %s', (where) => {
  const withTasks = (text: string): string =>
    text.replace(
      '/clientCapabilities":{}',
      '/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}',
    );
  const ask = async (path: string, method: string, name: string, body: string) => {
    await using connection = hubs.modern.connect();
    const reply = await connection.post(withTasks(body), { path, headers: modernHeaders(method, name) });
    return parseAnswer(reply.messages.at(-1)!).result!;
  };
  const about = (path: string, method: string, id: string, more = '') =>
    ask(path, method, id, request(method, paramsText('modern', `"taskId":"${id}"${more}`)));

  it('have ids of the hub, and each answer reaches the server that asked', async () => {
    const places = SERVERS.map((name) => ({ name, ...placeOf(where, name) }));
    const ids: string[] = [];
    for (const { path, tool, name } of places) {
      const args = `{"marker":"m-${name}"}`;
      const made = await ask(path, 'tools/call', tool, callText(tool, { era: 'modern', args }));
      expect(made).toMatchObject({ resultType: 'task', status: 'input_required' });
      ids.push(made['taskId'] as string);
    }
    expect(new Set(ids).size).toBe(2);
    for (const [at, { path, name }] of places.entries()) {
      const taskId = ids[at]!;
      const message = `Whom is m-${name} for? asks ${name}`;
      expect(await about(path, 'tasks/get', taskId)).toMatchObject({
        taskId,
        inputRequests: { whom: { params: { message } } },
      });
      const related = `"_meta":{"${RELATED}":{"taskId":"${taskId}"}}`;
      const answer = `{"action":"accept","content":{"by":"${name}"},${related}}`;
      await about(path, 'tasks/update', taskId, `,"inputResponses":{"whom":${answer}}`);
      const { result } = (await about(path, 'tasks/get', taskId)) as {
        result: { content: { text: string }[] };
      };
      expect(JSON.parse(result.content[0]!.text)).toMatchObject({
        server: name,
        marker: `m-${name}`,
        heard: {
          whom: {
            content: { by: name },
            _meta: { [RELATED]: { taskId: expect.stringMatching(/^task-/) as string } },
          },
        },
      });
    }
  });
});
