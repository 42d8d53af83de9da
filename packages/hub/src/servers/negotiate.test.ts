import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOn, HandExchange, HandWire, toolRequest } from '../../../../test/kit/fake-wire.ts';
import { PincerError } from '../core/errors.ts';
import { META_KEY, type Era } from '../core/protocol.ts';
import { VERSION } from '../lib/version.ts';
import { negotiate } from './negotiate.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TIMEOUT = 1_000;

/** Negotiates with a server that answers each method in its own way; undefined for no answer. */
async function run(
  wanted: Era,
  answers: Record<string, ((wire: HandWire, id: string) => void) | undefined>,
  capabilities = '{}',
) {
  const wire = new HandWire();
  const connection = connectionOn(wire);
  const send = wire.send.bind(wire);
  wire.send = (text, about) => {
    send(text, about);
    if (about.id !== undefined) queueMicrotask(() => answers[about.method]?.(wire, about.id!));
  };
  const terms = { legacyMs: TIMEOUT, modernMs: TIMEOUT, capabilities };
  const done = negotiate(connection, 's', wanted, terms).then(
    (introduction) => ({ introduction, error: undefined }),
    (error: unknown) => ({ introduction: undefined, error }),
  );
  await vi.advanceTimersByTimeAsync(3 * TIMEOUT);
  return { wire, connection, methods: wire.methods, ...(await done) };
}

const result = (text: string) => (wire: HandWire, id: string) => wire.answer(id, text);
const refuse = (text: string) => (wire: HandWire, id: string) => wire.fail(id, text);
const status = (code: number) => (wire: HandWire, id: string) =>
  wire.events.onRequestLost(
    id,
    false,
    new PincerError('SERVER_UNREACHABLE', 'HTTP', { data: { status: code } }),
  );

const legacy = (version = '2025-11-25') =>
  result(`{"protocolVersion":"${version}","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`);
const modern = result('{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}');
const unsupported = (supported: readonly string[]) =>
  refuse(
    `{"code":-32022,"message":"Unsupported protocol version","data":${JSON.stringify({ supported, requested: '?' })}}`,
  );
const NO_METHOD = refuse('{"code":-32601,"message":"Method not found"}');

describe('a legacy server', () => {
  it('is initialized without capabilities', async () => {
    const { wire, connection, error } = await run('legacy', { initialize: legacy() });
    expect(error).toBeUndefined();
    expect(wire.isListening).toBe(true);
    expect(connection.era).toBe('legacy');
    expect(wire.versions).toEqual([undefined, '2025-11-25']);
    expect(wire.messages).toMatchObject([
      {
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'pincer', version: VERSION },
        },
      },
      { method: 'notifications/initialized' },
    ]);
  });

  it('gets the client’s capabilities, as the client sent them', async () => {
    const { wire } = await run(
      'legacy',
      { initialize: legacy() },
      '{"sampling":{"n":1.0,"x":"gr\u00c3\u00b6"}}',
    );
    expect(wire.sent[0]!.text).toContain('"capabilities":{"sampling":{"n":1.0,"x":"gr\u00c3\u00b6"}}');
  });

  it('is described by its own bytes', async () => {
    const about = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}, "instructions":"x", "n":1.0}';
    const { introduction } = await run('legacy', { initialize: result(about) });
    expect(introduction).toEqual({ era: 'legacy', result: about });
  });

  it.each([
    ['{"logging":{}}', ['logging/setLevel']],
    ['{"logging":true}', ['tools/call']],
    ['{}', ['tools/call']],
  ])('with capabilities %s gets a log level only if it supports that', async (capabilities, sent) => {
    const { connection, wire } = await run('legacy', {
      initialize: result(`{"protocolVersion":"2025-11-25","capabilities":${capabilities}}`),
    });
    connection.call(toolRequest({ logLevel: 'debug' }), new HandExchange());
    expect(wire.methods.slice(2)).toEqual(sent);
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('may use version %s', async (version) => {
    const { wire, error } = await run('legacy', { initialize: legacy(version) });
    expect(error).toBeUndefined();
    expect(wire.versions).toEqual([undefined, version]);
  });

  it.each([
    ['by error', NO_METHOD],
    ['by HTTP 400', status(400)],
    ['by HTTP 404', status(404)],
    ['by HTTP 405', status(405)],
    ['by a result without versions', result('{}')],
    ['by a result that is not an object', result('[]')],
    ['by versions that are not a list', result('{"supportedVersions":"2026-07-28"}')],
    ['by an error that is not an object', refuse('"no"')],
    ['by a list without a supported version', unsupported(['2025-11-25', '2099-01-01'])],
    ['without a list of versions', refuse('{"code":-32022,"message":"no"}')],
    ['by silence', undefined],
    ['by unsupported versions', result('{"supportedVersions":["2099-01-01"]}')],
  ])('that does not know discovery (%s) is still found', async (_how, discover) => {
    const { connection, error, methods } = await run('modern', {
      'server/discover': discover,
      initialize: legacy(),
    });
    expect(error).toBeUndefined();
    expect(connection.era).toBe('legacy');
    expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });
});

describe('a modern server', () => {
  it('is discovered with the hub’s envelope, and not initialized', async () => {
    const { wire, connection, error, methods } = await run('modern', { 'server/discover': modern });
    expect(error).toBeUndefined();
    expect(connection.era).toBe('modern');
    expect(wire.versions).toEqual(['2026-07-28']);
    expect(methods).toEqual(['server/discover']);
    expect(wire.messages[0]!.params).toMatchObject({ _meta: { [META_KEY.protocolVersion]: '2026-07-28' } });
    expect(wire.isListening).toBe(false);
  });

  it('that refuses the version but lists it is asked once more in the same era', async () => {
    let asked = 0;
    const { connection, error, methods } = await run('modern', {
      'server/discover': (wire, id) =>
        (asked++ === 0 ? unsupported(['2026-07-28', '2025-11-25']) : modern)(wire, id),
      initialize: () => expect.unreachable('it speaks the modern era'),
    });
    expect(error).toBeUndefined();
    expect(connection.era).toBe('modern');
    expect(methods).toEqual(['server/discover', 'server/discover']);
  });

  it('that keeps refusing the version it lists is given up', async () => {
    const { connection, methods } = await run('modern', {
      'server/discover': unsupported(['2026-07-28']),
      initialize: legacy(),
    });
    expect(connection.era).toBe('legacy');
    expect(methods).toEqual([
      'server/discover',
      'server/discover',
      'initialize',
      'notifications/initialized',
    ]);
  });

  it.each([
    ['by error', NO_METHOD],
    ['by HTTP 400', status(400)],
    ['by an unsupported version', legacy('2099-01-01')],
    ['by a version of the other era', legacy('2026-07-28')],
    ['without a version', result('{"protocolVersion":7}')],
    ['by a list of versions', unsupported(['2026-07-28'])],
  ])('that does not know initialize (%s) is still found', async (_how, initialize) => {
    const { connection, error, methods } = await run('legacy', { initialize, 'server/discover': modern });
    expect(error).toBeUndefined();
    expect(connection.era).toBe('modern');
    expect(methods).toEqual(['initialize', 'server/discover']);
  });
});

describe('a target that is not an MCP server', () => {
  it('is refused with its first error message', async () => {
    const { error } = await run('legacy', {
      initialize: refuse('{"code":-1,"message":"go away"}'),
      'server/discover': NO_METHOD,
    });
    expect(error).toMatchObject({
      code: 'SERVER_PROTOCOL',
      hint: 'Check servers.s: is this the right command or URL?',
    });
    expect((error as PincerError).message).toContain('go away');
  });

  it.each([401, 403, 429, 500, 503])('with HTTP %i does not cause a try in the other era', async (code) => {
    const { error, methods } = await run('legacy', { initialize: status(code), 'server/discover': modern });
    expect(error).toMatchObject({ data: { status: code } });
    expect(methods).toEqual(['initialize']);
  });

  it('times out if it does not answer', async () => {
    const { error } = await run('legacy', {});
    expect(error).toMatchObject({ code: 'CALL_TIMEOUT' });
  });

  it('may break the connection', async () => {
    const { error } = await run('legacy', { initialize: (wire) => wire.break() });
    expect(error).toMatchObject({ code: 'SERVER_GONE' });
  });
});
