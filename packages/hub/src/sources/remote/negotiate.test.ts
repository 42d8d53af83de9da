import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandWire } from '../../../../../test/kit/hand-wire.ts';
import { PincerError } from '../../core/errors.ts';
import { META_KEY, type Era } from '../../core/protocol.ts';
import { VERSION } from '../../version.ts';
import { Connection } from './connection.ts';
import { negotiate } from './negotiate.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TIMEOUT = 1_000;

/** Negotiates with a server that answers each method in its own way; undefined is silence. */
async function run(wanted: Era, answers: Record<string, ((wire: HandWire, id: string) => void) | undefined>) {
  const wire = new HandWire();
  const connection = new Connection({
    server: 's',
    openWire: wire.open,
    clock: { now: () => Date.now(), elapsed: () => Date.now() },
    requestTimeoutMs: 30_000,
    onToolsChanged: () => undefined,
    onClosed: () => undefined,
  });
  const send = wire.send.bind(wire);
  wire.send = (text, about) => {
    send(text, about);
    if (about.id !== undefined) queueMicrotask(() => answers[about.method]?.(wire, about.id!));
  };
  const done = negotiate(connection, 's', wanted, { legacyMs: TIMEOUT, modernMs: TIMEOUT }).then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(2 * TIMEOUT);
  return { wire, connection, error: await done, methods: wire.messages.map(({ method }) => method) };
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
const NO_METHOD = refuse('{"code":-32601,"message":"Method not found"}');

describe('a legacy server', () => {
  it('is initialized, with no capability declared', async () => {
    const { wire, connection, error } = await run('legacy', { initialize: legacy() });
    expect(error).toBeUndefined();
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

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('may speak %s', async (version) => {
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
    ['by versions we do not speak', result('{"supportedVersions":["2099-01-01"]}')],
  ])('that does not know discovery (%s) is found all the same', async (_how, discover) => {
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
  it('is discovered, with our envelope, and nothing is initialized', async () => {
    const { wire, connection, error, methods } = await run('modern', { 'server/discover': modern });
    expect(error).toBeUndefined();
    expect(connection.era).toBe('modern');
    expect(wire.versions).toEqual(['2026-07-28']);
    expect(methods).toEqual(['server/discover']);
    expect(wire.messages[0]!.params).toMatchObject({ _meta: { [META_KEY.protocolVersion]: '2026-07-28' } });
  });

  it.each([
    ['by error', NO_METHOD],
    ['by HTTP 400', status(400)],
    ['by a version we do not speak', legacy('2099-01-01')],
    ['by a version of the other era', legacy('2026-07-28')],
    ['by no version', result('{"protocolVersion":7}')],
  ])('that knows no initialize (%s) is found all the same', async (_how, initialize) => {
    const { connection, error, methods } = await run('legacy', { initialize, 'server/discover': modern });
    expect(error).toBeUndefined();
    expect(connection.era).toBe('modern');
    expect(methods).toEqual(['initialize', 'server/discover']);
  });
});

describe('what is no server', () => {
  it('is refused with the first thing that it said', async () => {
    const { error } = await run('legacy', {
      initialize: refuse('{"code":-1,"message":"go away"}'),
      'server/discover': NO_METHOD,
    });
    expect(error).toMatchObject({ code: 'SERVER_PROTOCOL', hint: 'Is this the right command or URL?' });
    expect((error as PincerError).message).toContain('go away');
  });

  it.each([401, 403, 429, 500, 503])('HTTP %i is no word about an era', async (code) => {
    const { error, methods } = await run('legacy', { initialize: status(code), 'server/discover': modern });
    expect(error).toMatchObject({ data: { status: code } });
    expect(methods).toEqual(['initialize']);
  });

  it('does not keep us waiting', async () => {
    const { error } = await run('legacy', {});
    expect(error).toMatchObject({ code: 'CALL_TIMEOUT' });
  });

  it('may break', async () => {
    const { error } = await run('legacy', { initialize: (wire) => wire.break() });
    expect(error).toMatchObject({ code: 'SERVER_GONE' });
  });
});
