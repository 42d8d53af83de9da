import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resultOf, status } from '../../../../../../test/kit/hand-server.ts';
import { HandExchange, toolRequest, type RequestParts } from '../../../../../../test/kit/hand-wire.ts';
import { OLD_MAX_BYTES, OldServer } from '../../../../../../test/kit/old-server.ts';
import { PincerError } from '../../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';
import { negotiate } from '../negotiate.ts';

/** HTTP+SSE of 2024-11-05. */
let old: OldServer;
let connection: Connection;

beforeEach(async () => {
  old = await OldServer.start();
  connection = old.connect();
});
afterEach(async () => {
  await connection.close(new PincerError('SERVER_GONE', 'The test is over.'));
  await old.web.stop();
});

const TERMS = { legacyMs: 2_000, modernMs: 2_000, capabilities: '{}' };
const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 2, timeout: 4_000 }).toBe(true);
const begin = () => negotiate(connection, 's', 'modern', TERMS);

function start(parts: RequestParts = {}): { exchange: HandExchange; cancel(reason: string): void } {
  const exchange = new HandExchange();
  const { cancel } = connection.call(toolRequest(parts), exchange);
  return { exchange, cancel };
}

async function call(parts: RequestParts = {}): Promise<HandExchange> {
  const { exchange } = start(parts);
  await until(() => exchange.outcomes.length > 0);
  return exchange;
}

describe('a server that has the transport of 2024-11-05', () => {
  it('may answer before it has said that it took the message', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      old.say(resultOf(message.id!));
      setTimeout(() => response.writeHead(202).end(), 50);
    };
    await begin();
    expect((await call()).kinds).toEqual(['ok']);
    expect((await call()).kinds).toEqual(['ok']);
  });

  it('tells of progress, asks, and is answered', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      response.writeHead(202).end();
      old.say(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${message.id}","progress":1}}`,
      );
      old.say('{"jsonrpc":"2.0","id":41,"method":"ping"}');
      old.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      old.say(resultOf(message.id!));
    };
    await begin();
    const exchange = await call({ params: '{"name":"x","_meta":{"progressToken":7}}' });
    expect(exchange.notified).toEqual(['notifications/progress {"progressToken":7,"progress":1}']);
    expect(old.notices).toEqual(['notifications/tools/list_changed {}']);
    await until(() => old.web.received.at(-1)!.text === '{"jsonrpc":"2.0","id":41,"result":{}}');
    expect(old.web.received.at(-1)!.url).toBe('/messages?sessionId=1');
  });

  it('may send what is no message: it is logged and skipped', async () => {
    await begin();
    old.say('{');
    old.streams[0]!.write('event: other\ndata: {}\n\n: hello\n\nevent: endpoint\ndata: /elsewhere\n\n');
    expect((await call()).kinds).toEqual(['ok']);
    expect(old.web.warnings).toHaveLength(1);
    expect(old.web.received.at(-1)!.url).toBe('/messages?sessionId=1');
  });

  it('and answers a call with something that is no message leaves that call unknown', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      response.writeHead(202).end();
      old.say(`{"jsonrpc":"2.0","id":"${message.id}","result":{},"error":{}}`);
    };
    await begin();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_PROTOCOL');
  });

  it('is told of a cancelled call by a notification', async () => {
    old.taken['tools/call'] = status(202);
    await begin();
    const { exchange, cancel } = start();
    await until(() => old.web.asked.at(-1) === 'tools/call');
    const { id } = old.web.received.at(-1)!.message;
    cancel('enough');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    await until(() => old.web.asked.at(-1) === 'notifications/cancelled');
    expect(old.web.received.at(-1)!.message.params).toMatchObject({ requestId: id });
  });

  it.each(['end', 'destroy'] as const)(
    'and whose stream is over by %s loses all calls at once, and the connection',
    async (how) => {
      old.taken['tools/call'] = status(202);
      await begin();
      const calls = [start(), start()];
      await until(() => old.web.asked.filter((method) => method === 'tools/call').length === 2);
      old.streams[0]![how]();
      await until(() => calls.every(({ exchange }) => exchange.outcomes.length > 0));
      for (const { exchange } of calls) {
        expect(exchange.kinds).toEqual(['outcome_unknown']);
        expect(exchange.reason.code).toBe('SERVER_GONE');
      }
      expect(connection.isOpen).toBe(false);
      expect(old.web.closed).toHaveLength(1);
    },
  );

  it('and says too much at once loses the connection', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      response.writeHead(202).end();
      old.say(resultOf(message.id!, `{"data":"${'x'.repeat(OLD_MAX_BYTES)}"}`));
    };
    await begin();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.message).toContain(`more than ${OLD_MAX_BYTES} bytes`);
    expect(old.web.closed).toMatchObject([{ code: 'SERVER_PROTOCOL' }]);
  });

  it.each([
    [400, 'not_executed', true],
    [403, 'not_executed', true],
    [404, 'not_executed', false],
    [500, 'outcome_unknown', true],
  ])('and refuses a message with %i: %s', async (code, kind, staysOpen) => {
    old.taken['tools/call'] = status(code);
    await begin();
    expect((await call()).kinds).toEqual([kind]);
    expect(connection.isOpen).toBe(staysOpen);
  });

  it('and wants to be left alone for a moment is sent the message once more', async () => {
    old.taken['tools/call'] = (_received, response) => {
      old.taken['tools/call'] = old.answering('{}');
      response.writeHead(429, { 'retry-after': '1' }).end();
    };
    await begin();
    expect((await call()).kinds).toEqual(['ok']);
  });

  it('and hangs up on a message may have run the call', async () => {
    old.taken['tools/call'] = (_received, response) => void response.destroy();
    await begin();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_GONE');
    expect(connection.isOpen).toBe(true);
  });

  it('is let go of with the connection', async () => {
    await begin();
    const gone = new Promise((resolve) => old.streams[0]!.on('close', resolve));
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    await gone;
    expect(old.web.of('DELETE')).toEqual([]);
  });
});
