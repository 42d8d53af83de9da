import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { registrationOf, sessionBench } from '../../../../../test/kit/session-bench.ts';
import type { Session } from '../directory/session-directory.ts';
import { createAnswers } from './answers.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

/** An endpoint whose directory answers on demand. */
async function openEndpoint() {
  const { directory } = sessionBench();
  const session = await directory.create('a', registrationOf('x'));
  const asked: string[] = [];
  const handled: Session[] = [];
  const failures: unknown[] = [];
  const keys = { version: 1, isValidKey: true };
  const gate = Promise.withResolvers<void>();
  const endpoint = createMcpEndpoint({
    answers: createAnswers(() => undefined),
    keys: {
      get version() {
        return keys.version;
      },
      callerOf: () => (keys.isValidKey ? { id: 'c', name: 'c', scopes: {} } : undefined),
    },
    directory: {
      async find(id) {
        asked.push(id);
        await gate.promise;
        return directory.find(id);
      },
      renew: (each) => directory.renew(each),
    },
    tooSoon: () => undefined,
    handle(_request, response, _caller, found) {
      handled.push(found);
      response.end('handled');
    },
    onFailed: (error) => failures.push(error),
    onRejected: () => undefined,
  });
  const server = createServer((request, response) => endpoint(request, response, request.url?.slice(1)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  undo.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (id: string): Promise<Response> => fetch(`http://127.0.0.1:${port}/${id}`, { method: 'POST' });
  return { session, asked, handled, failures, keys, gate, ask };
}

describe('session of a request', () => {
  it('is looked up once and passed on', async () => {
    const { session, asked, handled, gate, ask } = await openEndpoint();
    gate.resolve();
    expect(await (await ask(session.id)).text()).toBe('handled');
    expect((await ask('made-up')).status).toBe(404);
    expect(asked).toEqual([session.id, 'made-up']);
    expect(handled).toEqual([session]);
    expect(handled[0]).toBe(session);
  });

  it('is refused if the token was revoked during the lookup', async () => {
    const { session, asked, handled, keys, gate, ask } = await openEndpoint();
    const answer = ask(session.id);
    await expect.poll(() => asked.length).toBe(1);
    Object.assign(keys, { version: 2, isValidKey: false });
    gate.resolve();
    expect((await answer).status).toBe(401);
    expect(handled).toEqual([]);
  });

  it('is reported as not executed if it cannot be looked up', async () => {
    const { session, asked, handled, failures, gate, ask } = await openEndpoint();
    const asking = ask(session.id);
    await expect.poll(() => asked.length).toBe(1);
    gate.reject(new Error('The store is away.'));
    const answer = await asking;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { data: { outcome: 'not_executed' } } });
    expect([handled.length, failures.length]).toEqual([0, 1]);
  });
});
