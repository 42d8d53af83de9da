import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../../test/kit/sha256.ts';
import { verifies } from '../../../../test/verifies.ts';
import { createCatalog, viewName } from '../core/catalog/catalog.ts';
import { createCredentials } from '../core/credentials.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Log } from '../core/ports.ts';
import { STDIO_PROTOCOL } from '../core/protocol.ts';
import { createControl } from '../control/control.ts';
import { openLocalListener, type LocalListener } from './local-listener.ts';
import { createSlots } from '../mcp/slots.ts';
import { createRoutes } from '../daemon/routes.ts';

const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const credentials = createCredentials(sha256);
const adminCredentials = createCredentials(sha256);
/** Requests that passed the gate. */
const handled: string[] = [];
const rejected: number[] = [];
let attached = 0;
let listener: LocalListener;

beforeAll(async () => {
  credentials.set(sha256('good'), { id: 'a', name: 'a', scopes: {} });
  adminCredentials.set(sha256('admin'), { id: 'admin', name: 'admin', scopes: {} });
  const catalog = createCatalog(sha256);
  catalog.configure([{ name: 'github', prefix: 'github' }]);
  listener = await openLocalListener({
    port: 0,
    credentials,
    onRequest: () => undefined,
    onRejected: (status) => void rejected.push(status),
    route: createRoutes({
      device: () => undefined,
      catalog,
      credentials,
      adminCredentials,
      mcpHttp: {
        handle(request, response, caller, view) {
          handled.push(`${request.method} ${viewName(view) ?? '-'} ${caller.id}`);
          response.end('handled');
        },
        endRevoked: () => undefined,
        close: () => undefined,
      },
      stdio: {
        dispatch(message, _sender, reply) {
          reply.answer(`{"jsonrpc":"2.0","id":${message.id},"result":{}}`, 200);
          return undefined;
        },
        onClient: () => () => undefined,
        slots: createSlots(DEFAULT_LIMITS),
        limits: DEFAULT_LIMITS,
        log: QUIET,
      },
      control: createControl({ 'GET status': () => ({ fine: true }) }),
      version: '1.2.3',
      metricsType: 'text/plain; version=0.0.4',
      renderMetrics: () => 'pincer_up 1\n',
      onAttached: () => attached++,
      onDetached: () => attached--,
    }),
  });
});
afterAll(() => listener.close());

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends these bytes and reads one answer. The socket stays open. */
async function exchange(socket: Socket, request: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let text = '';
  const onData = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = text.slice(0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    const isWhole =
      length === undefined
        ? /^HTTP\/1\.1 (?:101|204)|\r\n0\r\n\r\n$/.test(text)
        : text.length >= end + 4 + Number(length);
    if (!isWhole) return;
    socket.off('data', onData).off('close', reject);
    resolve({ status: Number(head.slice(9, 12)), head, body: text.slice(end + 4) });
  };
  socket.on('data', onData).on('close', reject);
  socket.write(request);
  return promise;
}

interface RequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly token?: string;
  /** Undefined omits the header. */
  readonly host?: string | undefined;
  readonly lines?: readonly string[];
}

const requestText = ({
  method = 'POST',
  path = '/mcp',
  token,
  lines = [],
  ...rest
}: RequestOptions): string => {
  const host = 'host' in rest ? rest.host : `127.0.0.1:${listener.port}`;
  const all = [
    `${method} ${path} HTTP/1.1`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...lines,
  ];
  return `${all.join('\r\n')}\r\n\r\n`;
};

async function send(options: RequestOptions): Promise<Answer> {
  const socket = connect(listener.port, '127.0.0.1');
  try {
    return await exchange(socket, requestText(options));
  } finally {
    socket.destroy();
  }
}

const UPGRADE = ['Connection: Upgrade', `Upgrade: ${STDIO_PROTOCOL}`];
const ROUTES: readonly RequestOptions[] = [
  { path: '/mcp' },
  { path: '/mcp/github' },
  { path: '/mcp', method: 'GET' },
  { path: '/mcp', method: 'DELETE' },
  { path: '/mcp', method: 'OPTIONS' },
  { path: '/', method: 'GET' },
  { path: '/' },
  { path: '/health', method: 'GET' },
  { path: '/metrics', method: 'GET' },
  { path: '/control/status', method: 'GET' },
  { path: '/nothing', method: 'GET' },
  { path: '/mcp', method: 'GET', lines: UPGRADE },
];
const nameOf = ({ method = 'POST', path, lines }: RequestOptions): string =>
  `${method} ${path}${lines === undefined ? '' : ' upgrade'}`;

describe('the gate protects every route', () => {
  it.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s', async (_name, route) => {
    verifies(
      '000-security-origin',
      '000-security-host',
      '000-gate-origin-403',
      '000-gate-host-403',
      '004-5.5-origin-check',
    );
    const before = handled.length;
    const tokens = [undefined, 'good', 'admin'];
    for (const token of tokens) {
      const known = token === undefined ? route : { ...route, token };
      const lines = route.lines ?? [];
      const answers = await Promise.all([
        send({ ...known, lines: [...lines, 'Origin: https://evil.com'] }),
        send({ ...known, lines: [...lines, 'Origin: null'] }),
        send({ ...known, lines: [...lines, `Origin: https://127.0.0.1:${listener.port}`] }),
        send({ ...known, lines: [...lines, 'Sec-Fetch-Site: cross-site'] }),
        send({ ...known, lines: [...lines, 'Sec-Fetch-Site: same-origin'] }),
        send({ ...known, host: 'evil.com' }),
        send({ ...known, host: `evil.com:${listener.port}` }),
        send({ ...known, host: `localhost:${listener.port + 1}` }),
        send({ ...known, host: '127.0.0.1.nip.io' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
      for (const { head } of answers) expect(head).not.toMatch(/access-control/i);
    }
    expect(handled).toHaveLength(before);
  });

  it('counts refused requests', async () => {
    const before = rejected.length;
    await send({ host: 'evil.com' });
    await send({});
    expect(rejected.slice(before)).toEqual([403, 401]);
  });

  it('refuses a request without Host', async () => {
    expect((await send({ token: 'good', host: undefined })).status).toBe(400);
  });

  it.each([
    'Host: evil.com',
    'Host: localhost',
    'Sec-Fetch-Site: none, cross-site',
    'Authorization: Bearer wrong',
  ])('refuses a second %s', async (line) => {
    const before = handled.length;
    const { status } = await send({ token: 'good', lines: [line] });
    expect([401, 403]).toContain(status);
    expect(handled).toHaveLength(before);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])(
    'accepts the host name %s, with and without port',
    async (host) => {
      verifies('000-security-host');
      expect((await send({ token: 'good', host })).status).toBe(200);
      expect((await send({ token: 'good', host: `${host}:${listener.port}` })).status).toBe(200);
    },
  );

  it('sends no CORS header and answers no preflight', async () => {
    verifies('000-security-no-cors');
    expect((await send({ token: 'good' })).head).not.toMatch(/access-control/i);
    const preflight = await send({
      method: 'OPTIONS',
      lines: ['Origin: https://evil.com', 'Access-Control-Request-Method: POST'],
    });
    expect(preflight.status).toBe(403);
    expect(preflight.head).not.toMatch(/access-control/i);
  });
});

describe('the token', () => {
  const closed = ROUTES.filter(({ path }) => path !== '/health');

  it.each(closed.map((route) => [nameOf(route), route] as const))(
    'is required for %s',
    async (_name, route) => {
      verifies('000-auth-every-request', '000-auth-missing-401', '000-auth-wrong-401');
      const before = handled.length;
      for (const token of [undefined, 'wrong', 'goo', 'good.', sha256('good')]) {
        const answer = await send(token === undefined ? route : { ...route, token });
        expect(answer).toMatchObject({ status: 401, body: '' });
      }
      expect(handled).toHaveLength(before);
    },
  );

  it('is not required for /health', async () => {
    const { status, body } = await send({ path: '/health', method: 'GET' });
    expect([status, body]).toEqual([200, expect.stringContaining('{"status":"ok","version":"1.2.3"}')]);
    expect((await send({ path: '/health', method: 'POST' })).status).toBe(405);
  });

  it('is not accepted in the query', async () => {
    expect((await send({ path: '/mcp?token=good&access_token=good' })).status).toBe(401);
  });

  it("of a client does not open control, and the admin's does not open MCP", async () => {
    const control = { path: '/control/status', method: 'GET' };
    expect((await send({ ...control, token: 'good' })).status).toBe(401);
    expect((await send({ ...control, token: 'admin' })).status).toBe(200);
    expect((await send({ token: 'admin' })).status).toBe(401);
  });

  it('is required to learn which paths exist', async () => {
    expect((await send({ path: '/nothing' })).status).toBe(401);
    expect((await send({ path: '/nothing', token: 'good' })).status).toBe(404);
    expect((await send({ path: '/mcp/unknown', token: 'good' })).status).toBe(404);
    expect((await send({ path: '/mcp/__proto__', token: 'good' })).status).toBe(404);
    expect((await send({ path: '/mcp/', token: 'good' })).status).toBe(404);
  });

  it('is checked again after it was revoked, on an open connection', async () => {
    credentials.set(sha256('brief'), { id: 'b', name: 'b', scopes: {} });
    const socket = connect(listener.port, '127.0.0.1');
    const text = requestText({ token: 'brief', lines: ['Content-Length: 0'] });
    expect((await exchange(socket, text)).status).toBe(200);
    expect((await exchange(socket, text)).status).toBe(200);
    credentials.revoke(sha256('brief'));
    expect((await exchange(socket, text)).status).toBe(401);
    socket.destroy();
  });

  it('shown once on a connection is not valid for another token or route', async () => {
    const socket = connect(listener.port, '127.0.0.1');
    const send = async (options: RequestOptions): Promise<number> => {
      const answer = await exchange(socket, requestText({ ...options, lines: ['Content-Length: 0'] }));
      return answer.status;
    };
    expect(await send({ token: 'good' })).toBe(200);
    expect(await send({})).toBe(401);
    expect(await send({ token: 'wrong' })).toBe(401);
    expect(await send({ path: '/control/status', method: 'GET', token: 'good' })).toBe(401);
    expect(await send({ token: 'good' })).toBe(200);
    socket.destroy();
  });
});

describe('routes', () => {
  it('lead to the whole hub or to one server', async () => {
    handled.length = 0;
    await send({ token: 'good' });
    await send({ token: 'good', path: '/mcp?x=1' });
    await send({ token: 'good', path: '/mcp/github' });
    expect(handled).toEqual(['POST - a', 'POST - a', 'POST github a']);
  });

  it('show metrics with a token', async () => {
    const answer = await send({ path: '/metrics', method: 'GET', token: 'good' });
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(/content-type: text\/plain; version=0\.0\.4/i);
    expect(answer.body).toContain('pincer_up 1\n');
    expect((await send({ path: '/metrics', method: 'POST', token: 'good' })).status).toBe(405);
  });

  it('upgrade a connection', async () => {
    const socket = connect(listener.port, '127.0.0.1');
    const answer = await exchange(socket, requestText({ method: 'GET', token: 'good', lines: UPGRADE }));
    expect(answer.status).toBe(101);
    expect(attached).toBe(1);
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(await promise).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    socket.destroy();
    await expect.poll(() => attached).toBe(0);
  });

  it('close an upgraded connection when its token is revoked', async () => {
    credentials.set(sha256('brief'), { id: 'b', name: 'b', scopes: {} });
    const socket = connect(listener.port, '127.0.0.1');
    const answer = await exchange(socket, requestText({ method: 'GET', token: 'brief', lines: UPGRADE }));
    expect(answer.status).toBe(101);
    credentials.revoke(sha256('brief'));
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.on('data', (chunk: Buffer) => resolve(chunk.toString())).on('close', () => resolve('closed'));
    socket.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(await promise).toBe('closed');
  });

  it.each([['a route without upgrades', '/metrics', STDIO_PROTOCOL]])(
    'refuse to upgrade %s',
    async (_what, path, protocol) => {
      const lines = ['Connection: Upgrade', `Upgrade: ${protocol}`];
      expect((await send({ method: 'GET', path, token: 'good', lines })).status).toBe(400);
    },
  );
});

describe('control', () => {
  const control = async (path: string, method = 'GET', body = ''): Promise<Answer> => {
    const socket = connect(listener.port, '127.0.0.1');
    const head = requestText({ path, method, token: 'admin', lines: [`Content-Length: ${body.length}`] });
    try {
      return await exchange(socket, head + body);
    } finally {
      socket.destroy();
    }
  };

  it('answers with JSON', async () => {
    const { status, head, body } = await control('/control/status?x=1');
    expect([status, body]).toEqual([200, expect.stringContaining('{"fine":true}')]);
    expect(head).toMatch(/content-type: application\/json/i);
  });

  it.each([
    ['GET', '/control/nothing'],
    ['POST', '/control/status'],
    ['GET', '/control/'],
    ['GET', '/control/constructor'],
  ])('rejects %s %s', async (method, path) => {
    const { status, body } = await control(path, method);
    expect(status).toBe(422);
    expect(body).toContain('"code":"USAGE"');
  });

  it('refuses a body that is not JSON', async () => {
    const { status, body } = await control('/control/status', 'GET', '{');
    expect(status).toBe(422);
    expect(body).toContain('The body is not JSON.');
  });

  it('refuses a body declared too large', async () => {
    const answer = await send({
      path: '/control/status',
      method: 'GET',
      token: 'admin',
      lines: [`Content-Length: ${1024 * 1024 + 1}`],
    });
    expect(answer.status).toBe(413);
  });
});

describe('the listener', () => {
  it('is on 127.0.0.1 and on no other address of this machine', async () => {
    verifies('000-http-bind');
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80'))
      .map(({ address }) => address);
    for (const host of ['127.0.0.2', ...others]) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const socket = connect({ port: listener.port, host });
      socket.once('connect', () => resolve('connected')).once('error', () => resolve('refused'));
      expect(await promise, host).toBe('refused');
      socket.destroy();
    }
  });

  it('names the busy port and the setting', async () => {
    const parts = {
      port: listener.port,
      credentials,
      route: () => undefined,
      onRequest: () => undefined,
      onRejected: () => undefined,
    };
    await expect(openLocalListener(parts)).rejects.toMatchObject({
      code: 'PORT_BUSY',
      message: `Port ${listener.port} is in use by another program.`,
      hint: expect.stringContaining('OPENCLAW_MCP_PORT'),
      data: { port: listener.port },
    });
  });

  it('counts admitted requests', async () => {
    const before = listener.requests;
    await send({ token: 'good' });
    await send({});
    expect(listener.requests).toBe(before + 1);
  });
});
