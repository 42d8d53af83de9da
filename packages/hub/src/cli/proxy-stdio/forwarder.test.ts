import type { ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { event, HandServer, json, status, stream, type Answer } from '../../../../../test/kit/fake-server.ts';
import { callText, listText, request } from '../../../../../test/kit/messages.ts';
import { createForwarder, type Forwarder } from './forwarder.ts';
import { bindSession } from './session-binding.ts';
import { readTarget } from './settings.ts';

const MAX_BYTES = 4_096;
const CALLED = '"c"';

let server: HandServer;
let pool: Pool;
let forwarder: Forwarder;
let lines: string[];
let notes: string[];
let isDone: boolean;

beforeEach(async () => {
  // A value that Math.random never returns. It shortens the backoff of a second to 25 ms.
  vi.spyOn(Math, 'random').mockReturnValue(3.9);
  server = await HandServer.start();
  pool = new Pool(server.origin);
  [lines, notes, isDone] = [[], [], false];
  forwarder = open('s-1');
});
afterEach(async () => {
  vi.restoreAllMocks();
  forwarder.stop();
  await pool.destroy();
  await server.stop();
});

const open = (session: string | undefined): Forwarder =>
  createForwarder({
    target: readTarget({ proxyBaseUrl: server.origin }, { OPENCLAW_PROXY_OPENCLAW_TOKEN: 't-1' }, {}),
    pool,
    session: bindSession(session),
    maxBytes: MAX_BYTES,
    line: { write: (text) => void lines.push(text), notify: (text) => void lines.push(text) },
    note: (text) => void notes.push(text),
    onDone: () => (isDone = true),
  });

const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 2, timeout: 10_000 }).toBe(true);

async function ask(text: string): Promise<string> {
  const before = lines.length;
  forwarder.take(text);
  await until(() => lines.length > before);
  return lines.at(-1)!;
}

const call = (era: 'legacy' | 'modern' = 'legacy', id = CALLED): string => callText('echo', { era, id });
const errorOf = (text: string): unknown => (JSON.parse(text) as { error: unknown }).error;
const raw =
  (code: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_received, response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body);

describe('a request', () => {
  it('goes to /v1/mcp unchanged, with the session and the token', async () => {
    server.answers['tools/call'] = json('{"n":1.0}');
    const text = callText('echo', { id: CALLED, args: '{"n" : 1.0, "big":99999999999999999999}' });
    expect(await ask(text)).toBe('{"jsonrpc":"2.0","id":"c","result":{"n":1.0}}');
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/mcp',
        text,
        headers: { 'mcp-session-id': 's-1', authorization: 'Bearer t-1' },
      },
    ]);
  });

  it('of the modern era repeats its method and name in headers', async () => {
    server.answers['tools/call'] = json('{}');
    await ask(call('modern'));
    expect(server.received[0]!.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      'mcp-session-id': 's-1',
    });
  });

  it('has the negotiated version of the legacy era in a header', async () => {
    server.answers['tools/list'] = json('{"tools":[]}');
    await ask(request('initialize', '{"protocolVersion":"2025-11-25"}', '"i"'));
    await ask(listText('legacy', '"l"'));
    const versions = server.received.map(({ headers }) => headers['mcp-protocol-version']);
    expect(versions).toEqual([undefined, '2025-11-25']);
  });

  it('may be answered by a stream; each message becomes a line, unchanged and in order', async () => {
    const progress =
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.50,"progressToken":1}}';
    const answer = '{"jsonrpc":"2.0","id":"c","result":{"n":1e400}}';
    server.answers['tools/call'] = stream(() => [event(progress), ': still here\n\n', event(answer)], 'stay');
    forwarder.take(call());
    await until(() => lines.length === 2);
    expect(lines).toEqual([progress, answer]);
  });

  it('does not wait for another request', async () => {
    const held: ServerResponse[] = [];
    server.answers['tools/call'] = (_received, response) => void held.push(response);
    server.answers['tools/list'] = json('{"tools":[]}');
    forwarder.take(call());
    expect(await ask(listText('legacy', '"l"'))).toContain('"id":"l"');
    expect(lines).toHaveLength(1);
  });

  it('ignores an answer with another id', async () => {
    server.answers['tools/call'] = raw(200, '{"jsonrpc":"2.0","id":"other","result":{}}');
    expect(errorOf(await ask(call()))).toMatchObject({ code: -32011, data: { code: 'SERVER_GONE' } });
  });
});

describe('without a session', () => {
  beforeEach(() => (forwarder = open(undefined)));

  it('a request is refused with a hint, and nothing is sent', async () => {
    expect(errorOf(await ask(request('initialize', '{}', '"i"')))).toEqual({
      code: -32602,
      message: 'No session is named.',
      data: {
        code: 'ARGUMENT_INVALID',
        outcome: 'not_executed',
        hint: expect.stringContaining('--session'),
      },
    });
    expect(server.received).toEqual([]);
  });

  it('a later initialize names it; an initialize with another session is refused', async () => {
    await ask(request('tools/list', '{}', '1'));
    await ask(request('initialize', '{"mcpSessionId":"s-2"}', '"i"'));
    expect(server.received).toMatchObject([
      { text: request('initialize', '{}', '"i"'), headers: { 'mcp-session-id': 's-2' } },
    ]);
    expect(errorOf(await ask(request('initialize', '{"mcpSessionId":"s-3"}', '"i"')))).toMatchObject({
      message: 'This process already serves another session.',
    });
    server.answers['tools/list'] = json('{"tools":[]}');
    expect(await ask(listText('legacy', '"l"'))).toContain('"tools":[]');
  });
});

describe('an invalid message', () => {
  it.each([
    ['not json', -32700],
    ['[]', -32600],
    ['7', -32600],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}', -32600],
  ])('%s is answered with %i', async (text, code) => {
    expect(errorOf(await ask(text))).toMatchObject({ code });
    expect(server.received).toEqual([]);
  });
});

describe('a batch', () => {
  const agree = (version: string): Promise<string> => {
    const serverInfo = '"serverInfo":{"name":"x","version":"1"}';
    server.answers['initialize'] = json(`{"protocolVersion":"${version}","capabilities":{},${serverInfo}}`);
    return ask(request('initialize', '{}', '"i"'));
  };

  it('of 2025-03-26 is forwarded message by message and answered in one line', async () => {
    await agree('2025-03-26');
    server.answers['tools/list'] = json('{"tools":[]}');
    const initialize = request('initialize', '{}', '"b"');
    const line = await ask(`[${listText('legacy', '"a"')},{"jsonrpc":"2.0","method":"x"},${initialize},7]`);
    const answers = JSON.parse(line) as object[];
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 'a', result: { tools: [] } },
        expect.objectContaining({ id: 'b', error: expect.objectContaining({ code: -32600 }) }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
      ]),
    );
    await until(() => server.asked.length === 3);
    expect(server.asked.toSorted()).toEqual(['initialize', 'tools/list', 'x']);
  });

  it('of notifications is not answered', async () => {
    await agree('2025-03-26');
    forwarder.take('[{"jsonrpc":"2.0","method":"x"}]');
    await until(() => server.asked.length === 2);
    forwarder.end();
    await until(() => isDone);
    expect(lines).toHaveLength(1);
  });

  it('of another version is refused', async () => {
    await agree('2025-06-18');
    expect(errorOf(await ask(`[${listText()}]`))).toMatchObject({ code: -32600 });
    expect(server.asked).toEqual(['initialize']);
  });
});

describe('a refusal', () => {
  it.each([
    [401, '', {}, { code: -32010, data: { code: 'TOKEN_INVALID', outcome: 'not_executed' } }],
    [404, '', {}, { code: -32010, data: { code: 'SESSION_UNKNOWN', outcome: 'not_executed' } }],
    [
      429,
      '{}',
      { 'retry-after': '1' },
      { code: -32010, data: { code: 'RATE_LIMITED', hint: 'Try again in a second.' } },
    ],
    [500, 'oops', {}, { code: -32011, data: { code: 'SERVER_PROTOCOL', outcome: 'outcome_unknown' } }],
    [200, 'oops', {}, { code: -32011, data: { code: 'SERVER_PROTOCOL' } }],
    [403, '{"error":{"code":"ORIGIN","message":"no"}}', {}, { data: { code: 'SERVER_UNREACHABLE' } }],
  ])(
    'HTTP %i with %j becomes an error with a hint, and the next request works',
    async (code, body, headers, error) => {
      server.answers['tools/call'] = raw(code, body, headers);
      const answered = errorOf(await ask(call())) as { data: { hint: unknown } };
      expect(answered).toMatchObject(error);
      expect(answered.data.hint).toEqual(expect.any(String));
      server.answers['tools/call'] = json('{}');
      expect(await ask(call())).toContain('"result":{}');
    },
  );

  it('in JSON-RPC is passed on with the id of the request', async () => {
    const error = '{"code":-32600,"message":"Unknown session.","data":{"n":1.0}}';
    server.answers['tools/call'] = raw(404, `{"jsonrpc":"2.0","id":null,"error":${error}}`);
    expect(await ask(call())).toBe(`{"jsonrpc":"2.0","id":"c","error":${error}}`);
  });

  it('follows an answer that is too large', async () => {
    server.answers['tools/call'] = json(`"${'x'.repeat(MAX_BYTES)}"`);
    expect(errorOf(await ask(call()))).toMatchObject({ code: -32011, data: { code: 'SERVER_PROTOCOL' } });
  });

  it.each(['end', 'destroy'] as const)(
    'with unknown outcome follows a truncated answer (%s)',
    async (how) => {
      server.answers['tools/call'] = stream(
        () => [event('{"jsonrpc":"2.0","method":"notifications/x"}')],
        how,
      );
      forwarder.take(call());
      await until(() => lines.length === 2);
      expect(errorOf(lines[1]!)).toMatchObject({
        code: -32011,
        data: { code: 'SERVER_GONE', outcome: 'outcome_unknown' },
      });
    },
  );

  it('with not_executed follows an unreachable proxy, and a later request works', async () => {
    server.answers['tools/call'] = json('{}');
    await server.stop();
    expect(errorOf(await ask(call()))).toMatchObject({
      code: -32010,
      data: {
        code: 'HUB_UNREACHABLE',
        outcome: 'not_executed',
        hint: expect.stringContaining('pincer proxy'),
      },
    });
    await server.listen();
    expect(await ask(call())).toContain('"result":{}');
  });
});

describe('a cancellation', () => {
  const cancelled = (id: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;

  it.each([
    ['legacy', ['tools/call', 'notifications/cancelled']],
    ['modern', ['tools/call']],
  ] as const)('closes the request without an answer; %s', async (era, asked) => {
    let isClosed = false;
    server.answers['tools/call'] = (_received, response) =>
      void response.on('close', () => (isClosed = true));
    forwarder.take(call(era));
    await until(() => server.received.length === 1);
    forwarder.take(cancelled('"other"'));
    forwarder.take(cancelled(CALLED));
    await until(() => isClosed);
    server.answers['tools/list'] = json('{"tools":[]}');
    await ask(listText('legacy', '"l"'));
    expect(lines).toHaveLength(1);
    const other = 'notifications/cancelled';
    await until(() => server.asked.length === asked.length + 2);
    expect(server.asked.toSorted()).toEqual([...asked, other, 'tools/list'].toSorted());
  });
});

describe('the stream of the legacy era', () => {
  const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  const streams: ServerResponse[] = [];

  beforeEach(async () => {
    streams.length = 0;
    server.answers['GET'] = (received, response) => {
      streams.push(response);
      stream(() => [': hello\n\n'], 'stay')(received, response);
    };
    await ask(request('initialize', '{"protocolVersion":"2025-11-25"}', '"i"'));
  });

  const begin = async (): Promise<void> => {
    forwarder.take('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    await until(() => streams.length === 1);
  };

  it('opens after the handshake and forwards notifications', async () => {
    expect(server.of('GET')).toEqual([]);
    await begin();
    expect(server.of('GET')).toMatchObject([
      {
        url: '/v1/mcp',
        headers: {
          accept: 'text/event-stream',
          'mcp-session-id': 's-1',
          'mcp-protocol-version': '2025-11-25',
          authorization: 'Bearer t-1',
        },
      },
    ]);
    streams[0]!.write(event(CHANGED));
    await until(() => lines.length === 2);
    expect(lines[1]).toBe(CHANGED);
  });

  it('reopens after a loss and sends list_changed, because notifications may have been missed', async () => {
    await begin();
    streams[0]!.destroy();
    await until(() => lines.length === 2);
    expect(JSON.parse(lines[1]!)).toMatchObject({ method: 'notifications/tools/list_changed' });
    streams[1]!.write(event(CHANGED));
    await until(() => lines.length === 3);
    expect(lines[2]).toBe(CHANGED);
  });

  it('is retried after HTTP 503', async () => {
    const works = server.answers['GET']!;
    server.answers['GET'] = (received, response) => {
      server.answers['GET'] = works;
      status(503)(received, response);
    };
    await begin();
    expect(server.of('GET')).toHaveLength(2);
    expect(lines).toHaveLength(1);
  });

  it('is not retried after HTTP 404', async () => {
    server.answers['GET'] = status(404);
    forwarder.take('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    await until(() => notes.length === 1);
    expect(notes[0]).toContain('HTTP 404');
    server.answers['tools/list'] = json('{"tools":[]}');
    await ask(listText('legacy', '"l"'));
    expect(server.of('GET')).toHaveLength(1);
  });
});

describe('after the end of input', () => {
  it('the forwarder is done at once if no request is open', () => {
    forwarder.end();
    expect(isDone).toBe(true);
  });

  it('open requests are answered first', async () => {
    const held: ServerResponse[] = [];
    server.answers['tools/call'] = (_received, response) => void held.push(response);
    forwarder.take(call());
    await until(() => held.length === 1);
    forwarder.end();
    expect(isDone).toBe(false);
    raw(200, '{"jsonrpc":"2.0","id":"c","result":{}}')(server.received[0]!, held[0]!);
    await until(() => isDone);
    expect(lines).toHaveLength(1);
  });

  it('subscriptions are closed', async () => {
    let isClosed = false;
    server.answers['subscriptions/listen'] = (received, response) => {
      response.on('close', () => (isClosed = true));
      stream(() => [': hello\n\n'], 'stay')(received, response);
    };
    forwarder.take(
      request('subscriptions/listen', '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}'),
    );
    await until(() => server.received.length === 1);
    forwarder.end();
    expect(isDone).toBe(true);
    await until(() => isClosed);
    expect(lines).toEqual([]);
  });
});
