import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';
import { CONTROL_STREAM } from '../core/protocol.ts';
import { bindRoutes } from './bind-routes.ts';
import { createControl, statusOf } from './control.ts';

const read: unknown[] = [];
const routes = bindRoutes({
  'GET status': ({ query }) => {
    read.push(query);
    return { version: '1', pid: 1, mode: 'foreground', attached: 0, callsInFlight: 0, servers: [] };
  },
  'GET offer': ({ query: { server: name } }) => ({
    name,
    isKnown: false,
    tools: [],
    prompts: [],
    resources: [],
    templates: [],
  }),
  'POST disconnect': ({ body }) => void read.push(body),
  'POST servers'({ body, tell }) {
    tell({ step: `adds ${body.name}` });
    return [];
  },
});

const server = createServer(createControl(routes));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

const send = (method: string, path: string, body?: string, accept = 'application/json'): Promise<Response> =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/control/${path}`, {
    method,
    headers: { accept },
    ...(body !== undefined && { body }),
  });

describe('a control request', () => {
  it('reaches its handler parsed, without unknown query parameters', async () => {
    expect((await send('GET', 'status?since=7&other=1')).status).toBe(200);
    expect((await send('GET', 'status')).status).toBe(200);
    expect(read.splice(0)).toEqual([{ since: 7 }, {}]);
  });

  it('may lack a name, which the handler gets as an empty text', async () => {
    expect(await (await send('GET', 'offer')).json()).toMatchObject({ name: '' });
  });

  it('uses the first of repeated parameters', async () => {
    expect(await (await send('GET', 'offer?server=a&server=b')).json()).toMatchObject({ name: 'a' });
  });

  it('is answered with null by a handler without a result', async () => {
    const response = await send('POST', 'disconnect', '{"name":"a"}');
    expect([response.status, await response.text()]).toEqual([200, 'null']);
    expect(read.splice(0)).toEqual([{ name: 'a' }]);
  });

  it.each([
    ['GET', 'status?since=soon', undefined, 'since'],
    ['POST', 'disconnect', '{"name":1}', 'name'],
    ['POST', 'disconnect', '{"name":"a","force":true}', 'force'],
    ['POST', 'servers', '{"name":"a","config":{},"timeoutMs":-1}', 'timeoutMs'],
  ])('%s %s with %s is refused with the name of the field', async (method, path, body, field) => {
    const response = await send(method, path, body);
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      error: {
        code: 'USAGE',
        message: expect.stringMatching(new RegExp(`^The request is invalid: [^]*${field}`)),
      },
    });
    expect(read).toEqual([]);
  });

  it('sends events before the answer to a client that listens', async () => {
    const body = '{"name":"a","config":{}}';
    expect(await (await send('POST', 'servers', body, CONTROL_STREAM)).text()).toBe(
      '{"event":{"step":"adds a"}}\n{"status":200,"answer":[]}\n',
    );
    expect(await (await send('POST', 'servers', body)).text()).toBe('[]');
  });
});

it('maps every error code to an HTTP status', () => {
  const special: Partial<Record<ErrorCode, number>> = {
    INTERNAL: 500,
    SERVER_UNKNOWN: 404,
    TOOL_UNKNOWN: 404,
    SERVER_EXISTS: 409,
    HUB_RUNNING: 409,
  };
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[])
    expect(statusOf(code), code).toBe(special[code] ?? 422);
});
