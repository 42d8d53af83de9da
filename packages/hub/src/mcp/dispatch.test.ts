import { describe, expect, it } from 'vitest';
import type { Call, Calls } from '../core/call/calls.ts';
import { createCatalog, viewName } from '../core/catalog/catalog.ts';
import { readAbilities, STRANGER } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../core/outcome.ts';
import type { Exchange, Running } from '../core/request.ts';
import { BadParamsError } from '../core/call/route.ts';
import { parseBytes, toByteText } from '../core/wire/byte-text.ts';
import { findMember } from '../core/wire/members.ts';
import { parseMessage } from '../core/wire/message.ts';
import { createDispatch, type DispatchParts, type Sender } from './dispatch.ts';
import { LegacyClient } from './legacy-client.ts';
import type { Listen } from './listen.ts';
import type { Reply } from './reply.ts';
import { createMetaTools } from './meta-tools.ts';
import { createToolSurface } from './tool-surface.ts';
import { FULL_SURFACE } from '../../../../test/kit/full-surface.ts';
import { defineTool, offerOf } from '../../../../test/kit/offer.ts';
import { sha256 } from '../../../../test/kit/sha256.ts';

const OK: Outcome = { kind: 'ok', result: '{"content":[]}', era: 'legacy', extra: '' };

type Sent = { answer?: unknown; status?: number; notify?: unknown; asked?: unknown; accepted?: true };

const replyTo = (sent: Sent[]): Reply => ({
  answer: (answer, status) => void sent.push({ answer: parseBytes(answer), status }),
  notify: (notify) => void sent.push({ notify: parseBytes(notify) }),
  ask: (asked) => sent.push({ asked: parseBytes(asked) }) > 0,
  accept: () => void sent.push({ accepted: true }),
  linger: () => undefined,
  pause: () => undefined,
  goOn: () => true,
});

const legacyClient = (): LegacyClient =>
  new LegacyClient('s', { notify: () => undefined, ask: () => false }, 8);

/** One client in front of calls that the test answers itself. */
function bench(over: Partial<Sender> = {}, known?: Promise<void>, parts: Partial<DispatchParts> = {}) {
  const started: { call: Call; exchange: Exchange; cancelled: string[] }[] = [];
  const notified: string[] = [];
  const forgotten: string[] = [];
  const calls: Calls = {
    inFlight: 0,
    start(call, exchange) {
      if (findMember(call.params, 'name') === '7') throw new BadParamsError('"params.name" is a string.');
      const entry = { call, exchange, cancelled: [] as string[] };
      started.push(entry);
      return { cancel: (reason) => entry.cancelled.push(reason) };
    },
  };
  const catalog = createCatalog(sha256);
  const dispatch = createDispatch({
    calls,
    catalog,
    metaTools: createMetaTools(catalog, FULL_SURFACE),
    lists: (method, { caller, view, era }, cursor) =>
      cursor === 'bad'
        ? undefined
        : `{"asked":"${method} ${caller.id} ${viewName(view) ?? '-'} ${era} ${cursor ?? '-'}"}`,
    handshake: { initialize: () => '{"hello":"legacy"}', discover: () => '{"hello":"modern"}' },
    listen: Object.assign(() => undefined, { endAll: () => undefined }) satisfies Listen,
    whenKnown: () => known,
    tellServers: (_client, method, params) => void notified.push(`${method} ${params}`),
    forgetClient: (client) => void forgotten.push(client.session ?? ''),
    ...parts,
  });
  const legacy = over.era === 'modern' ? undefined : legacyClient();
  const sender: Sender = {
    caller: { id: 'c', name: 'c', scopes: {} },
    surface: 'test',
    view: undefined,
    era: 'legacy',
    client: legacy ?? STRANGER,
    legacy,
    running: new Map<string, Running>(),
    ...over,
  };
  const sent: Sent[] = [];
  const send = (text: string): Running | undefined =>
    dispatch(parseMessage(toByteText(text)), sender, replyTo(sent));
  return { started, sender, sent, notified, forgotten, send };
}

const request = (method: string, params: object = {}, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

describe('handshake', () => {
  it('initialize introduces the client', () => {
    const { sender, sent, send } = bench();
    send(request('initialize', { protocolVersion: '2025-06-18', capabilities: { sampling: {} } }));
    expect(sent).toEqual([{ answer: { jsonrpc: '2.0', id: 1, result: { hello: 'legacy' } }, status: 200 }]);
    expect(sender.legacy).toMatchObject({
      version: '2025-06-18',
      abilities: { sampling: true, roots: false },
    });
  });

  it('server/discover answers in the modern era', () => {
    const { sent, send } = bench({ era: 'modern' });
    send(request('server/discover'));
    expect(sent).toEqual([{ answer: { jsonrpc: '2.0', id: 1, result: { hello: 'modern' } }, status: 200 }]);
  });
});

describe('a client that disconnects', () => {
  it('is forgotten, with or without notifications of changes', () => {
    const { sender, forgotten, send } = bench();
    send(request('initialize'));
    send(request('initialize'));
    sender.legacy!.end('gone');
    expect(forgotten).toEqual(['s']);
  });
});

describe('resources/subscribe', () => {
  it('needs a session', () => {
    const stranger = bench({ legacy: undefined, client: STRANGER });
    stranger.send(request('resources/subscribe', { uri: 'x://y' }));
    expect(stranger.started).toEqual([]);
    expect(stranger.sent).toMatchObject([{ answer: { error: { code: -32600 } }, status: 200 }]);
    const client = bench();
    client.send(request('resources/subscribe', { uri: 'x://y' }));
    expect(client.started).toHaveLength(1);
  });
});

describe('subscriptions/listen', () => {
  it('refuses an id that is already in use', () => {
    const running = new Map([['1', { cancel: () => undefined }]]);
    const { sent, send } = bench({ era: 'modern', running });
    send(request('subscriptions/listen'));
    expect(sent).toMatchObject([{ answer: { error: { code: -32600 } }, status: 400 }]);
  });
});

describe('logging/setLevel', () => {
  it('stores the level for the client and answers with an empty result', () => {
    const { sender, sent, send } = bench();
    send(request('logging/setLevel', { level: 'warning' }));
    expect(sender.legacy!.logLevel).toBe('warning');
    expect(sent).toEqual([{ answer: { jsonrpc: '2.0', id: 1, result: {} }, status: 200 }]);
  });

  it.each([{}, { level: 'loud' }, { level: 3 }, { level: null }])('refuses %j', (params) => {
    const { sender, sent, send } = bench();
    send(request('logging/setLevel', params));
    expect(sender.legacy!.logLevel).toBeUndefined();
    expect(sent).toMatchObject([{ answer: { error: { code: -32602 } }, status: 200 }]);
  });
});

describe('unsolicited messages of a client', () => {
  it('deliver the answer to a question', () => {
    const { sender, sent, send } = bench();
    const answers: unknown[] = [];
    const asked: string[] = [];
    const ask = (text: string): boolean => asked.push(text) > 0;
    sender.legacy!.questions.ask(
      { method: 'roots/list', params: '{}', answer: (it) => answers.push(it) },
      ask,
    );
    const { id } = JSON.parse(asked[0]!) as { id: string };
    send(`{"jsonrpc":"2.0","id":"${id}","result":{"roots": []}}`);
    expect(answers).toEqual([{ result: '{"roots": []}' }]);
    expect(sent).toEqual([{ accepted: true }]);
  });

  it('forward changed roots to servers, only for a legacy client', () => {
    const changed = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}';
    const legacy = bench();
    legacy.send(changed);
    expect(legacy.notified).toEqual(['notifications/roots/list_changed {}']);
    const stranger = bench({ legacy: undefined });
    stranger.send(changed);
    expect(stranger.notified).toEqual([]);
  });
});

describe('tasks of the modern era', () => {
  const TASKS = '{"extensions":{"io.modelcontextprotocol/tasks":{}}}';

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s needs a client that declared them', (method) => {
    const able = bench({ era: 'modern', client: { ...STRANGER, abilities: readAbilities(TASKS) } });
    able.send(request(method, { taskId: 't' }));
    expect(able.started.map(({ call }) => call.method)).toEqual([method]);
    const other = bench({ era: 'modern' });
    other.send(request(method, { taskId: 't' }));
    expect(other.started).toEqual([]);
    expect(other.sent).toMatchObject([{ answer: { error: { code: -32021 } }, status: 400 }]);
  });
});

describe('methods', () => {
  it('ping is answered in the legacy era', () => {
    const { sent, send } = bench();
    send(request('ping', {}, 'p'));
    expect(sent).toEqual([{ answer: { jsonrpc: '2.0', id: 'p', result: {} }, status: 200 }]);
  });

  it.each<[Sender['era'], string, number]>([
    ['legacy', 'server/discover', 200],
    ['legacy', 'subscriptions/listen', 200],
    ['legacy', 'tasks/update', 200],
    ['legacy', 'tasks/list', 200],
    ['legacy', 'constructor', 200],
    ['legacy', '__proto__', 200],
    ['modern', 'initialize', 404],
    ['modern', 'ping', 404],
    ['modern', 'resources/subscribe', 404],
    ['modern', 'logging/setLevel', 404],
    ['modern', 'tasks/result', 404],
    ['modern', 'toString', 404],
  ])('%s %s is unknown: HTTP %i', (era, method, status) => {
    const { sent, send } = bench({ era });
    send(request(method));
    expect(sent).toEqual([
      { answer: { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }, status },
    ]);
  });

  it('accepts stray answers and notifications without a reply', () => {
    const { sent, send } = bench();
    send('{"jsonrpc":"2.0","id":1,"result":{}}');
    send('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}');
    send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    send('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}');
    expect(sent).toEqual([{ accepted: true }, { accepted: true }, { accepted: true }, { accepted: true }]);
  });
});

describe.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
  '%s',
  (method) => {
    it.each<[Partial<Sender>, object, string]>([
      [{}, {}, 'c - legacy -'],
      [{ view: 'github', era: 'modern' }, { cursor: 'x' }, 'c github modern x'],
    ])('is rendered for %j', (over, params, asked) => {
      const { sent, send } = bench(over);
      send(request(method, params));
      expect(sent).toEqual([
        { answer: { jsonrpc: '2.0', id: 1, result: { asked: `${method} ${asked}` } }, status: 200 },
      ]);
    });

    it('waits for servers that have not sent their lists', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const { sent, send } = bench({}, promise);
      send(request(method));
      expect(sent).toEqual([]);
      resolve();
      await promise;
      expect(sent).toHaveLength(1);
    });

    it('does not wait for OpenClaw, which allows 1.5 seconds for a list', () => {
      const { sent, send } = bench(
        { caller: { id: 'c', name: 'c', scopes: { openClaw: true } } },
        new Promise(() => undefined),
      );
      send(request(method));
      expect(sent).toHaveLength(1);
    });

    it.each<[Sender['era'], number, unknown]>([
      ['legacy', 200, 'bad'],
      ['modern', 400, 'bad'],
      ['legacy', 200, 7],
      ['modern', 400, null],
    ])('refuses a cursor that it did not issue (%s: HTTP %i)', (era, status, cursor) => {
      const { sent, send } = bench({ era });
      send(request(method, { cursor }));
      expect(sent).toMatchObject([{ answer: { error: { code: -32602 } }, status }]);
    });
  },
);

const namesOf = (started: readonly { call: Call }[]) =>
  started.map(({ call }) => findMember(call.params, 'name'));

describe('tools/call', () => {
  it('starts a call with unchanged members', () => {
    const { started, sender, sent, send } = bench({ era: 'modern', view: 'github' });
    send(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"gr\\u00f6ße","x":1.0,' +
        '"arguments":{"n":99999999999999999999},"_meta":{"progressToken":1.0}}}',
    );
    const { call } = started[0]!;
    expect(call).toEqual({
      caller: sender.caller,
      surface: 'test',
      view: 'github',
      method: 'tools/call',
      params: [
        { key: 'name', raw: toByteText('"gr\\u00f6ße"') },
        { key: 'x', raw: '1.0' },
        { key: 'arguments', raw: '{"n":99999999999999999999}' },
        { key: '_meta', raw: '{"progressToken":1.0}' },
      ],
      meta: [{ key: 'progressToken', raw: '1.0' }],
      era: 'modern',
      client: sender.client,
    });
    expect(sent).toEqual([]);
  });

  it('answers with the outcome under the client’s id', () => {
    const { started, sent, send } = bench();
    send('{"jsonrpc":"2.0","id":99999999999999999999,"method":"tools/call","params":{"name":"x"}}');
    started[0]!.exchange.notify('notifications/progress', '{"progress":1}');
    started[0]!.exchange.settle(OK);
    expect(sent).toEqual([
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
  ])('reports the outcome %o with code %i', (outcome, code) => {
    const { started, sent, send } = bench();
    send(request('tools/call', { name: 'x' }));
    started[0]!.exchange.settle(outcome);
    expect(sent).toMatchObject([{ answer: { error: { code } } }]);
  });

  it.each([
    ['tools/call', { openClaw: true }, { result: { isError: true, _meta: expect.anything() as object } }],
    ['prompts/get', { openClaw: true }, { error: { code: -32010 } }],
    ['tools/call', {}, { error: { code: -32010 } }],
  ])('of %s reports a failure to a caller with %j in its own form', (method, scopes, answer) => {
    const { started, sent, send } = bench({ caller: { id: 'c', name: 'c', scopes }, view: 'docs' });
    send(request(method, { name: 'x' }));
    started[0]!.exchange.settle(notExecuted(new PincerError('SERVER_UNREACHABLE', 'x')));
    expect(sent).toMatchObject([{ answer, status: 200 }]);
  });

  it.each([{ name: 7 }])('refuses params %j and runs nothing', (params) => {
    for (const [era, status] of [
      ['legacy', 200],
      ['modern', 400],
    ] as const) {
      const { started, sent, send } = bench({ era });
      send(request('tools/call', params));
      expect(started).toEqual([]);
      expect(sent).toMatchObject([{ answer: { id: 1, error: { code: -32602 } }, status }]);
    }
  });

  it('refuses an id in use until it is free again', () => {
    const { started, sent, send } = bench();
    send(request('tools/call', { name: 'x' }, 1));
    send(request('tools/call', { name: 'y' }, 1));
    send(request('tools/call', { name: 'z' }, '1'));
    expect(namesOf(started)).toEqual(['"x"', '"z"']);
    expect(sent).toMatchObject([{ answer: { id: 1, error: { code: -32600 } } }]);
    started[0]!.exchange.settle(OK);
    send(request('tools/call', { name: 'y' }, 1));
    expect(namesOf(started)).toEqual(['"x"', '"z"', '"y"']);
  });

  it('returns the running call and registers it while it runs', () => {
    const { started, sender, send } = bench();
    const running = send(request('tools/call', { name: 'x' }, 'a'));
    expect(sender.running.get('"a"')).toBe(running);
    running!.cancel('gone');
    expect(started[0]!.cancelled).toEqual(['gone']);
    started[0]!.exchange.settle(OK);
    expect(sender.running.size).toBe(0);
  });

  it('does not register a call that ended at once', () => {
    const running = new Map<string, Running>();
    const { sent, send } = bench({ running }, undefined, {
      calls: {
        inFlight: 0,
        start(_call, exchange) {
          exchange.settle(OK);
          return { cancel: () => expect.unreachable('it has ended') };
        },
      },
    });
    const going = send(request('tools/call', { name: 'x' }));
    expect(going).toBeUndefined();
    expect(running.size).toBe(0);
    expect(sent).toHaveLength(1);
  });
});

/** A dispatch over one server whose tool requires an argument in a header. */
function searched(over: Partial<Sender> = {}, known?: Promise<void>) {
  const catalog = createCatalog(sha256);
  catalog.configure([
    { name: 's', prefix: 's' },
    { name: 'bare', prefix: '' },
  ]);
  const inputSchema = { type: 'object', properties: { to: { type: 'string', 'x-mcp-header': 'To' } } };
  catalog.put('s', offerOf({ tools: [defineTool({ name: 'post', inputSchema })] }));
  catalog.put('bare', offerOf({ tools: [defineTool({ name: 'call_tool', inputSchema })] }));
  const surface = createToolSurface(catalog, () => ({ toolSurface: 'search', toolSurfaceTokens: 1 }));
  return bench(over, known, { catalog, metaTools: createMetaTools(catalog, surface) });
}

describe('tools behind the search', () => {
  const call = (name: string, args: object, more: object = {}): string =>
    request('tools/call', { name, arguments: args, ...more });

  it.each<Sender['era']>(['legacy', 'modern'])('are found and described without a call (%s)', (era) => {
    const { sent, started, send } = searched({ era });
    send(call('find_tools', { query: 'post' }));
    send(call('describe_tool', { name: 's__post' }));
    expect(started).toEqual([]);
    expect(sent).toMatchObject([
      { answer: { result: { structuredContent: { total: 1 } } }, status: 200 },
      { answer: { result: { structuredContent: { tool: { name: 's__post' } } } }, status: 200 },
    ]);
  });

  it('are found after every server sent its lists; known ones are described at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { sent, send } = searched({}, promise);
    send(call('describe_tool', { name: 's__post' }));
    expect(sent).toHaveLength(1);
    send(call('find_tools', { query: 'post' }));
    send(call('describe_tool', { name: 'unknown' }));
    expect(sent).toHaveLength(1);
    resolve();
    await promise;
    expect(sent).toHaveLength(3);
  });

  it('are called through call_tool as if directly', () => {
    const { started, sender, sent, send } = searched({ era: 'modern' });
    const running = send(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_tool","arguments":' +
        '{"name":"s__post","arguments":{"n": 99999999999999999999}},"requestState":"r","_meta":{"progressToken":1.0}}}',
    );
    expect(started[0]!.call).toMatchObject({
      method: 'tools/call',
      params: [
        { key: 'name', raw: '"s__post"' },
        { key: 'arguments', raw: '{"n": 99999999999999999999}' },
        { key: 'requestState', raw: '"r"' },
        { key: '_meta', raw: '{"progressToken":1.0}' },
      ],
      meta: [{ key: 'progressToken', raw: '1.0' }],
    });
    expect(sender.running.get('7')).toBe(running);
    started[0]!.exchange.notify('notifications/progress', '{"progress":1}');
    started[0]!.exchange.settle(OK);
    expect(sent).toMatchObject([{ notify: { method: 'notifications/progress' } }, { answer: { id: 7 } }]);
    expect(sender.running.size).toBe(0);
  });

  it('require their headers only when called directly', () => {
    const headers = (name: string): string | undefined => (name === 'mcp-name' ? 'call_tool' : undefined);
    const { started, sent, send } = searched({ era: 'modern', headers });
    send(call('call_tool', { name: 's__post', arguments: { to: 'x' } }));
    expect(namesOf(started)).toEqual(['"s__post"']);
    send(request('tools/call', { name: 's__post', arguments: { to: 'x' } }, 2));
    expect(sent).toMatchObject([{ answer: { id: 2, error: { code: -32020 } }, status: 400 }]);
  });

  it('may be called directly, and through call_tool if a meta tool has the same name', () => {
    const { started, send } = searched();
    send(request('tools/call', { name: 's__post', arguments: {} }, 1));
    send(request('tools/call', { name: 'call_tool', arguments: { name: 'call_tool' } }, 2));
    expect(namesOf(started)).toEqual(['"s__post"', '"call_tool"']);
  });

  it.each<[Sender['era'], number]>([
    ['legacy', 200],
    ['modern', 400],
  ])('cannot be called with a duplicate name (%s: HTTP %i)', (era, status) => {
    const { started, sent, send } = searched({ era });
    send(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"a","name":"b"}}}',
    );
    expect(started).toEqual([]);
    expect(sent).toMatchObject([{ answer: { error: { code: -32602 } }, status }]);
  });

  it('get suggestions of similar names if unknown', () => {
    const { started, sent, send } = searched();
    send(call('call_tool', { name: 's__pots' }));
    const UNKNOWN = new PincerError('TOOL_UNKNOWN', 'Unknown tool: s__pots');
    started[0]!.exchange.settle(notExecuted(UNKNOWN));
    expect(sent).toMatchObject([
      {
        answer: {
          error: {
            code: -32602,
            message: 'Unknown tool: s__pots (similar: s__post).',
            data: { code: 'TOOL_UNKNOWN', outcome: 'not_executed', hint: 'Search with find_tools.' },
          },
        },
      },
    ]);
  });

  it('ask questions on the stream of the call', () => {
    const { started, sent, send } = searched();
    send(call('call_tool', { name: 's__post' }));
    started[0]!.exchange.ask({ method: 'roots/list', params: '{}', answer: () => undefined });
    expect(sent).toMatchObject([{ asked: { method: 'roots/list' } }]);
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
    const { started, sent, send } = bench();
    send(request('tools/call', { name: 'x' }, 7));
    send(cancel(params));
    expect(started[0]!.cancelled).toEqual([reason]);
    expect(sent).toEqual([{ accepted: true }]);
  });

  it.each(['{"requestId":8}', '{"requestId":"7"}', '{}', '{"requestId":null}'])(
    '%s cancels no call',
    (params) => {
      const { started, sent, send } = bench();
      send(request('tools/call', { name: 'x' }, 7));
      send(cancel(params));
      expect(started[0]!.cancelled).toEqual([]);
      expect(sent).toEqual([{ accepted: true }]);
    },
  );

  it('cancels only calls of the same session', () => {
    const one = bench();
    const other = bench();
    one.send(request('tools/call', { name: 'x' }, 7));
    other.send(cancel('{"requestId":7}'));
    expect(one.started[0]!.cancelled).toEqual([]);
  });
});
