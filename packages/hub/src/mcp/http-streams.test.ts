/** Event streams over HTTP: resumable streams of legacy sessions, and streams that stay open. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Log } from '../core/ports.ts';
import type { Message } from '../core/wire/message.ts';
import type { Sender } from './dispatch.ts';
import { createMcpHttp, type McpHttp } from './http.ts';
import type { LegacyClient } from './legacy-client.ts';
import type { Reply } from './reply.ts';
import { createSessions } from './sessions.ts';
import { createSlots, type Slots } from './slots.ts';

const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
/** The test controls the time; open requests are checked every 5 ms. */
const LIMITS = {
  ...DEFAULT_LIMITS,
  maxCallsPerCredential: 3,
  maxStreamsPerCredential: 3,
  bodyTimeoutMs: 10,
  slotWaitMs: 20,
  resumeWaitMs: 500,
};

interface Asked {
  readonly message: Message;
  readonly sender: Sender;
  readonly reply: Reply;
  readonly cancelled: string[];
}

let server: Server;
let http: McpHttp;
let slots: Slots;
let calls: Asked[];
let welcomed: LegacyClient[];
let gone: LegacyClient[];
let isValid: boolean;
let time: number;

beforeEach(async () => {
  calls = [];
  welcomed = [];
  gone = [];
  isValid = true;
  time = 0;
  slots = createSlots(LIMITS);
  http = createMcpHttp({
    slots,
    limits: LIMITS,
    log: QUIET,
    elapsed: () => time,
    sessions: createSessions(LIMITS, () => time),
    isValid: () => isValid,
    onRejected: () => undefined,
    onClient(client) {
      welcomed.push(client as LegacyClient);
      return () => gone.push(client as LegacyClient);
    },
    dispatch(message, sender, reply) {
      if (message.method === undefined) sender.legacy?.questions.answer(message);
      if (message.id === undefined || message.method === undefined) {
        reply.accept();
        return undefined;
      }
      if (message.method === 'initialize') {
        sender.legacy!.introduce(message);
        reply.answer(result(message.id), 200);
        return undefined;
      }
      const entry: Asked = { message, sender, reply, cancelled: [] };
      calls.push(entry);
      const running = { cancel: (reason: string) => void entry.cancelled.push(reason) };
      sender.running.set(message.id, running);
      return running;
    },
  });
  server = createServer((request, response) => {
    const id = String(request.headers['x-caller'] ?? 'a');
    const scopes = id === 'openclaw' ? { openClaw: true } : {};
    http.handle(request, response, { id, name: id, scopes }, undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  http.close();
  server.closeAllConnections();
  server.close();
});

type Headers = Record<string, string>;

const result = (id: string): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
const until = (condition: () => boolean): Promise<void> => expect.poll(condition, { interval: 2 }).toBe(true);
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}';
const note = (n: number): string => `{"jsonrpc":"2.0","method":"note${n}","params":{}}`;
const event = (id: string, data: string): string => `id: ${id}\nevent: message\ndata: ${data}\n\n`;

/** An answer that is read as it arrives. */
class Answer {
  readonly response: IncomingMessage;
  body = '';
  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8').on('data', (chunk: string) => (this.body += chunk));
    response.on('error', () => undefined);
  }
  get status(): number {
    return this.response.statusCode!;
  }
  /** Cuts the connection. */
  async cut(): Promise<void> {
    this.response.destroy();
    await once(this.response, 'close').catch(() => undefined);
  }
  ends(): Promise<void> {
    return until(() => this.response.readableEnded);
  }
  has(events: string): Promise<void> {
    return expect.poll(() => this.body, { interval: 2 }).toBe(events);
  }
}

/** Resolves with the head of the answer. */
async function send(method: string, headers: Headers, body = ''): Promise<Answer> {
  const sent = httpRequest({
    port: (server.address() as AddressInfo).port,
    method,
    agent: false,
    headers: {
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined);
  return new Answer(response);
}

async function initialize(version = '2025-11-25', headers: Headers = {}): Promise<Headers> {
  const params = `{"protocolVersion":"${version}","capabilities":{},"clientInfo":{}}`;
  const body = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`;
  const { response } = await send('POST', headers, body);
  const session = { ...headers, 'mcp-session-id': String(response.headers['mcp-session-id']) };
  await send('POST', session, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return session;
}

/** Posts a call and returns its answer as soon as it is a stream. */
async function stream(headers: Headers): Promise<{ call: Asked; answer: Answer }> {
  const before = calls.length;
  const sent = send('POST', headers, CALL);
  await until(() => calls.length > before);
  const call = calls.at(-1)!;
  call.reply.notify(note(1));
  return { call, answer: await sent };
}

const free = (): Promise<void> => until(() => slots.inUse === 0 && slots.streams.inUse === 0);

describe('GET', () => {
  it.each<[string, number, Headers]>([
    ['without a session', 405, {}],
    ['of the modern era', 405, { 'mcp-session-id': 'x', 'mcp-protocol-version': '2026-07-28' }],
    ['of an unknown session', 404, { 'mcp-session-id': 'x' }],
    ['in an unknown version', 400, { 'mcp-session-id': 'x', 'mcp-protocol-version': '1999-01-01' }],
  ])('%s is answered %i', async (_what, status, headers) => {
    expect((await send('GET', headers)).status).toBe(status);
    await free();
  });

  it('of another credential’s session returns 404, as for an unknown session', async () => {
    const session = await initialize();
    expect((await send('GET', { ...session, 'x-caller': 'b' })).status).toBe(404);
  });

  it('returns 406 for a client that does not accept events', async () => {
    const session = await initialize();
    expect((await send('GET', { ...session, accept: 'application/json' })).status).toBe(406);
  });

  it('opens the session’s stream, which holds no slot', async () => {
    const session = await initialize();
    const listening = await send('GET', session);
    expect(listening.status).toBe(200);
    expect(listening.response.headers['content-type']).toBe('text/event-stream');
    await until(() => slots.inUse === 0);
    expect(slots.streams.inUse).toBe(1);
    welcomed[0]!.notify('note1', '{}');
    await listening.has(`id: 0_0\ndata: \n\n${event('0_1', note(1))}`);
    await listening.cut();
    await free();
  });

  it('sends no event without data to an older client', async () => {
    const listening = await send('GET', await initialize('2025-06-18'));
    welcomed[0]!.notify('note1', '{}');
    await listening.has(event('0_1', note(1)));
  });

  it('carries questions, which the client answers with POST', async () => {
    const session = await initialize();
    const listening = await send('GET', session);
    const answers: unknown[] = [];
    welcomed[0]!.ask({ method: 'roots/list', params: '{}', answer: (it) => void answers.push(it) });
    await until(() => listening.body.includes('roots/list'));
    const id = /"id":"([^"]+)"/.exec(listening.body)![1]!;
    const answered = await send('POST', session, `{"jsonrpc":"2.0","id":"${id}","result":{"roots":[]}}`);
    expect(answered.status).toBe(202);
    expect(answers).toEqual([{ result: '{"roots":[]}' }]);
  });

  it('is refused while another one is open, and accepted after that closed', async () => {
    const session = await initialize();
    const first = await send('GET', session);
    expect((await send('GET', session)).status).toBe(409);
    expect((await send('GET', { ...session, 'last-event-id': '9_9' })).status).toBe(409);
    await first.cut();
    await free();
    expect((await send('GET', session)).status).toBe(200);
  });

  it('with an event id replaces a stream whose disconnection was not noticed', async () => {
    const session = await initialize();
    const first = await send('GET', session);
    welcomed[0]!.notify('note1', '{}');
    await until(() => first.body.includes('note1'));
    const second = await send('GET', { ...session, 'last-event-id': '0_1' });
    await until(() => first.response.destroyed);
    welcomed[0]!.notify('note2', '{}');
    await second.has(event('0_2', note(2)));
    expect(first.body).not.toContain('note2');
    await until(() => slots.streams.inUse === 1);
  });

  it('replays missed events only for a client that sends its last event id', async () => {
    const session = await initialize();
    const other = await initialize();
    const first = await send('GET', session);
    welcomed[0]!.notify('note1', '{}');
    await until(() => first.body.includes('note1'));
    await first.cut();
    await free();
    welcomed[0]!.notify('note2', '{}');
    const fresh = await send('GET', session);
    await fresh.has('id: 0_2\ndata: \n\n');
    const again = await send('GET', { ...session, 'last-event-id': '0_1' });
    await again.has(event('0_2', note(2)));
    const stranger = await send('GET', { ...other, 'last-event-id': '0_1' });
    welcomed[1]!.notify('own', '{}');
    await until(() => stranger.body.includes('own'));
    expect(stranger.body).not.toContain('note');
  });

  it.each(['', 'x', '0', '_', '1_1', '0_1_2', '-1_0', '99999999999999999999_1'])(
    'with the unknown id %j opens the stream without earlier events',
    async (id) => {
      const listening = await send('GET', { ...(await initialize()), 'last-event-id': id });
      await listening.has('id: 0_0\ndata: \n\n');
    },
  );

  it('sends keep-alives, and ends when the credential is revoked', async () => {
    const listening = await send('GET', await initialize('2025-03-26'));
    time += LIMITS.keepAliveMs;
    await listening.has(': still here\n\n');
    isValid = false;
    const closed = once(listening.response, 'close');
    http.endRevoked();
    await closed.catch(() => undefined);
    await free();
  });

  it('keeps the session alive, whose lifetime restarts at its end', async () => {
    const session = await initialize();
    const listening = await send('GET', session);
    time += 2 * LIMITS.sessionTtlMs;
    welcomed[0]!.notify('note1', '{}');
    await until(() => listening.body.includes('note1'));
    await listening.cut();
    await free();
    const ping = (): Promise<Answer> => send('POST', session, note(0));
    expect((await ping()).status).toBe(202);
    time += LIMITS.sessionTtlMs;
    await until(() => gone.length === 1);
    expect((await ping()).status).toBe(404);
  });

  it('ends with the session', async () => {
    const session = await initialize();
    const listening = await send('GET', session);
    expect((await send('DELETE', session)).status).toBe(204);
    await listening.ends();
    expect(gone).toEqual(welcomed);
    await free();
  });

  it('is refused above the limit of open streams', async () => {
    const sessions = [await initialize(), await initialize(), await initialize(), await initialize()];
    const answers: Answer[] = [];
    for (const session of sessions) answers.push(await send('GET', session));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503]);
    expect(answers[3]!.response.headers['retry-after']).toBe('1');
    const other = await initialize('2025-11-25', { 'x-caller': 'b' });
    expect((await send('GET', other)).status).toBe(200);
  });

  it('drops notifications if the client does not read', async () => {
    const listening = await send('GET', await initialize());
    listening.response.pause();
    const params = JSON.stringify({ text: 'x'.repeat(100_000) });
    for (let count = 0; count < 200; count++) welcomed[0]!.notify('big', params);
    listening.response.resume();
    await until(() => listening.body.includes('big'));
    welcomed[0]!.ask({ method: 'roots/list', params: '{}', answer: () => undefined });
    await until(() => listening.body.includes('roots/list'));
    expect(listening.body.match(/"big"/g)!.length).toBeLessThan(200);
  });
});

describe('without a GET', () => {
  it('a running answer carries messages that belong to no call', async () => {
    const session = await initialize();
    const sent = send('POST', session, CALL);
    await until(() => calls.length === 1);
    welcomed[0]!.notify('note1', '{}');
    welcomed[0]!.ask({ method: 'roots/list', params: '{}', answer: () => undefined });
    calls[0]!.reply.answer(result('1'), 200);
    const answer = await sent;
    await answer.ends();
    expect(answer.body).toContain(event('1_1', note(1)));
    expect(answer.body).toContain('roots/list');
    expect(answer.body).toContain(event('1_3', result('1')));
  });

  it('and without a running stream, no question can be asked', async () => {
    const session = await initialize();
    const plain = send('POST', { ...session, accept: 'application/json' }, CALL);
    await until(() => calls.length === 1);
    const question = { method: 'roots/list', params: '{}', answer: () => undefined };
    welcomed[0]!.notify('lost', '{}');
    expect(welcomed[0]!.ask(question)).toBeUndefined();
    expect(welcomed[0]!.ask(question, calls[0]!.reply)).toBeUndefined();
    calls[0]!.reply.answer(result('1'), 200);
    const answer = await plain;
    await answer.has(result('1'));
  });

  it('an answer of another session carries nothing', async () => {
    await initialize();
    const other = await initialize();
    const sent = send('POST', other, CALL);
    await until(() => calls.length === 1);
    expect(welcomed[0]!.ask({ method: 'roots/list', params: '{}', answer: () => undefined })).toBeUndefined();
    calls[0]!.reply.answer(result('1'), 200);
    await (await sent).has(result('1'));
  });
});

describe('the stream of an answer', () => {
  it('has event ids in a session, and an initial event to resume from', async () => {
    const session = await initialize();
    const { call, answer } = await stream(session);
    call.reply.answer(result('1'), 200);
    await answer.has(`id: 1_0\ndata: \n\n${event('1_1', note(1))}${event('1_2', result('1'))}`);
    await free();
    const second = await stream(session);
    await second.answer.has(`id: 2_0\ndata: \n\n${event('2_1', note(1))}`);
  });

  it('has no initial event for an older client', async () => {
    const { answer } = await stream(await initialize('2025-06-18'));
    await answer.has(event('1_1', note(1)));
  });

  it('continues after a disconnection, and ends at the resumed connection', async () => {
    const session = await initialize();
    const { call, answer } = await stream(session);
    await answer.has(`id: 1_0\ndata: \n\n${event('1_1', note(1))}`);
    await answer.cut();
    call.reply.notify(note(2));
    expect(call.reply.ask(note(3))).toBe(true);
    const again = await send('GET', { ...session, 'last-event-id': '1_1' });
    await again.has(event('1_2', note(2)) + event('1_3', note(3)));
    expect([slots.inUse, slots.streams.inUse]).toEqual([1, 1]);
    call.reply.notify(note(4));
    call.reply.answer(result('1'), 200);
    await again.ends();
    expect(again.body).toBe(
      [event('1_2', note(2)), event('1_3', note(3)), event('1_4', note(4)), event('1_5', result('1'))].join(
        '',
      ),
    );
    expect(call.cancelled).toEqual([]);
    await free();
  });

  it('is separate from the session’s stream and from other answers', async () => {
    const session = await initialize();
    const one = await stream(session);
    const two = await stream(session);
    const listening = await send('GET', session);
    welcomed[0]!.notify('own', '{}');
    await one.answer.cut();
    one.call.reply.answer(result('"one"'), 200);
    two.call.reply.answer(result('"two"'), 200);
    const again = await send('GET', { ...session, 'last-event-id': '1_0' });
    await again.ends();
    expect(again.body).toBe(event('1_1', note(1)) + event('1_2', result('"one"')));
    await until(() => listening.body.includes('own'));
    expect(listening.body).not.toContain('result');
  });

  it('delivers an answer given while disconnected to the same session only', async () => {
    const session = await initialize();
    const other = await initialize();
    const { call, answer } = await stream(session);
    await answer.cut();
    call.reply.answer(result('1'), 200);
    await free();
    const stranger = await send('GET', { ...other, 'last-event-id': '1_0' });
    await stranger.has('id: 0_0\ndata: \n\n');
    const again = await send('GET', { ...session, 'last-event-id': '1_1' });
    await again.ends();
    expect(again.body).toBe(event('1_2', result('1')));
  });

  it('is not reopened if all events were delivered', async () => {
    const session = await initialize();
    const { call, answer } = await stream(session);
    call.reply.answer(result('1'), 200);
    await answer.ends();
    expect((await send('GET', { ...session, 'last-event-id': '1_2' })).status).toBe(405);
    expect((await send('GET', { ...session, 'last-event-id': '1_1' })).status).toBe(200);
  });

  it('waits again after each disconnection', async () => {
    const session = await initialize();
    const { call, answer } = await stream(session);
    await answer.cut();
    time += LIMITS.resumeWaitMs - 1;
    const again = await send('GET', { ...session, 'last-event-id': '1_1' });
    time += LIMITS.resumeWaitMs - 1;
    await again.cut();
    await until(() => slots.streams.inUse === 0);
    time += LIMITS.resumeWaitMs - 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(call.cancelled).toEqual([]);
    time += 1;
    await until(() => call.cancelled.length > 0);
    expect(call.cancelled).toEqual(['the client went away']);
    expect(slots.inUse).toBe(1);
    call.reply.answer(result('1'), 200);
    await free();
  });

  it('is forgotten some time after its end', async () => {
    const session = await initialize();
    const { call, answer } = await stream(session);
    call.reply.answer(result('1'), 200);
    await answer.ends();
    await new Promise((resolve) => setTimeout(resolve, LIMITS.resumeWaitMs + 20));
    const listening = await send('GET', { ...session, 'last-event-id': '1_1' });
    await listening.has('id: 0_0\ndata: \n\n');
  });

  it('sends keep-alives on a resumed connection', async () => {
    const session = await initialize();
    const { call, answer } = await stream(session);
    await answer.cut();
    const again = await send('GET', { ...session, 'last-event-id': '1_1' });
    time += LIMITS.keepAliveMs;
    await until(() => again.body.includes(': still'));
    call.reply.answer(result('1'), 200);
    await again.ends();
  });

  it('without an event id cancels the call on disconnection', async () => {
    const sent = send('POST', await initialize('2025-06-18'), CALL);
    await until(() => calls.length === 1);
    time += LIMITS.keepAliveMs;
    await (await sent).cut();
    await until(() => calls[0]!.cancelled.length === 1);
    await free();
  });

  it.each<[string, Headers]>([
    ['without a session', {}],
    [
      'of the modern era',
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x' },
    ],
  ])('%s has no ids, and its disconnection cancels the call', async (what, headers) => {
    const meta =
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
    const body = what === 'without a session' ? CALL : CALL.replace('"name":"x"', `"name":"x",${meta}`);
    const sent = send('POST', headers, body);
    await until(() => calls.length === 1);
    calls[0]!.reply.notify(note(1));
    const answer = await sent;
    await answer.has(`event: message\ndata: ${note(1)}\n\n`);
    await answer.cut();
    await until(() => calls[0]!.cancelled.length === 1);
    expect(calls[0]!.cancelled).toEqual(['the client went away']);
    await free();
  });

  it('ends with the session', async () => {
    const session = await initialize();
    const { call, answer } = await stream(session);
    await send('DELETE', session);
    expect(call.cancelled).toEqual(['the session ended']);
    call.reply.answer(result('1'), 200);
    await answer.ends();
    await free();
  });
});

describe('an answer in a session that is not a stream', () => {
  it('is cancelled with its connection', async () => {
    const session = await initialize();
    const sent = httpRequest({
      port: (server.address() as AddressInfo).port,
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...session },
    });
    sent.on('error', () => undefined);
    sent.end(CALL);
    await until(() => calls.length === 1);
    sent.destroy();
    await until(() => calls[0]!.cancelled.length === 1);
    await free();
  });

  it('is plain JSON', async () => {
    const sent = send('POST', await initialize(), CALL);
    await until(() => calls.length === 1);
    calls[0]!.reply.answer(result('1'), 200);
    const { response } = await sent;
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.headers['mcp-session-id']).toBeUndefined();
  });
});

describe('an answer that lingers', () => {
  const listen = async (headers: Headers = {}): Promise<[Asked, Promise<Answer>]> => {
    const before = calls.length;
    const sent = send('POST', headers, CALL);
    await until(() => calls.length > before);
    return [calls.at(-1)!, sent];
  };

  it('is a stream at once and releases its slot', async () => {
    const [call, sent] = await listen();
    expect(call.reply.linger()).toBeUndefined();
    const answer = await sent;
    expect(answer.response.headers['content-type']).toBe('text/event-stream');
    expect([slots.inUse, slots.streams.inUse]).toEqual([0, 1]);
    call.reply.notify(note(1));
    await answer.has(`event: message\ndata: ${note(1)}\n\n`);
    time += LIMITS.keepAliveMs;
    await until(() => answer.body.includes(': still working'));
    await answer.cut();
    await until(() => call.cancelled.length === 1);
    await free();
  });

  it('may end without an answer', async () => {
    const [call, sent] = await listen();
    call.reply.linger();
    const answer = await sent;
    call.reply.accept();
    await answer.ends();
    expect(answer.body).toBe('');
    await free();
  });

  it('ends when the credential is revoked', async () => {
    const [call, sent] = await listen();
    call.reply.linger();
    await sent;
    isValid = false;
    http.endRevoked();
    await until(() => call.cancelled.length === 1);
    await free();
  });

  it('is refused above the limit, and keeps the slot until it is answered', async () => {
    for (let count = 0; count < LIMITS.maxStreamsPerCredential; count++) {
      const [call, sent] = await listen();
      call.reply.linger();
      await sent;
    }
    const [call, sent] = await listen();
    const failure = call.reply.linger();
    expect(failure).toMatchObject({ status: 503, code: -32010 });
    expect(slots.inUse).toBe(1);
    call.reply.answer('{}', failure!.status);
    expect((await sent).status).toBe(503);
  });

  it('is refused to a client that does not accept streams', async () => {
    const [call, sent] = await listen({ accept: 'application/json' });
    expect(call.reply.linger()).toMatchObject({ status: 406 });
    call.reply.answer('{}', 406);
    await sent;
    await free();
  });
});

describe('a batch', () => {
  const second = CALL.replace('"id":1', '"id":2');
  const BATCH = ` [${CALL},{"jsonrpc":"2.0","method":"n"},${second}]`;

  it('is answered by one document', async () => {
    const sent = send('POST', await initialize('2025-03-26'), BATCH);
    await until(() => calls.length === 1);
    calls[0]!.reply.answer(result('1'), 200);
    await until(() => calls.length === 2);
    expect(slots.inUse).toBe(1);
    calls[1]!.reply.answer(result('2'), 200);
    const answer = await sent;
    await answer.has(`[${result('1')},${result('2')}]`);
    expect(answer.response.headers['content-type']).toBe('application/json');
    await free();
  });

  it('of notifications is accepted', async () => {
    const session = await initialize('2025-03-26');
    expect((await send('POST', session, `[${note(1)},${note(2)}]`)).status).toBe(202);
  });

  it('may send notifications before its answers', async () => {
    const sent = send('POST', await initialize('2025-03-26'), `[${CALL}]`);
    await until(() => calls.length === 1);
    calls[0]!.reply.notify(note(1));
    calls[0]!.reply.answer(result('1'), 200);
    await (await sent).has(event('1_1', note(1)) + event('1_2', `[${result('1')}]`));
  });

  it('ends with the session, and remaining messages do not run', async () => {
    const session = await initialize('2025-03-26');
    const sent = send('POST', session, BATCH);
    await until(() => calls.length === 1);
    await send('DELETE', session);
    expect(calls[0]!.cancelled).toContain('the session ended');
    calls[0]!.reply.answer(result('1'), 200);
    await (await sent).has(`[${result('1')}]`);
    expect(calls).toHaveLength(1);
    await free();
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('is refused in version %s', async (version) => {
    const answer = await send('POST', await initialize(version), BATCH);
    expect(answer.status).toBe(400);
    await until(() => answer.body.includes('-32600'));
    expect(calls).toEqual([]);
  });
});

it('a client is registered once it has initialized', async () => {
  const session = await initialize();
  expect(welcomed).toHaveLength(1);
  expect(welcomed[0]!.session).toBe(session['mcp-session-id']);
  await send('POST', session, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  await send('POST', {}, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  expect(welcomed).toHaveLength(1);
  expect(await text((await send('DELETE', session)).response)).toBe('');
  expect(gone).toEqual(welcomed);
});

describe('a call that waits for a person', () => {
  const nothingHeld = (): Promise<void> => until(() => slots.inUse === 0 && slots.paused.inUse === 0);

  it('holds no slot until it continues, and sends keep-alives meanwhile', async () => {
    const answering = send('POST', {}, CALL);
    await until(() => calls.length === 1);
    const { reply } = calls[0]!;
    reply.pause();
    expect([slots.inUse, slots.paused.inUse]).toEqual([0, 1]);
    time += LIMITS.keepAliveMs;
    const answer = await answering;
    await answer.has(': still working\n\n');
    expect(reply.goOn()).toBe(true);
    expect([slots.inUse, slots.paused.inUse]).toEqual([1, 0]);
    reply.answer(result('1'), 200);
    await answer.ends();
    await nothingHeld();
  });

  it('leaves nothing behind if it is answered or its client disconnects', async () => {
    const answering = send('POST', {}, CALL);
    await until(() => calls.length === 1);
    calls[0]!.reply.pause();
    calls[0]!.reply.answer(result('1'), 200);
    await answering;
    await nothingHeld();
    const second = send('POST', {}, CALL);
    await until(() => calls.length === 2);
    calls[1]!.reply.pause();
    time += LIMITS.keepAliveMs;
    await (await second).cut();
    await until(() => calls[1]!.cancelled.length === 1);
    await nothingHeld();
  });

  it('does not continue with a revoked credential, and is cut off', async () => {
    const answering = expect(send('POST', {}, CALL)).rejects.toThrow('socket hang up');
    await until(() => calls.length === 1);
    const { reply, cancelled } = calls[0]!;
    reply.pause();
    isValid = false;
    expect(reply.goOn()).toBe(false);
    http.endRevoked();
    expect(cancelled).toEqual(['its token was revoked']);
    await answering;
    await nothingHeld();
  });
});

describe('a call under way whose credential is revoked', () => {
  const revoke = (): void => {
    isValid = false;
    http.endRevoked();
  };

  it('is cancelled at once, and its client does not get the answer', async () => {
    const answering = expect(send('POST', {}, CALL)).rejects.toThrow('socket hang up');
    await until(() => calls.length === 1);
    revoke();
    expect(calls[0]!.cancelled).toEqual(['its token was revoked']);
    calls[0]!.reply.answer(result('1'), 200);
    await answering;
    await free();
  });

  it('is cancelled if its client listens, was cut off, or has resumed', async () => {
    const session = await initialize();
    for (const how of ['listens', 'was cut off', 'has come back']) {
      const sent = send('POST', session, CALL);
      await until(() => calls.length === 1);
      const [call] = calls.splice(0);
      call!.reply.notify(note(1));
      let answer = await sent;
      await until(() => answer.body.includes('note1'));
      const id = /id: (\d+_\d+)\n(?!.*id: )/s.exec(answer.body)![1]!;
      if (how !== 'listens') await answer.cut();
      if (how === 'has come back') answer = await send('GET', { ...session, 'last-event-id': id });
      revoke();
      expect(call!.cancelled, how).toEqual(['its token was revoked']);
      call!.reply.answer(result('1'), 200);
      await until(() => answer.response.destroyed);
      expect(answer.body).not.toContain('result');
      await free();
      isValid = true;
    }
  });

  it('does not begin if it waited for a slot', async () => {
    const first = [1, 2, 3].map(() => send('POST', {}, CALL));
    await until(() => calls.length === 3);
    isValid = false;
    await expect(send('POST', {}, CALL)).rejects.toThrow('socket hang up');
    expect(calls.length).toBe(3);
    for (const { reply } of calls) reply.answer(result('1'), 200);
    await Promise.all(first);
    await free();
  });

  it('continues if another credential was revoked', async () => {
    const answering = send('POST', {}, CALL);
    await until(() => calls.length === 1);
    http.endRevoked();
    calls[0]!.reply.answer(result('1'), 200);
    const answer = await answering;
    await answer.ends();
    expect([answer.body, calls[0]!.cancelled]).toEqual([result('1'), []]);
  });
});

describe('a session of OpenClaw', () => {
  const LOST = { 'x-caller': 'openclaw', 'mcp-session-id': '0197c9f2-3f6e-4c1e-8d60-9a3f2f1f8a11' };

  it('that the hub forgot continues under its id, with notifications', async () => {
    const listening = await send('GET', { ...LOST, 'mcp-protocol-version': '2025-11-25' });
    expect([listening.status, welcomed.length, welcomed[0]!.version]).toEqual([200, 1, '2025-11-25']);
    const answer = send('POST', LOST, CALL);
    await until(() => calls.length === 1);
    expect(calls[0]!.sender.legacy).toBe(welcomed[0]);
    calls[0]!.reply.answer(result('1'), 200);
    expect((await answer).status).toBe(200);
    welcomed[0]!.notify('note1', '{}');
    await until(() => listening.body.includes('note1'));
    expect((await send('DELETE', LOST)).status).toBe(204);
    expect([gone.length, (await send('DELETE', LOST)).status]).toEqual([1, 404]);
  });

  it.each([
    ['another credential', { ...LOST, 'x-caller': 'a' }],
    ['an invalid id', { ...LOST, 'mcp-session-id': 'x' }],
  ])('is not revived for %s', async (_, headers) => {
    expect((await send('POST', headers, CALL)).status).toBe(404);
    expect((await send('GET', headers)).status).toBe(404);
  });
});
