/** Apps' tools beside those of the servers: on the hub's `/mcp`, and on the command line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connect } from '../kit/http.ts';
import { ENTRY } from '../kit/hub.ts';
import { INITIALIZE, INITIALIZED, textOf } from '../kit/messages.ts';
import { openBridge } from '../kit/proxy/bridge.ts';
import { listTools } from '../kit/proxy/mcp.ts';
import {
  appConfig,
  cliJson,
  comeBack,
  GRACE_MS,
  onHub,
  openApp,
  appAnswerIn,
  startWithApps,
  tokenOf,
  TWO_APPS,
  WAIT,
} from '../kit/proxy/on-hub.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, type TestProxy } from '../kit/proxy/proxy.ts';
import { anyTool, createSession, EXAMPLE } from '../kit/proxy/sessions.ts';
import { openStdio, type StdioClient } from '../kit/stdio.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

async function control(proxy: TestProxy, path: string, body: object = {}): Promise<unknown> {
  await using admin = connect(proxy.hubOrigin, readFileSync(join(proxy.home, 'admin-token.txt'), 'utf8'));
  return JSON.parse((await admin.post(JSON.stringify(body), { path: `/control/${path}` })).body);
}

/** Creates a token as a person does. */
async function addToken(proxy: TestProxy, name: string, flags: string[]): Promise<string> {
  return String((await cliJson(proxy, 'token', 'add', name, ...flags))['token']);
}

/** A client that receives change notifications. */
async function openListener({ home }: TestProxy): Promise<StdioClient> {
  const client = openStdio({ command: process.execPath, args: [ENTRY, 'stdio'], env: { PINCER_HOME: home } });
  await client.ask(INITIALIZE);
  client.send(INITIALIZED);
  return client;
}

const isListChanged = (line: string): boolean => line.includes('notifications/tools/list_changed');

describe("an app's tools on /mcp", () => {
  it("are listed under the app's name while it is connected, and clients are notified of changes", async () => {
    await using proxy = await startWithApps();
    const hub = onHub(proxy);
    await using client = await openListener(proxy);
    expect(await hub.list()).toEqual([]);
    await using notes = await openApp(proxy, [anyTool('write'), anyTool('read')]);
    await client.take(isListChanged);
    await hub.expectTools(['notes__read', 'notes__write']);
    await using draw = await openApp(proxy, [anyTool('write')], { token: tokenOf('draw'), says: 'draw' });
    await using shared = await openApp(proxy, [anyTool('beep')], { token: APP_TOKEN, says: 'shared' });
    await hub.expectTools(['apps__beep', 'draw__write', 'notes__read', 'notes__write']);

    expect(appAnswerIn(await hub.call('notes__write', { text: 'x' }))).toEqual({
      says: 'notes',
      given: { text: 'x' },
    });
    expect(appAnswerIn(await hub.call('draw__write', { n: 1 }, { era: 'modern' }))).toEqual({
      says: 'draw',
      given: { n: 1 },
    });
    expect(appAnswerIn(await hub.call('apps__beep'))).toEqual({ says: 'shared', given: {} });
    // An app's name does not lead to another app's tools.
    expect((await hub.call('draw__read')).error?.data).toMatchObject({ code: 'TOOL_UNKNOWN' });
    expect(draw.called).toEqual(['write']);
    expect(notes.called).toEqual(['write']);
    expect(shared.called).toEqual(['beep']);

    const own = onHub(proxy, '/mcp/draw');
    expect(await own.list()).toEqual(['write']);
    expect(appAnswerIn(await own.call('write'))).toMatchObject({ says: 'draw' });
    expect((await own.call('notes__write')).error?.data).toMatchObject({ code: 'TOOL_UNKNOWN' });
    expect(await onHub(proxy, '/mcp/anonymous').status()).toBe(404);

    while (client.takeNow() !== undefined);
    await notes.bridge.close();
    await client.take(isListChanged);
    await hub.expectTools(['apps__beep', 'draw__write']);
    expect((await hub.call('notes__write')).error?.data).toMatchObject({
      code: 'TOOL_UNKNOWN',
      outcome: 'not_executed',
    });
  });

  it('exclude those of sessions created without a token', async () => {
    await using proxy = await startWithApps({ env: { OPENCLAW_PROXY_APP_TOKEN: '' } }, []);
    const { mcpSessionId, mcp_url, bridge_url } = await createSession(
      proxy.origin,
      { ...EXAMPLE, tools: [anyTool('write')] },
      '',
    );
    await using bridge = await openBridge(bridge_url, {});
    expect((await listTools(mcp_url)).map(({ name }) => name)).toEqual(['write']);
    const hub = onHub(proxy);
    // Longer than a change takes to be visible.
    for (let look = 0; look < 10; look++) {
      expect(await hub.list()).toEqual([]);
      await sleep(20);
    }
    // Still excluded after an app with a token was configured.
    writeFileSync(
      join(proxy.home, 'config.json'),
      JSON.stringify({ proxy: { apps: [appConfig('notes')] }, limits: { bridgeGraceMs: GRACE_MS } }),
    );
    await control(proxy, 'reload');
    await using notes = await openApp(proxy, [anyTool('read')]);
    await hub.expectTools(['notes__read']);
    for (const path of ['/mcp/anonymous', '/mcp/apps', `/mcp/${mcpSessionId}`])
      expect(await onHub(proxy, path).status()).toBe(404);
    expect((await hub.call('anonymous__write')).error?.data).toMatchObject({ code: 'TOOL_UNKNOWN' });
    expect(notes.called).toEqual([]);
    expect(bridge.frames.filter(({ type }) => type === 'invoke_tool')).toEqual([]);
  });

  it('are visible only to callers whose scopes name the app', async () => {
    await using proxy = await startWithApps();
    const reads = { ...anyTool('read'), annotations: { readOnlyHint: true } };
    await using notes = await openApp(proxy, [anyTool('write'), reads]);
    await using draw = await openApp(proxy, [anyTool('line')], { token: tokenOf('draw'), says: 'draw' });
    await onHub(proxy).expectTools(['draw__line', 'notes__read', 'notes__write']);
    const scopes: Record<string, { flags: string[]; paths: string[]; sees: string[] }> = {
      server: { flags: ['--server', 'notes'], paths: ['notes'], sees: ['notes__read', 'notes__write'] },
      tool: { flags: ['--tool', 'draw.l*'], paths: ['draw'], sees: ['draw__line'] },
      both: { flags: ['--server', 'notes', '--tool', 'notes.w*'], paths: ['notes'], sees: ['notes__write'] },
      reader: { flags: ['--read-only'], paths: ['notes', 'draw'], sees: ['notes__read'] },
      none: { flags: ['--server', 'other'], paths: [], sees: [] },
    };
    for (const [name, { flags, paths, sees }] of Object.entries(scopes)) {
      const token = await addToken(proxy, name, flags);
      const hub = onHub(proxy, '/mcp', token);
      expect(await hub.list()).toEqual(sees);
      for (const tool of ['notes__read', 'notes__write', 'draw__line']) {
        const { result, error } = await hub.call(tool);
        if (sees.includes(tool)) expect(result).toBeDefined();
        else expect(error?.data).toMatchObject({ code: 'TOOL_UNKNOWN', outcome: 'not_executed' });
      }
      for (const app of ['notes', 'draw'])
        expect(await onHub(proxy, `/mcp/${app}`, token).status()).toBe(paths.includes(app) ? 200 : 404);
    }
    expect(notes.called.toSorted()).toEqual(['read', 'read', 'write', 'write']);
    expect(draw.called).toEqual(['line']);

    // The credential that OpenClaw gets for one of the servers.
    const ensured = (await control(proxy, 'tokens/ensure', {
      name: 'openclaw:draw',
      servers: ['draw'],
      openClaw: true,
    })) as { token: string };
    const openClaw = onHub(proxy, '/mcp/draw', ensured.token);
    expect(await openClaw.list()).toEqual(['line']);
    expect(appAnswerIn(await openClaw.call('line'))).toMatchObject({ says: 'draw' });
    // The hub refuses the proxy's tokens.
    for (const token of [OPENCLAW_TOKEN, APP_TOKEN, tokenOf('notes')])
      expect(await onHub(proxy, '/mcp/notes', token).status()).toBe(401);
  });

  it('of several sessions are those of the bridge that connected last', async () => {
    await using proxy = await startWithApps();
    const hub = onHub(proxy);
    await using first = await openApp(proxy, [anyTool('who'), anyTool('first')], { says: 'first' });
    await using second = await openApp(proxy, [anyTool('who'), anyTool('second')], { says: 'second' });
    await hub.expectTools(['notes__first', 'notes__second', 'notes__who']);
    const who = async (tool = 'notes__who'): Promise<string> => appAnswerIn(await hub.call(tool)).says;
    expect(await who()).toBe('second');
    expect(await who('notes__first')).toBe('first');
    await using again = await comeBack(proxy.origin, first.id, { says: 'first again' });
    expect((await first.bridge.closed).code).toBe(4409);
    expect(await who()).toBe('first again');
    await again.bridge.close();
    // At once, although its bridge might still reconnect.
    await expect.poll(() => who(), WAIT).toBe('second');
    await hub.expectTools(['notes__second', 'notes__who']);
    expect(second.called).toContain('who');
  });
});

describe('with tool search', () => {
  it("apps' tools are found, described and called by callers that may use them", async () => {
    await using proxy = await startWithApps({ config: { toolSurface: 'search', proxy: { apps: TWO_APPS } } });
    const token = await addToken(proxy, 'only-draw', ['--server', 'draw']);
    await using notes = await openApp(proxy, [anyTool('write')]);
    const hub = onHub(proxy);
    const found = async (who = hub): Promise<string> =>
      textOf(await who.call('find_tools', { query: 'write' }));
    await expect.poll(() => found(), WAIT).toContain('notes__write');
    expect(await hub.list()).toEqual(['call_tool', 'describe_tool', 'find_tools']);
    expect(textOf(await hub.call('describe_tool', { name: 'notes__write' }))).toContain('The tool write.');
    const call = { name: 'notes__write', arguments: { text: 'x' } };
    expect(appAnswerIn(await hub.call('call_tool', call))).toEqual({ says: 'notes', given: { text: 'x' } });
    const other = onHub(proxy, '/mcp', token);
    expect(await found(other)).not.toContain('notes');
    expect(JSON.stringify(await other.call('call_tool', call))).toContain('TOOL_UNKNOWN');
    expect(notes.called).toEqual(['write']);
  });
});

describe('after a restart of the hub', () => {
  it("an app's tools return only when its bridge reconnects", async () => {
    using folder = temporaryFolder('apps-on-hub');
    const started = (): Promise<TestProxy> => startWithApps({ folder: folder.path });
    let session = '';
    {
      await using proxy = await started();
      await using notes = await openApp(proxy, [anyTool('write')]);
      session = notes.id;
      await onHub(proxy).expectTools(['notes__write']);
    }
    await using proxy = await started();
    const hub = onHub(proxy);
    await using draw = await openApp(proxy, [anyTool('line')], { token: tokenOf('draw'), says: 'draw' });
    await hub.expectTools(['draw__line']);
    await using notes = await comeBack(proxy.origin, session, { says: 'again' });
    await hub.expectTools(['draw__line', 'notes__write']);
    expect(appAnswerIn(await hub.call('notes__write'))).toMatchObject({ says: 'again' });
    expect(notes.called).toEqual(['write']);
    expect(draw.called).toEqual([]);
  });
});
