/** The five variables of seed 003, `.env`, the proxy's addresses, and when it refuses to start. */
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import { startHub } from '../kit/hub.ts';
import { textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { closeOf, openBridge, resultFor } from '../kit/proxy/bridge.ts';
import { countStoredSessions } from '../kit/proxy/stored-sessions.ts';
import { listeningAddresses } from '../kit/sockets.ts';
import { callTool, listTools, postMcp } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, spawnProxy, startProxy, type ProxyOptions } from '../kit/proxy/proxy.ts';
import { anyTool, ask, createSession, deleteSession, EXAMPLE, register } from '../kit/proxy/sessions.ts';
import { verifies } from '../verifies.ts';

const body = { ...EXAMPLE, tools: [anyTool('any')] };
const NO_TOKENS = { OPENCLAW_PROXY_APP_TOKEN: '', OPENCLAW_PROXY_OPENCLAW_TOKEN: '' };
const NONE = { token: undefined };

/** Starts a proxy that must refuse, and returns its exit code and output. */
async function refusal(options: ProxyOptions): Promise<{ code: number | null; said: string }> {
  const { child, exited, stderr, stdout, discard } = spawnProxy(options);
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const code = await exited;
  clearTimeout(timer);
  discard();
  return { code, said: stderr() + stdout() };
}

describe('tokens', () => {
  it('are empty by default: everything is open on loopback, with a warning for each', async () => {
    verifies(
      '003-auth-empty-app',
      '003-auth-empty-openclaw',
      '003-config-app-token',
      '003-config-openclaw-token',
    );
    await using proxy = await startProxy({ env: NO_TOKENS });
    // The warnings follow the line that it is running.
    expect(await eventually(() => proxy.stderr().includes('OPENCLAW_PROXY_OPENCLAW_TOKEN'))).toBe(true);
    expect(proxy.stderr()).toContain('OPENCLAW_PROXY_APP_TOKEN');
    const made = await register(proxy.origin, body, NONE);
    expect(made.status).toBe(200);
    const { mcpSessionId, bridge_url, mcp_url } = JSON.parse(made.text) as Awaited<
      ReturnType<typeof createSession>
    >;
    await using bridge = await openBridge(bridge_url, NONE);
    const call = callTool(mcp_url, 'any', {}, { headers: { authorization: 'Bearer whatever' } });
    bridge.send(resultFor(await bridge.next('invoke_tool'), 'open'));
    expect(textOf((await call).answer)).toBe('"open"');
    const bare = await ask(mcp_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect(bare.status).toBe(200);
    expect((await ask(`${proxy.origin}/v1/chat/sessions/${mcpSessionId}`, { method: 'DELETE' })).status).toBe(
      200,
    );
  });

  it('are independent: with one empty, the other is still required', async () => {
    verifies('003-auth-independent', '003-auth-empty-app', '003-auth-empty-openclaw');
    await using open = await startProxy({ env: { OPENCLAW_PROXY_APP_TOKEN: '' } });
    const { mcp_url } = JSON.parse((await register(open.origin, body, NONE)).text) as { mcp_url: string };
    expect((await postMcp(mcp_url, '{}', { token: 'wrong' })).status).toBe(401);
    expect((await listTools(mcp_url)).length).toBe(1);
    await using other = await startProxy({ env: { OPENCLAW_PROXY_OPENCLAW_TOKEN: '' } });
    expect((await register(other.origin, body, NONE)).status).toBe(401);
    const session = await createSession(other.origin, body);
    expect((await listTools(session.mcp_url, { token: 'whatever' })).length).toBe(1);
    expect((await closeOf(session.bridge_url, NONE)).code).toBe(4401);
  });

  const EXPOSED: [string, ProxyOptions][] = [
    ['no token at all', { env: NO_TOKENS, args: ['--host', '0.0.0.0'] }],
    ['no app token', { env: { OPENCLAW_PROXY_APP_TOKEN: '' }, args: ['--host', '0.0.0.0'] }],
    ['no token of OpenClaw', { env: { OPENCLAW_PROXY_OPENCLAW_TOKEN: '' }, args: ['--host', '0.0.0.0'] }],
    ['no token, on every address of IPv6', { env: NO_TOKENS, args: ['--host', '::'] }],
    ['no token, by the configuration', { env: NO_TOKENS, config: { proxy: { host: '0.0.0.0' } } }],
  ];
  it.each(EXPOSED)('%s: refuses to start if other machines could connect', async (_label, options) => {
    verifies('003-auth-empty-app', '003-auth-empty-openclaw', '003-ops-trusted-apps');
    const { code, said } = await refusal(options);
    expect([code === 0, code === null]).toEqual([false, false]);
    expect(said).toMatch(/CONFIG_INVALID|OPENCLAW_PROXY_(?:APP|OPENCLAW)_TOKEN/);
    expect(said).toMatch(/token/i);
  });

  it('without tokens under `up`, the hub runs, and does not listen for other machines', async () => {
    verifies('003-auth-empty-app', '003-auth-empty-openclaw', '003-ops-trusted-apps');
    await using hub = await startHub({ env: NO_TOKENS, config: { proxy: { host: '0.0.0.0', port: 0 } } });
    expect((await hub.control('GET', 'status')).value).toMatchObject({
      problems: [{ section: 'proxy', code: 'CONFIG_INVALID', effect: 'The app proxy is off.' }],
    });
    expect(hub.stderr()).toMatch(/OPENCLAW_PROXY_APP_TOKEN .*The app proxy is off/);
    for (const address of listeningAddresses(hub.pid)) expect(address).toMatch(/^0100007F:/);
  });

  it('with both set, it may listen on all addresses', async () => {
    verifies('003-ops-trusted-apps', '003-run-listen');
    await using proxy = await startProxy({ args: ['--host', '0.0.0.0'] });
    const port = proxy.port.toString(16).toUpperCase().padStart(4, '0');
    expect(listeningAddresses(proxy.pid)).toContain(`00000000:${port}`);
    const origin = `http://127.0.0.1:${proxy.port}`;
    expect((await register(origin, body, NONE)).status).toBe(401);
    expect((await register(origin, body)).status).toBe(200);
  });
});

describe('the address', () => {
  it('is loopback only', async () => {
    verifies('003-run-listen', '003-run-command');
    await using proxy = await startProxy();
    const port = proxy.port.toString(16).toUpperCase().padStart(4, '0');
    const all = listeningAddresses(proxy.pid);
    expect(all).toContain(`0100007F:${port}`);
    for (const address of all) expect(address).toMatch(/^(?:0100007F|0{24}01000000):/);
  });

  it('is port 8000 by default; a busy port is reported', async () => {
    verifies('003-run-listen');
    const taken = createServer();
    // Another program may already hold the port.
    await new Promise<void>((resolve) =>
      taken.once('error', () => resolve()).listen(8000, '127.0.0.1', resolve),
    );
    try {
      const { code, said } = await refusal({ port: -1 });
      expect([code === 0, code === null]).toEqual([false, false]);
      expect(said).toContain('8000');
      expect(said).toMatch(/proxy\.port|--port/);
    } finally {
      await new Promise((resolve) => taken.close(resolve));
    }
  });
});

describe('times', () => {
  it('an idle session is removed after its time to live, without any request', async () => {
    verifies('003-config-session-ttl', '003-ops-cleanup-15s', '003-mcp-unknown-session');
    expect([DEFAULT_LIMITS.appSessionTtlMs, DEFAULT_LIMITS.appSessionSweepMs]).toEqual([300_000, 15_000]);
    await using proxy = await startProxy({
      env: { OPENCLAW_PROXY_SESSION_TTL_SECONDS: '2' },
      limits: { appSessionSweepMs: 100, bridgePingMs: 200 },
    });
    const idle = await createSession(proxy.origin, body);
    const kept = await createSession(proxy.origin, body);
    await using bridge = await openBridge(kept.bridge_url);
    expect(countStoredSessions(proxy.home)).toBe(2);
    expect(await eventually(() => countStoredSessions(proxy.home) === 1)).toBe(true);
    const { status, answer } = await callTool(idle.mcp_url, 'any');
    expect([status, answer.error?.data?.['code']]).toEqual([404, 'SESSION_UNKNOWN']);
    expect((await closeOf(idle.bridge_url)).code).toBe(4404);
    expect((await deleteSession(proxy.origin, idle.mcpSessionId)).status).toBe(404);
    // The bridge keeps the session alive.
    await sleep(2_500);
    expect(bridge.isClosed()).toBe(false);
    expect((await listTools(kept.mcp_url)).length).toBe(1);
    await bridge.close();
    expect(await eventually(() => countStoredSessions(proxy.home) === 0)).toBe(true);
  });

  it('a call without an answer in time ends as outcome_unknown, and its late answer is dropped', async () => {
    verifies('003-config-tool-timeout');
    expect(DEFAULT_LIMITS.appCallMs).toBe(120_000);
    await using proxy = await startProxy({ env: { OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS: '1' } });
    const { bridge_url, mcp_url } = await createSession(proxy.origin, body);
    await using bridge = await openBridge(bridge_url);
    for (const era of ['legacy', 'modern'] as const) {
      const { answer } = await callTool(mcp_url, 'any', {}, { era });
      expect(answer.error).toMatchObject({
        code: -32011,
        data: { code: 'CALL_TIMEOUT', outcome: 'outcome_unknown' },
      });
      const invoke = await bridge.next('invoke_tool');
      bridge.send(resultFor(invoke, 'late'));
      const next = callTool(mcp_url, 'any', {}, { era });
      bridge.send(resultFor(await bridge.next('invoke_tool'), 'in time'));
      expect(textOf((await next).answer)).toBe('"in time"');
    }
    // An app written by the document knows four frame types and gets no others.
    expect(bridge.frames.filter(({ type }) => type !== 'invoke_tool' && type !== 'ping')).toEqual([]);
  });

  it.each([
    ['OPENCLAW_PROXY_SESSION_TTL_SECONDS', 'soon'],
    ['OPENCLAW_PROXY_SESSION_TTL_SECONDS', '-1'],
    ['OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS', '0'],
    ['OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS', '1e99'],
  ])('refuses %s=%s and names the variable', async (name, value) => {
    const { code, said } = await refusal({ env: { [name]: value } });
    expect([code === 0, code === null]).toEqual([false, false]);
    expect(said).toContain(name);
  });
});

describe('.env', () => {
  it('in the working folder sets the same variables as the environment, which wins', async () => {
    verifies('003-config-dotenv', '003-config-app-token', '003-config-openclaw-token');
    const dotenv = [
      '# of the app',
      'OPENCLAW_PROXY_APP_TOKEN=from-the-file',
      'OPENCLAW_PROXY_OPENCLAW_TOKEN="also-from-the-file"',
      'OPENCLAW_PROXY_SERVER_URL=http://127.0.0.1:8000',
      'OPENCLAW_PROXY_SESSION_TTL_SECONDS=2',
      'OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS=1',
      'NODE_OPTIONS=--no-such-option',
      '',
    ].join('\n');
    await using proxy = await startProxy({ env: NO_TOKENS, dotenv, limits: { appSessionSweepMs: 100 } });
    expect((await register(proxy.origin, body)).status).toBe(401);
    const { bridge_url, mcp_url } = await createSession(proxy.origin, body, 'from-the-file');
    const bridge = await openBridge(bridge_url, { token: 'from-the-file' });
    await expect(listTools(mcp_url)).rejects.toThrow('401');
    const { answer } = await callTool(mcp_url, 'any', {}, { token: 'also-from-the-file' });
    expect(answer.error).toMatchObject({ data: { code: 'CALL_TIMEOUT' } });
    await bridge.close();
    expect(await eventually(() => countStoredSessions(proxy.home) === 0)).toBe(true);

    await using both = await startProxy({ dotenv });
    expect((await register(both.origin, body, { token: 'from-the-file' })).status).toBe(401);
    expect((await register(both.origin, body, { token: APP_TOKEN })).status).toBe(200);
    const session = await createSession(both.origin, body);
    expect((await listTools(session.mcp_url, { token: OPENCLAW_TOKEN })).length).toBe(1);
  });

  it('replaces no configured token; its names are logged without values', async () => {
    const dotenv = 'OPENCLAW_PROXY_APP_TOKEN=of-the-file\nOPENCLAW_PROXY_OPENCLAW_TOKEN=of-the-file-2\n';
    const config = { proxy: { appToken: 'configured' } };
    await using proxy = await startProxy({ env: NO_TOKENS, dotenv, config });
    expect((await register(proxy.origin, body, { token: 'of-the-file' })).status).toBe(401);
    expect((await register(proxy.origin, body, { token: 'configured' })).status).toBe(200);
    const { mcp_url } = await createSession(proxy.origin, body, 'configured');
    expect((await listTools(mcp_url, { token: 'of-the-file-2' })).length).toBe(1);
    expect(proxy.stderr()).toMatch(/reads OPENCLAW_PROXY_OPENCLAW_TOKEN from \S+\/work\/\.env/);
    expect(proxy.stderr()).toMatch(/\.env also sets OPENCLAW_PROXY_APP_TOKEN,/);
    expect(proxy.stderr()).not.toContain('of-the-file');
  });

  it('is ignored by `pincer up`, which reports that', async () => {
    const dotenv = 'OPENCLAW_PROXY_APP_TOKEN=of-the-file\nOPENCLAW_PROXY_OPENCLAW_TOKEN=of-the-file\n';
    const config = { proxy: { appToken: 'configured' } };
    await using hub = await startProxy({ command: 'up', env: NO_TOKENS, dotenv, config });
    expect((await register(hub.origin, body, { token: 'of-the-file' })).status).toBe(401);
    expect((await register(hub.origin, body, { token: 'configured' })).status).toBe(200);
    expect(hub.stderr()).toContain('`pincer up` ignores');
    expect(hub.stderr()).not.toContain('of-the-file');
  });

  it('does not open a hub to other machines', async () => {
    const dotenv = 'OPENCLAW_PROXY_APP_TOKEN=of-the-file\nOPENCLAW_PROXY_OPENCLAW_TOKEN=of-the-file-2\n';
    const { child, exited, stderr, discard } = spawnProxy({
      command: 'up',
      env: NO_TOKENS,
      dotenv,
      config: { proxy: { host: '0.0.0.0' } },
    });
    expect(await eventually(() => stderr().includes('The app proxy is off'), 30_000)).toBe(true);
    expect(stderr()).toContain('where other machines reach it');
    for (const address of listeningAddresses(child.pid!)) expect(address).toMatch(/^0100007F:/);
    child.kill('SIGTERM');
    await exited;
    discard();
  });
});
