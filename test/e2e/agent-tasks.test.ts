/** Orders that take longer than their client waits, through the real hub. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Reply } from '../kit/http.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, modernHeaders, paramsText, parseAnswer, request, textOf } from '../kit/messages.ts';
import { eventText, finalText, responseText, welcomeText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway, type HandRequest } from '../kit/openclaw/fake-gateway.ts';
import { eventually } from '../kit/processes.ts';

const PATIENCE_MS = 300;
/** The same from a client that supports tasks. */
const withTasks = (text: string): string =>
  text.replace(
    '/clientCapabilities":{}',
    '/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}',
  );

let gateway: HandGateway;
let hub: TestHub;

const paramsOf = (request: HandRequest): { message?: string; idempotencyKey?: string; runId?: string } =>
  request.params;
const runFor = (message: string): string | undefined =>
  gateway.requests.map(paramsOf).find((params) => params.message === message)?.idempotencyKey;
const isStopped = (message: string): boolean =>
  gateway.requests.some((each) => each.method === 'chat.abort' && paramsOf(each).runId === runFor(message));

/** Ends the agent's work on this message. */
async function end(message: string, text: string): Promise<void> {
  expect(await eventually(() => runFor(message) !== undefined)).toBe(true);
  gateway.say(finalText(runFor(message)!, text));
}

beforeAll(async () => {
  gateway = await openHandGateway(
    (id) => [welcomeText(id)],
    (asked) => {
      const { id, method } = asked;
      const { runId, idempotencyKey } = paramsOf(asked);
      if (method === 'chat.send') return [responseText(id, { runId: idempotencyKey, status: 'started' })];
      if (method !== 'chat.abort') return [responseText(id, {})];
      return [
        responseText(id, { aborted: true }),
        eventText('chat', { runId, sessionKey: 'k', seq: 9, state: 'aborted' }),
      ];
    },
  );
  hub = await startHub({
    config: {
      agent: { gatewayUrl: gateway.url, orderStatus: true },
      limits: { orderPatienceMs: PATIENCE_MS },
    },
  });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

async function legacyClient(): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'kit', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${hub.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.url), { requestInit }));
  await client.listTools();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const order = (message: string) => ({ name: 'order_openclaw', arguments: { message } });
const TASK = { task: { ttl: 60_000 } };

async function begin(client: Client, message: string): Promise<string> {
  for await (const heard of client.experimental.tasks.callToolStream(
    order(message),
    CallToolResultSchema,
    TASK,
  ))
    if (heard.type === 'taskCreated') return heard.task.taskId;
  throw new Error('No task was created.');
}

it('gives the official legacy client its answer as a task', async () => {
  await using client = await legacyClient();
  const heard: string[] = [];
  const stream = client.experimental.tasks.callToolStream(order('as a task'), CallToolResultSchema, TASK);
  let result: unknown;
  for await (const message of stream) {
    heard.push(message.type);
    if (message.type === 'taskCreated') await end('as a task', 'the answer');
    if (message.type === 'result') ({ result } = message);
  }
  expect([heard[0], heard.at(-1)]).toEqual(['taskCreated', 'result']);
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'the answer' }] });
});

it('continues a task after its client disconnected; another client of the same caller fetches it', async () => {
  let id: string;
  {
    await using client = await legacyClient();
    id = await begin(client, 'left alone');
  }
  await using client = await legacyClient();
  expect(await client.experimental.tasks.getTask(id)).toMatchObject({ status: 'working', ttl: null });
  await end('left alone', 'for whoever comes');
  expect(await client.experimental.tasks.getTaskResult(id, CallToolResultSchema)).toMatchObject({
    content: [{ text: 'for whoever comes' }],
    _meta: { 'io.modelcontextprotocol/related-task': { taskId: id } },
  });
  expect([runFor('left alone') !== undefined, isStopped('left alone')]).toEqual([true, false]);
});

it('stops the agent when its task is cancelled, and refuses a second cancellation', async () => {
  await using client = await legacyClient();
  const id = await begin(client, 'never mind');
  expect(await eventually(() => runFor('never mind') !== undefined)).toBe(true);
  expect(await client.experimental.tasks.cancelTask(id)).toMatchObject({ status: 'cancelled' });
  expect(await eventually(() => isStopped('never mind'))).toBe(true);
  await expect(client.experimental.tasks.cancelTask(id)).rejects.toMatchObject({ code: -32_602 });
});

it('turns a long modern call into a task, which later contains the answer', async () => {
  const args = '{"message":"take your time"}';
  const post = async (method: string, name: string, body: string) =>
    JSON.parse(
      (await hub.connect().post(body, { headers: modernHeaders(method, name) })).messages.at(-1)!,
    ) as {
      result: Record<string, unknown>;
    };
  const call = withTasks(callText('order_openclaw', { era: 'modern', args }));
  const { result: task } = await post('tools/call', 'order_openclaw', call);
  expect(task).toMatchObject({ resultType: 'task', status: 'working' });
  const taskId = String(task['taskId']);
  const params = withTasks(paramsText('modern', `"taskId":"${taskId}"`));
  const get = async () => (await post('tasks/get', taskId, request('tasks/get', params))).result;
  expect(await get()).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
  await end('take your time', 'here it is');
  let last: Record<string, unknown> = {};
  expect(await eventually(async () => (last = await get())['status'] !== 'working')).toBe(true);
  expect(last).toMatchObject({
    status: 'completed',
    result: { resultType: 'complete', content: [{ type: 'text', text: 'here it is' }] },
  });
});

it('lets a client without tasks fetch the answer with order_status', async () => {
  const message = 'how long';
  const first = textOf(await hub.call('order_openclaw', { message }));
  expect(first).toContain('OpenClaw is still working');
  const orderId = /"orderId":"([0-9a-f]{32})"/.exec(first)![1]!;
  expect(textOf(await hub.call('order_status', { orderId, waitMs: 0 }))).toContain('still working');
  const status = async (): Promise<string> => textOf(await hub.call('order_status', { orderId }));
  const waiting = status();
  await end(message, 'not long');
  expect(await waiting).toMatch(/still working|^not long$/);
  expect(await eventually(async () => (await status()) === 'not long')).toBe(true);
  expect(await status()).toBe('not long');
  const { token } = (await hub.control('POST', 'tokens', { name: 'other' })).value as { token: string };
  const foreign = await hub
    .connect(token)
    .post(callText('order_status', { args: JSON.stringify({ orderId }) }));
  expect(textOf(parseAnswer(foreign.messages.at(-1)!))).toContain('Unknown order');
});

it('lets a client without tasks stop an order', async () => {
  const message = 'enough';
  const first = textOf(await hub.call('order_openclaw', { message }));
  const orderId = /"orderId":"([0-9a-f]{32})"/.exec(first)![1]!;
  expect(textOf(await hub.call('order_stop', { orderId }))).toContain('has stopped');
  expect(isStopped(message)).toBe(true);
});

it('ends an order when its token is revoked, and answers it to no other caller', async () => {
  const { token } = (await hub.control('POST', 'tokens', { name: 'guest' })).value as { token: string };
  const ask = (message: string): Promise<Reply> =>
    hub.connect(token).post(callText('order_openclaw', { args: JSON.stringify({ message }) }));
  expect(textOf(parseAnswer((await ask('go on')).messages.at(-1)!))).toContain('still working');
  const cutOff = expect(ask('wait for me')).rejects.toThrow();
  expect(await eventually(() => runFor('wait for me') !== undefined)).toBe(true);
  expect((await hub.control('DELETE', 'tokens?name=guest')).status).toBe(200);
  await cutOff;
  expect(await eventually(() => isStopped('wait for me') && isStopped('go on'))).toBe(true);
  expect((await ask('again')).status).toBe(401);
});
