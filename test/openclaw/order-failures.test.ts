/** Orders that fail: each says what happened and what to do, and the next one works. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { startMcpServer, type McpServer } from '../kit/mcp-server.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { errorIn, ownerEnv } from '../kit/openclaw/order.ts';
import { TOKEN } from '../kit/openclaw/profile.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { verifies } from '../verifies.ts';

const { profile } = openHost(inject('openclaw'));

describe('of the model', () => {
  let server: McpServer;
  beforeAll(async () => {
    server = await startMcpServer(ownerEnv(profile));
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each([
    ['an error', 'fail:400', /^Error: .*LLM request failed/],
    ['an empty reply', 'say:nothing', /^Error: .*couldn't generate a response/],
  ])('%s is an error of the call', async (_what, message, expected) => {
    verifies('001-response-error');
    const sessionKey = crypto.randomUUID();
    expect(errorIn(await server.order(message, { sessionKey }))).toMatch(expected);
    expect(await server.ask('and now?', sessionKey)).toBe('echo: and now?');
  });
});

describe('on the way to the gateway', () => {
  const right = { port: profile.port, token: TOKEN };
  test.each([
    [
      'a wrong token',
      async () => ({ ...right, token: 'wrong' }),
      /^Error: .*refused the token.*gateway\.auth\.token/s,
    ],
    [
      'no gateway',
      async () => ({ ...right, port: await freePort() }),
      /^Error: .*gateway.*openclaw gateway/s,
    ],
  ])('%s is an error until the settings are right', async (_what, settings, expected) => {
    verifies('001-trouble-not-installed');
    using folder = temporaryFolder('order-failures');
    const state = join(folder.path, '.openclaw');
    mkdirSync(join(state, 'mcp'), { recursive: true, mode: 0o700 });
    const configure = ({ port, token }: typeof right): void =>
      writeFileSync(
        join(state, 'openclaw.json'),
        JSON.stringify({ gateway: { port, auth: { mode: 'token', token } } }),
      );
    writeFileSync(join(state, 'mcp', 'config.json'), JSON.stringify({ agent: { backend: 'gateway' } }));
    configure(await settings());
    await using server = await startMcpServer({ ...ownerEnv(profile), HOME: folder.path });
    expect(errorIn(await server.order('hello'))).toMatch(expected);
    configure(right);
    expect(await server.ask('and now?')).toBe('echo: and now?');
  });
});
