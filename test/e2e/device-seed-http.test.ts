/** The device's own HTTP: verbs, sizes, slots, and incomplete requests. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { CHUNKED, requestText, type Changes, type Endpoint } from '../kit/device/raw-request.ts';
import { callText, INITIALIZE, parseAnswer, request, textOf } from '../kit/messages.ts';
import { eventually, isAlive } from '../kit/processes.ts';
import { openRaw, type RawResponse } from '../kit/raw-socket.ts';
import { connectSdk } from '../servers/sdk-clients.ts';
import { isGatewayAt } from '../../packages/hub/src/openclaw/discovery.ts';
import { verifies } from '../verifies.ts';

const MIB = 2 ** 20;
const SLOTS = 8;
const PING = request('ping');

let hub: DeviceHub;
let endpoint: Endpoint;
beforeAll(async () => {
  hub = await startDevice({ limits: { bodyTimeoutMs: 1_000 } });
  endpoint = { origin: hub.origin, path: '/', token: hub.token };
});
afterAll(() => hub?.[Symbol.asyncDispose]());

async function send(body: string, changes: Changes = {}): Promise<RawResponse> {
  await using raw = await openRaw(hub.origin);
  raw.write(requestText(endpoint, body, changes));
  const response = await raw.response();
  if (response === undefined) throw new Error('the connection ended without a response');
  return response;
}

it('returns a short text for GET with the token', async () => {
  verifies('000-http-get-probe', '000-auth-every-request', '000-history-discovery');
  // The search for gateways on this machine must not find the device.
  expect(await isGatewayAt(Number(new URL(hub.origin).port))).toBe(false);
  const { status, head, body } = await send('', { method: 'GET', headers: { accept: '*/*' } });
  expect(status).toBe(200);
  expect(head).toMatch(/^content-type: text\/plain/im);
  expect(body).toContain('POST');
  const stranger = await send('', { method: 'GET', headers: { authorization: undefined } });
  expect([stranger.status, stranger.body]).toEqual([401, '']);
});

it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
  'returns 405 for %s, and 401 without a token',
  async (method) => {
    verifies('000-http-405', '000-http-token-before-method');
    expect((await send('', { method })).status).toBe(405);
    const stranger = await send('', { method, headers: { authorization: undefined } });
    expect([stranger.status, stranger.body]).toEqual([401, '']);
  },
);

it('returns 405 for HEAD', async () => {
  const { status } = await fetch(hub.root, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${hub.token}` },
  });
  expect(status).toBe(405);
});

it('offers no event stream without a session', async () => {
  // The SDK requests one after initialize, and continues without it.
  const { status } = await send('', { method: 'GET', headers: { accept: 'text/event-stream' } });
  expect([200, 400, 405]).toContain(status);
});

it('accepts only JSON', async () => {
  verifies('000-security-content-type');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', undefined])
    expect((await send(PING, { headers: { 'content-type': type } })).status).toBe(415);
  for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;x=y'])
    expect((await send(PING, { headers: { 'content-type': type } })).status).toBe(200);
});

it('checks the token first, then the verb, the type and the size', async () => {
  const large = { 'content-length': String(5 * MIB) };
  const text = { 'content-type': 'text/plain' };
  expect((await send('', { method: 'PUT', headers: { ...large, ...text } })).status).toBe(405);
  expect((await send('', { headers: { ...large, ...text } })).status).toBe(415);
  expect((await send('', { headers: large })).status).toBe(413);
  expect((await send('', { headers: { ...large, authorization: undefined } })).status).toBe(401);
  expect((await send('', { headers: { host: 'evil.com', authorization: undefined } })).status).toBe(403);
});

it('accepts four MiB and not one byte more, declared or streamed', async () => {
  verifies('000-security-body-4mib');
  const filled = (size: number): string => PING.padEnd(size, ' ');
  expect((await send(filled(4 * MIB))).status).toBe(200);
  expect((await send('', { headers: { 'content-length': String(4 * MIB + 1) } })).status).toBe(413);
  await using raw = await openRaw(hub.origin);
  raw.write(requestText(endpoint, '', { headers: CHUNKED, sent: '' }));
  const chunk = `100000\r\n${' '.repeat(MIB)}\r\n`;
  for (let sent = 0; sent < 5 && !raw.isClosed; sent++) raw.write(chunk);
  expect((await raw.response())?.status).toBe(413);
});

it('returns 408 if the body does not arrive', async () => {
  await using raw = await openRaw(hub.origin);
  raw.write(requestText(endpoint, PING, { sent: PING.slice(0, 5) }));
  expect((await raw.response())?.status).toBe(408);
});

it('keeps working after a client disconnects within its request', async () => {
  for (let round = 0; round < SLOTS * 2; round++) {
    await using raw = await openRaw(hub.origin);
    raw.write(requestText(endpoint, PING, { sent: PING.slice(0, 5) }));
  }
  expect((await send(PING)).status).toBe(200);
});

it('runs eight calls at once, returns 503 for the ninth, and frees a slot when a call ends', async () => {
  verifies('000-security-concurrency-8');
  const program = join(hub.folder, 'go-on');
  // Each call reports that it runs, and ends when the test allows it.
  const script = `
    const { existsSync, writeFileSync } = require('node:fs');
    writeFileSync(process.argv[1] + process.argv[2], '');
    const timer = setInterval(() => existsSync(process.argv[1]) && clearInterval(timer), 20);`;
  const slow = (mark: string): Promise<RawResponse> =>
    send(
      callText('system.run', {
        args: JSON.stringify({ command: [process.execPath, '-e', script, program, mark], timeoutMs: 60_000 }),
      }),
    );
  const marks = Array.from({ length: SLOTS }, (_, index) => String(index));
  const running = marks.map(slow);
  expect(await eventually(() => marks.every((mark) => existsSync(program + mark)))).toBe(true);
  // The checks of token and origin precede the check of slots.
  expect((await send(PING, { headers: { authorization: undefined } })).status).toBe(401);
  expect((await send(PING, { headers: { origin: 'https://evil.com' } })).status).toBe(403);
  const ninth = await send(
    callText('system.run', { args: JSON.stringify({ command: ['touch', `${program}9`] }) }),
  );
  expect(ninth.status).toBe(503);
  expect((await hub.post('', { path: '/health', method: 'GET' })).status).toBe(200);
  expect((await hub.post(PING)).status).toBe(200);
  writeFileSync(program, '');
  for (const { status, body } of await Promise.all(running)) {
    expect(status).toBe(200);
    expect(JSON.parse(textOf(parseAnswer(body)))).toMatchObject({ exitCode: 0 });
  }
  expect(existsSync(`${program}9`)).toBe(false);
  expect((await send(PING)).status).toBe(200);
});

it('frees the slot of a caller that disconnects', async () => {
  for (let round = 0; round < SLOTS + 1; round++) {
    const mark = join(hub.folder, `gone-${round}`);
    const raw = await openRaw(hub.origin);
    raw.write(
      requestText(
        endpoint,
        callText('system.run', {
          args: JSON.stringify({
            command: [
              process.execPath,
              '-e',
              `require('fs').writeFileSync(${JSON.stringify(mark)}, ''); setTimeout(() => 0, 60000)`,
            ],
            timeoutMs: 60_000,
          }),
        }),
      ),
    );
    expect(await eventually(() => existsSync(mark))).toBe(true);
    raw.socket.destroy();
  }
  expect(await eventually(async () => (await send(PING)).status === 200)).toBe(true);
});

it('holds no slot for open streams', async () => {
  const usual = { authorization: `Bearer ${hub.token}` };
  const closing = new AbortController();
  for (let stream = 0; stream < SLOTS + 1; stream++) {
    await using connection = hub.connect();
    const { headers } = await connection.post(INITIALIZE, { path: '/' });
    const { status } = await fetch(hub.root, {
      headers: { ...usual, accept: 'text/event-stream', 'mcp-session-id': String(headers['mcp-session-id']) },
      signal: closing.signal,
    });
    expect(status).toBe(200);
  }
  expect((await send(PING)).status).toBe(200);
  closing.abort();
});

it('holds no slot for calls that wait for an approval', async () => {
  await using asking = await startDevice({ policy: null, limits: { approvalWaitMs: 3_000 } });
  const waiting = Array.from({ length: SLOTS + 1 }, (_, index) =>
    asking.command('system.run', { command: ['touch', join(asking.folder, String(index))] }),
  );
  const areOpen = async (): Promise<boolean> =>
    ((await asking.control('GET', 'approvals')).value as object[]).length === waiting.length;
  expect(await eventually(areOpen)).toBe(true);
  expect((await asking.ask(PING)).status).toBe(200);
  await Promise.all(waiting);
});

it('ends the program of a cancelled call', async () => {
  await using client = await connectSdk('legacy', hub.root, { authorization: `Bearer ${hub.token}` });
  const mark = join(hub.folder, 'cancelled');
  const script = `require('fs').writeFileSync(${JSON.stringify(mark)}, String(process.pid)); setTimeout(() => 0, 60000)`;
  const cancelling = new AbortController();
  const call = client.callTool(
    'system.run',
    { command: [process.execPath, '-e', script], timeoutMs: 60_000 },
    { signal: cancelling.signal },
  );
  const pid = (): number => (existsSync(mark) ? Number(readFileSync(mark, 'utf8')) : 0);
  expect(await eventually(() => pid() > 0)).toBe(true);
  cancelling.abort();
  await expect(call).rejects.toThrow();
  expect(await eventually(() => !isAlive(pid()))).toBe(true);
});

it('sends no CORS header', async () => {
  verifies('000-security-no-cors');
  for (const changes of [{}, { method: 'OPTIONS' }, { method: 'PUT' }, { headers: { origin: 'null' } }])
    expect((await send(PING, changes)).head).not.toMatch(/^access-control-/im);
});
