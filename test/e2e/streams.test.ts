import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, INITIALIZE, INITIALIZED, parseAnswer, textOf } from '../kit/messages.ts';
import { messagesIn } from '../kit/http.ts';
import { stdioServer } from '../kit/servers.ts';
import { whenInFlight } from '../kit/status.ts';
import { connectSdk } from '../servers/sdk-clients.ts';

const RESUME_MS = 1_500;
let hub: TestHub;

beforeAll(async () => {
  hub = await startHub({
    servers: { pipe: stdioServer(), talker: stdioServer({ talk: true }) },
    config: { limits: { resumeWaitMs: RESUME_MS } },
  });
});
afterAll(() => hub[Symbol.asyncDispose]());

type Headers = Record<string, string>;

/** A stream that the test reads as it arrives and can cut at any time. */
class Events {
  readonly response: IncomingMessage;
  text = '';
  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    response.on('error', () => undefined);
  }
  get messages(): string[] {
    return messagesIn(this.text, 'text/event-stream').filter((text) => text !== '');
  }
  /** The id of the last complete event. */
  get lastId(): string {
    return [...this.text.slice(0, this.text.lastIndexOf('\n\n')).matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';
  }
  until(condition: () => boolean): Promise<void> {
    return expect.poll(condition, { timeout: 10_000, interval: 5 }).toBe(true);
  }
  ended(): Promise<void> {
    return this.until(() => this.response.readableEnded);
  }
}

async function open(method: 'GET' | 'POST', headers: Headers, body = ''): Promise<Events> {
  const sent = request(hub.url, {
    method,
    agent: false,
    headers: {
      authorization: `Bearer ${hub.token}`,
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return new Events(response);
}

async function begin(): Promise<Headers> {
  const { headers } = await hub.post(INITIALIZE);
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
  expect((await hub.post(INITIALIZED, { headers: session })).status).toBe(202);
  return session;
}

const progress = (steps: number, everyMs: number): string =>
  callText('pipe__progress', { args: `{"steps":${steps},"everyMs":${everyMs}}`, meta: '"progressToken":1' });

describe('the stream of a session', () => {
  it('announces each change once', async () => {
    const session = await begin();
    const events = await open('GET', session);
    await hub.call('pipe__add_tool', { name: 'told_by_get' });
    await events.until(() => events.messages.length > 0);
    expect(events.messages.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
    expect((await hub.post('', { method: 'DELETE', headers: session })).status).toBe(204);
    await events.ended();
  });

  it('replays missed events to a client that reconnects', async () => {
    const session = await begin();
    const first = await open('GET', session);
    await first.until(() => first.lastId !== '');
    first.response.destroy();
    await hub.call('pipe__add_tool', { name: 'told_later' });
    const again = await open('GET', { ...session, 'last-event-id': first.lastId });
    await again.until(() => again.messages.length > 0);
    expect(again.messages[0]).toContain('notifications/tools/list_changed');
    again.response.destroy();
  });

  it('reaches the official client', async () => {
    const headers = { Authorization: `Bearer ${hub.token}` };
    await using client = await connectSdk('legacy', hub.url, headers);
    let told = 0;
    await client.onToolsChanged(() => told++);
    // The client opens its stream after initializing, without a sign that it is open.
    await expect
      .poll(
        async () => {
          await hub.call('pipe__add_tool', { name: `for_sdk_${Date.now()}` });
          return told;
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBeGreaterThan(0);
  });
});

describe('the stream of an interrupted answer', () => {
  it('continues without a gap when the client reconnects', async () => {
    const session = await begin();
    const first = await open('POST', session, progress(40, 25));
    await first.until(() => first.messages.length >= 3);
    first.response.destroy();
    const again = await open('GET', { ...session, 'last-event-id': first.lastId });
    await again.ended();
    const steps = [...first.messages, ...again.messages].flatMap(
      (text) => /"progress":(\d+)/.exec(text)?.[1] ?? [],
    );
    expect(steps.map(Number)).toEqual(Array.from({ length: 40 }, (_, step) => step + 1));
    expect(textOf(parseAnswer(again.messages.at(-1)!))).toBe('40 steps');
  });

  it('keeps its answer for a while', async () => {
    const session = await begin();
    const first = await open('POST', session, progress(4, 50));
    await first.until(() => first.messages.length >= 1);
    first.response.destroy();
    await whenInFlight(hub, 'pipe', 0);
    const again = await open('GET', { ...session, 'last-event-id': first.lastId });
    await again.ended();
    expect(textOf(parseAnswer(again.messages.at(-1)!))).toBe('4 steps');
  });

  it('ends if the client does not reconnect', async () => {
    const before = await cancelled();
    const session = await begin();
    const first = await open('POST', session, progress(100_000, 10));
    await first.until(() => first.messages.length >= 1);
    first.response.destroy();
    await whenInFlight(hub, 'pipe', 1);
    await expect.poll(cancelled, { timeout: 10_000, interval: 100 }).toBe(before + 1);
    await whenInFlight(hub, 'pipe', 0);
  });
});

describe('the stream of a call that ended with an error', () => {
  it('leaves the official client connected: it reconnects once, and not in a loop', async () => {
    const requestInit = { headers: { Authorization: `Bearer ${hub.token}` } };
    const reconnectionOptions = {
      initialReconnectionDelay: 20,
      maxReconnectionDelay: 20,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 2,
    };
    const client = new Client({ name: 'test', version: '1' });
    const problems: string[] = [];
    client.onerror = ({ message }) => problems.push(message);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(hub.url), { requestInit, reconnectionOptions }),
    );
    try {
      // The log message opens the stream. The script has no step "fail", so the server answers with an error.
      const call = { name: 'talker__talk', arguments: { marker: 'm', script: 'log,fail' } };
      await expect(client.callTool(call)).rejects.toThrow('no step of a script');
      await sleep(50 * reconnectionOptions.maxReconnectionDelay);
      expect(problems).toEqual([]);
    } finally {
      await client.close();
    }
  });
});

async function cancelled(): Promise<number> {
  const { result } = await hub.call('pipe__cancelled');
  return (result!['structuredContent'] as { count: number }).count;
}
