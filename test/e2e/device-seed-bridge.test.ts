/** Seed 000, "MCP bridge": valid and invalid messages on `/`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import {
  callText,
  ENVELOPE,
  modernHeaders,
  parseAnswer,
  request,
  textOf,
  type Answer,
} from '../kit/messages.ts';
import { verifies } from '../verifies.ts';

let hub: DeviceHub;
beforeAll(async () => {
  hub = await startDevice({ device: { capabilities: { screen: true } } });
});
afterAll(() => hub?.[Symbol.asyncDispose]());

const initialize = (version: string): string =>
  request(
    'initialize',
    `{"protocolVersion":"${version}","capabilities":{},"clientInfo":{"name":"seed","version":"1"}}`,
  );

it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('agrees on %s', async (version) => {
  verifies('000-bridge-initialize-version', '000-bridge-initialize-server-info');
  const { status, answer } = await hub.ask(initialize(version));
  expect(status).toBe(200);
  expect(answer.result).toMatchObject({
    protocolVersion: version,
    serverInfo: { name: expect.any(String) as string, version: expect.any(String) as string },
    capabilities: { tools: {} },
  });
});

it('supports the newest revision, which has no initialize', async () => {
  const body = request('server/discover', `{"_meta":{${ENVELOPE}}}`);
  const { status, answer } = await hub.ask(body, modernHeaders('server/discover'));
  expect(status).toBe(200);
  expect(answer.result).toMatchObject({
    supportedVersions: expect.arrayContaining(['2026-07-28']) as string[],
  });
  const called = await hub.ask(
    callText('device.info', { era: 'modern' }),
    modernHeaders('tools/call', 'device.info'),
  );
  expect(JSON.parse(textOf(called.answer))).toHaveProperty('systemName');
});

it.each(['1', '1.5', '99999999999999999999', '-0', '1e3', '"abc"', '"1"', '"with \\"quotes\\" and \\u00e9"'])(
  'returns the id %s unchanged',
  async (id) => {
    verifies('000-bridge-jsonrpc-2');
    for (const body of [
      request('ping', '{}', id),
      request('tools/list', '{}', id),
      request('no/such', '{}', id),
      callText('device.info', { id }),
      callText('no.such', { id }),
    ]) {
      const { text } = await hub.ask(body);
      expect(text.replaceAll(/\s/g, '')).toContain(`"id":${id.replaceAll(/\s/g, '')}`);
      expect(text).toContain('"2.0"');
    }
  },
);

it('describes each tool and its arguments', async () => {
  verifies('000-bridge-list-description', '000-non-goals-input-schema');
  const { answer } = await hub.ask(request('tools/list'));
  const tools = answer.result?.['tools'] as unknown as {
    name: string;
    description: string;
    inputSchema: { type: string; properties: Record<string, object> };
  }[];
  for (const { name, description, inputSchema } of tools) {
    expect(name).toMatch(/^[a-z]+(?:\.[A-Za-z0-9]+)+$/);
    const [category = ''] = name.split('.');
    expect(description, name).toContain(`${category} capability: ${name}`);
    expect(inputSchema.type, name).toBe('object');
  }
  const run = tools.find(({ name }) => name === 'system.run');
  expect(Object.keys(run!.inputSchema.properties)).toEqual(
    expect.arrayContaining(['command', 'cwd', 'env', 'timeoutMs']),
  );
});

it('answers a call with one JSON document, its payload as text and as structured content', async () => {
  verifies('000-bridge-call-text', '000-non-goals-plain-json', '000-http-post-jsonrpc');
  const { status, type, answer } = await hub.ask(callText('device.info'));
  expect(status).toBe(200);
  expect(type).toMatch(/^application\/json/);
  expect(answer.result?.['isError'] ?? false).toBe(false);
  const payload = JSON.parse(textOf(answer)) as object;
  expect(Object.keys(payload)).toEqual(
    expect.arrayContaining(['deviceName', 'systemName', 'systemVersion', 'appVersion', 'locale']),
  );
  expect(answer.result?.['structuredContent']).toEqual(payload);
});

it('accepts null or missing arguments', async () => {
  for (const params of ['{"name":"device.info","arguments":null}', '{"name":"device.info"}'])
    expect(textOf((await hub.ask(request('tools/call', params))).answer)).toContain('systemName');
});

const isError = ({ result, error }: Answer): unknown => [result?.['isError'], error];

it.each([
  ['params as a list', '[]', 'Invalid params: expected object'],
  ['params as a text', '"x"', 'Invalid params: expected object'],
  ['no name', '{}', "Missing 'name'"],
  ['a number as the name', '{"name":5}', "Missing 'name'"],
  ['an empty name', '{"name":""}', 'Empty tool name'],
  ['a blank name', '{"name":"  "}', 'Empty tool name'],
  [
    'arguments as a list',
    '{"name":"device.info","arguments":[1]}',
    "'arguments' must be a JSON object if present",
  ],
  [
    'arguments as a text',
    '{"name":"device.info","arguments":"x"}',
    "'arguments' must be a JSON object if present",
  ],
  ['an unknown tool', '{"name":"no.such"}', 'Unknown tool: no.such'],
  ['a tool in other case', '{"name":"Device.Info"}', 'Unknown tool: Device.Info'],
  ['the name on /mcp', '{"name":"device__device_info"}', 'Unknown tool: device__device_info'],
])('returns %s as an error of the call, not of the protocol', async (_label, params, text) => {
  verifies('000-bridge-call-unknown', '000-bridge-call-failure');
  const { status, answer } = await hub.ask(request('tools/call', params));
  expect([status, ...(isError(answer) as unknown[])]).toEqual([200, true, undefined]);
  expect(textOf(answer)).toContain(text);
});

it('answers a forbidden tool like an unknown one', async () => {
  const { value } = await hub.control('POST', 'tokens', { name: 'guest', tools: ['device.device.info'] });
  await using guest = hub.connect((value as { token: string }).token);
  const call = async (tool: string): Promise<Answer> =>
    parseAnswer((await guest.post(callText(tool), { path: '/' })).body);
  expect(textOf(await call('device.info'))).toContain('systemName');
  for (const tool of ['system.run', 'screen.snapshot', 'no.such']) {
    const answer = await call(tool);
    expect([tool, answer.result?.['isError'], textOf(answer)]).toEqual([tool, true, `Unknown tool: ${tool}`]);
  }
});

it('handles a call without params', async () => {
  const { answer } = await hub.ask('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
  expect(isError(answer)).toEqual([true, undefined]);
});

it('runs nothing if a member occurs twice', async () => {
  for (const params of [
    '{"name":"device.info","name":"device.status"}',
    '{"name":"device.info","arguments":{},"arguments":{}}',
  ]) {
    const { answer } = await hub.ask(request('tools/call', params));
    expect(answer.error !== undefined || answer.result?.['isError'] === true).toBe(true);
  }
});

it('returns the reason of a failed tool', async () => {
  const answer = await hub.command('system.which', {});
  expect(answer.result?.['isError']).toBe(true);
  expect(textOf(answer)).toContain('Missing bins parameter');
});

it('returns -32601 for an unknown method', async () => {
  verifies('000-bridge-unknown-method');
  for (const method of ['no/such', 'tools', 'constructor', '']) {
    const { answer } = await hub.ask(request(method));
    expect([method, answer.error?.code]).toEqual([method, method === '' ? expect.any(Number) : -32601]);
  }
});

it.each([
  ['text that is not JSON', 'hello', -32700],
  ['half a message', '{"jsonrpc":"2.0","id":1,', -32700],
  ['a message with text after it', '{"jsonrpc":"2.0","id":1,"method":"ping"}}', -32700],
  ['several messages', `[${request('ping')}]`, -32600],
  ['an empty list', '[]', -32600],
  ['a text', '"ping"', -32600],
  ['null', 'null', -32600],
  ['a number', '5', -32600],
])('answers %s with an error without an id', async (_label, body, code) => {
  verifies('000-bridge-parse-error');
  const { answer, text } = await hub.ask(body);
  expect([answer.id, answer.error?.code, text.includes('"result"')]).toEqual([null, code, false]);
});

it('refuses an empty body', async () => {
  const { status, answer } = await hub.ask('', { 'content-length': '0' });
  expect([200, 400]).toContain(status);
  expect(answer.error?.code).toBe(-32700);
});

it('returns -32600 for a message without a method', async () => {
  for (const body of ['{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1,"method":5}'])
    expect((await hub.ask(body)).answer).toMatchObject({ id: 1, error: { code: -32600 } });
});

it.each(['notifications/initialized', 'notifications/cancelled', 'notifications/no-such'])(
  'accepts %s without an answer',
  async (method) => {
    verifies('000-bridge-notification');
    const { status, text } = await hub.ask(
      `{"jsonrpc":"2.0","method":"${method}","params":{"requestId":"none"}}`,
    );
    expect([202, 204]).toContain(status);
    expect(text).toBe('');
  },
);

it('never answers a notification, not even with an error', async () => {
  for (const body of ['{"jsonrpc":"2.0","method":"no/such"}', '{"jsonrpc":"2.0","method":"tools/call"}'])
    expect((await hub.ask(body)).text).toBe('');
});

it('lists resources and prompts', async () => {
  verifies('000-deferred-resources-prompts');
  const resources = (await hub.ask(request('resources/list'))).answer.result;
  expect(resources?.['resources']).toEqual(expect.any(Array));
  const prompts = (await hub.ask(request('prompts/list'))).answer.result;
  expect(prompts?.['prompts']).toEqual([]);
});

it('offers recent activity as a resource', async () => {
  verifies('000-deferred-activity-resource');
  await hub.command('device.info');
  const { answer } = await hub.ask(request('resources/list'));
  expect(answer.result?.['resources']).toContainEqual(expect.objectContaining({ uri: 'device://activity' }));
  const read = await hub.ask(request('resources/read', '{"uri":"device://activity"}'));
  expect(JSON.stringify(read.answer.result)).toContain('device.info');
});

it('cancels a call without a session by its id, and the next call works', async () => {
  const slow = hub.ask(
    callText('system.run', { id: '"slow"', args: '{"command":["/bin/sleep","60"],"timeoutMs":90000}' }),
  );
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}';
  let isOver = false;
  void slow.finally(() => (isOver = true));
  // The call may not have begun when the first notification arrives.
  await expect
    .poll(
      async () => {
        expect((await hub.ask(cancel)).status).toBe(202);
        return isOver;
      },
      { interval: 100, timeout: 20_000 },
    )
    .toBe(true);
  expect((await slow).answer.result).toMatchObject({ isError: true });
  expect(textOf((await slow).answer)).toContain('cancelled');
  expect(textOf(await hub.command('system.run', { command: ['/bin/echo', 'next'] }))).toContain('next');
});
