import { describe, expect, it } from 'vitest';
import type { Calls, ToolCall } from '../../core/calls.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import { META_KEY } from '../../core/protocol.ts';
import type { Exchange, Running } from '../../core/request.ts';
import { parseBytes, toByteText } from '../../core/wire/byte-text.ts';
import { parseMessage } from '../../core/wire/message.ts';
import { VERSION } from '../../version.ts';
import { createDispatch, type Sender } from './dispatch.ts';

const OK: Outcome = { kind: 'ok', result: '{"content":[]}', era: 'legacy', extra: '' };

/** One client in front of calls that the test itself answers. */
function bench(over: Partial<Sender> = {}, known?: Promise<void>) {
  const started: { call: ToolCall; exchange: Exchange; cancelled: string[] }[] = [];
  const calls: Calls = {
    inFlight: 0,
    start(call, exchange) {
      const entry = { call, exchange, cancelled: [] as string[] };
      started.push(entry);
      return { cancel: (reason) => entry.cancelled.push(reason) };
    },
  };
  const dispatch = createDispatch({
    calls,
    toolList: (caller, view, era) => `{"tools":[],"asked":"${caller.id} ${view ?? '-'} ${era}"}`,
    whenKnown: () => known,
  });
  const sender: Sender = {
    caller: { id: 'c', name: 'c', scopes: {} },
    surface: 'test',
    view: undefined,
    era: 'legacy',
    session: 's',
    canNotify: false,
    running: new Map<string, Running>(),
    ...over,
  };
  const told: { answer?: unknown; status?: number; notify?: unknown; accepted?: true }[] = [];
  const send = (text: string): Running | undefined =>
    dispatch(parseMessage(toByteText(text)), sender, {
      answer: (answer, status) => void told.push({ answer: parseBytes(answer), status }),
      notify: (notify) => void told.push({ notify: parseBytes(notify) }),
      accept: () => void told.push({ accepted: true }),
    });
  return { started, sender, told, send };
}

const request = (method: string, params: object = {}, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

describe('initialize', () => {
  it.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
    [7, '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('asked for %s agrees on %s', (protocolVersion, agreed) => {
    const { told, send } = bench();
    send(request('initialize', { protocolVersion }));
    expect(told).toEqual([
      {
        answer: {
          jsonrpc: '2.0',
          id: 1,
          result: {
            protocolVersion: agreed,
            capabilities: { tools: { listChanged: false } },
            serverInfo: { name: 'pincer', title: 'Pincer', version: VERSION },
          },
        },
        status: 200,
      },
    ]);
  });

  it('declares changes of the list where the wire can tell of them', () => {
    const { told, send } = bench({ canNotify: true });
    send(request('initialize', {}));
    expect(told).toMatchObject([{ answer: { result: { capabilities: { tools: { listChanged: true } } } } }]);
  });
});

describe('server/discover', () => {
  it('says what there is; changes are not told by themselves in this era', () => {
    const { told, send } = bench({ era: 'modern', canNotify: true });
    send(request('server/discover'));
    expect(told).toEqual([
      {
        answer: {
          jsonrpc: '2.0',
          id: 1,
          result: {
            resultType: 'complete',
            supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
            capabilities: { tools: { listChanged: false } },
            ttlMs: 5_000,
            cacheScope: 'private',
            _meta: { [META_KEY.serverInfo]: { name: 'pincer', title: 'Pincer', version: VERSION } },
          },
        },
        status: 200,
      },
    ]);
  });
});

describe('methods', () => {
  it('ping is answered in the legacy era', () => {
    const { told, send } = bench();
    send(request('ping', {}, 'p'));
    expect(told).toEqual([{ answer: { jsonrpc: '2.0', id: 'p', result: {} }, status: 200 }]);
  });

  it.each<[Sender['era'], string, number]>([
    ['legacy', 'server/discover', 200],
    ['legacy', 'resources/list', 200],
    ['legacy', 'constructor', 200],
    ['legacy', '__proto__', 200],
    ['modern', 'initialize', 404],
    ['modern', 'ping', 404],
    ['modern', 'resources/read', 404],
    ['modern', 'toString', 404],
  ])('%s %s is unknown: HTTP %i', (era, method, status) => {
    const { told, send } = bench({ era });
    send(request(method));
    expect(told).toEqual([
      { answer: { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }, status },
    ]);
  });

  it('an answer to nothing and a notification are taken, and nothing is said', () => {
    const { told, send } = bench();
    send('{"jsonrpc":"2.0","id":1,"result":{}}');
    send('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}');
    send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    send('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}');
    expect(told).toEqual([{ accepted: true }, { accepted: true }, { accepted: true }, { accepted: true }]);
  });
});

describe('tools/list', () => {
  it.each<[Partial<Sender>, string]>([
    [{}, 'c - legacy'],
    [{ view: 'github', era: 'modern' }, 'c github modern'],
  ])('is asked for by %j', (over, asked) => {
    const { told, send } = bench(over);
    send(request('tools/list'));
    expect(told).toEqual([{ answer: { jsonrpc: '2.0', id: 1, result: { tools: [], asked } }, status: 200 }]);
  });

  it('waits for servers that have not been heard yet', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { told, send } = bench({}, promise);
    send(request('tools/list'));
    expect(told).toEqual([]);
    resolve();
    await promise;
    expect(told).toHaveLength(1);
  });

  it.each<[Sender['era'], number]>([
    ['legacy', 200],
    ['modern', 400],
  ])('knows no cursor (%s: HTTP %i)', (era, status) => {
    const { told, send } = bench({ era });
    send(request('tools/list', { cursor: 'x' }));
    expect(told).toMatchObject([{ answer: { error: { code: -32602 } }, status }]);
  });
});

describe('tools/call', () => {
  it('starts a call with everything as it came', () => {
    const { started, sender, told, send } = bench({ era: 'modern', view: 'github' });
    send(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"gr\\u00f6ße","x":1.0,' +
        '"arguments":{"n":99999999999999999999},"_meta":{"progressToken":1.0}}}',
    );
    const { call } = started[0]!;
    expect(call).toEqual({
      caller: sender.caller,
      surface: 'test',
      view: 'github',
      name: 'größe',
      params: [
        { key: 'name', raw: toByteText('"gr\\u00f6ße"') },
        { key: 'x', raw: '1.0' },
        { key: 'arguments', raw: '{"n":99999999999999999999}' },
        { key: '_meta', raw: '{"progressToken":1.0}' },
      ],
      meta: [{ key: 'progressToken', raw: '1.0' }],
      era: 'modern',
      session: 's',
    });
    expect(told).toEqual([]);
  });

  it('answers with the outcome, under the id that was given', () => {
    const { started, told, send } = bench();
    send('{"jsonrpc":"2.0","id":99999999999999999999,"method":"tools/call","params":{"name":"x"}}');
    started[0]!.exchange.notify('notifications/progress', '{"progress":1}');
    started[0]!.exchange.settle(OK);
    expect(told).toEqual([
      { notify: { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } } },
      {
        answer: { jsonrpc: '2.0', id: Number('99999999999999999999'), result: { content: [] } },
        status: 200,
      },
    ]);
  });

  it.each<[Outcome, number]>([
    [notExecuted(new PincerError('SERVER_UNREACHABLE', 'x')), -32010],
    [outcomeUnknown(new PincerError('CALL_TIMEOUT', 'x')), -32011],
    [notExecuted(new PincerError('TOOL_UNKNOWN', 'x')), -32602],
  ])('tells the outcome %o by code %i', (outcome, code) => {
    const { started, told, send } = bench();
    send(request('tools/call', { name: 'x' }));
    started[0]!.exchange.settle(outcome);
    expect(told).toMatchObject([{ answer: { error: { code } } }]);
  });

  it.each([
    {},
    { name: 7 },
    { name: null },
    { name: 'x', arguments: [] },
    { name: 'x', arguments: null },
    { name: 'x', arguments: '{}' },
  ])('refuses params %j and runs nothing', (params) => {
    for (const [era, status] of [
      ['legacy', 200],
      ['modern', 400],
    ] as const) {
      const { started, told, send } = bench({ era });
      send(request('tools/call', params));
      expect(started).toEqual([]);
      expect(told).toMatchObject([{ answer: { id: 1, error: { code: -32602 } }, status }]);
    }
  });

  it('refuses an id that is in use, until it is free again', () => {
    const { started, told, send } = bench();
    send(request('tools/call', { name: 'x' }, 1));
    send(request('tools/call', { name: 'y' }, 1));
    send(request('tools/call', { name: 'z' }, '1'));
    expect(started.map(({ call }) => call.name)).toEqual(['x', 'z']);
    expect(told).toMatchObject([{ answer: { id: 1, error: { code: -32600 } } }]);
    started[0]!.exchange.settle(OK);
    send(request('tools/call', { name: 'y' }, 1));
    expect(started.map(({ call }) => call.name)).toEqual(['x', 'z', 'y']);
  });

  it('gives back what can be cancelled, and remembers it while it runs', () => {
    const { started, sender, send } = bench();
    const running = send(request('tools/call', { name: 'x' }, 'a'));
    expect(sender.running.get('"a"')).toBe(running);
    running!.cancel('gone');
    expect(started[0]!.cancelled).toEqual(['gone']);
    started[0]!.exchange.settle(OK);
    expect(sender.running.size).toBe(0);
  });

  it('remembers nothing of a call that ended at once', () => {
    const running = new Map<string, Running>();
    const told: string[] = [];
    const dispatch = createDispatch({
      calls: {
        inFlight: 0,
        start(_call, exchange) {
          exchange.settle(OK);
          return { cancel: () => expect.unreachable('it has ended') };
        },
      },
      toolList: () => '{}',
      whenKnown: () => undefined,
    });
    const { sender } = bench({ running });
    const going = dispatch(parseMessage(request('tools/call', { name: 'x' })), sender, {
      answer: (text) => void told.push(text),
      notify: () => undefined,
      accept: () => undefined,
    });
    expect(going).toBeUndefined();
    expect(running.size).toBe(0);
    expect(told).toHaveLength(1);
  });
});

describe('notifications/cancelled', () => {
  const cancel = (params: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`;

  it.each([
    ['{"requestId":7,"reason":"enough"}', 'enough'],
    ['{"requestId":7,"reason":"gr\\u00f6ße"}', 'größe'],
    ['{"requestId":7}', 'the client cancelled'],
    ['{"requestId":7,"reason":null}', 'the client cancelled'],
  ])('%s cancels with the reason %s', (params, reason) => {
    const { started, told, send } = bench();
    send(request('tools/call', { name: 'x' }, 7));
    send(cancel(params));
    expect(started[0]!.cancelled).toEqual([reason]);
    expect(told).toEqual([{ accepted: true }]);
  });

  it.each(['{"requestId":8}', '{"requestId":"7"}', '{}', '{"requestId":null}'])(
    '%s reaches no call',
    (params) => {
      const { started, told, send } = bench();
      send(request('tools/call', { name: 'x' }, 7));
      send(cancel(params));
      expect(started[0]!.cancelled).toEqual([]);
      expect(told).toEqual([{ accepted: true }]);
    },
  );

  it('reaches only calls of the same session', () => {
    const one = bench();
    const other = bench();
    one.send(request('tools/call', { name: 'x' }, 7));
    other.send(cancel('{"requestId":7}'));
    expect(one.started[0]!.cancelled).toEqual([]);
  });
});
