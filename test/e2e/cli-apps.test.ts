/** Apps on the command line: their tools, their sessions, and warnings about open access. */
import { describe, expect, it } from 'vitest';
import { openCliHome } from '../kit/cli.ts';
import { query } from '../kit/proxy/stored-sessions.ts';
import { callTool } from '../kit/proxy/mcp.ts';
import { cliJson, onHub, openApp, runCli, startWithApps, tokenOf, WAIT } from '../kit/proxy/on-hub.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { eventually } from '../kit/processes.ts';
import { anyTool, createSession } from '../kit/proxy/sessions.ts';
import { sha256 } from '../kit/sha256.ts';

interface Session {
  id: string;
  app: string;
  tools: string[];
  bridge?: { connectedAt: number; lastHeardAt: number; saysHello: boolean };
  lastUsedAt: number;
  callsInFlight: number;
  callsWaiting: number;
}

const sessionsOf = async (proxy: TestProxy, ...flags: string[]): Promise<Session[]> =>
  (await cliJson(proxy, 'sessions', ...flags))['sessions'] as Session[];

describe('an app on the command line', () => {
  it('has tools to list and to call, and its calls are in the audit log', async () => {
    await using proxy = await startWithApps();
    const write = {
      ...anyTool('write'),
      input_schema: {
        type: 'object',
        properties: { text: { type: 'string' }, times: { type: 'integer' } },
        required: ['text'],
      },
    };
    await using notes = await openApp(proxy, [write]);
    await onHub(proxy).expectTools(['notes__write']);
    const listed = await runCli(proxy, ['tools', 'notes']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toContain('The tool write.');
    const called = await runCli(proxy, ['call', 'notes.write', 'text=7', 'times=7']);
    expect(called).toMatchObject({ code: 0 });
    expect(JSON.parse(called.stdout)).toEqual({ says: 'notes', given: { text: '7', times: 7 } });
    expect((await runCli(proxy, ['call', 'notes.write', 'times=x'])).code).toBe(2);
    expect(await runCli(proxy, ['call', 'notes.wirte', 'text=x'])).toMatchObject({
      stderr: expect.stringContaining('notes.write') as string,
    });
    expect(await runCli(proxy, ['tools', 'noets'])).toMatchObject({
      stderr: expect.stringContaining('notes') as string,
    });
    expect(notes.called).toEqual(['write']);

    const logged = async (): Promise<unknown> =>
      (await cliJson(proxy, 'logs', '--server', 'notes', '--method', 'tools/call'))['calls'];
    await expect.poll(logged, WAIT).toMatchObject([
      {
        server: 'notes',
        tool: 'write',
        caller: 'local',
        surface: 'http',
        outcome: 'ok',
        session: notes.id,
      },
    ]);
  });
});

describe('pincer sessions', () => {
  it('lists all sessions or those of one app, and ends one', async () => {
    await using proxy = await startWithApps();
    expect((await runCli(proxy, ['sessions'])).stdout).toBe(
      `No app has a session. Apps register at ${proxy.origin}/v1/chat/sessions (docs/apps.md).\n`,
    );
    await using notes = await openApp(proxy, [anyTool('write'), anyTool('slow')]);
    const about = { device_id: undefined, device_name: 'phone \u001b[31m', chat_id: undefined };
    await using draw = await openApp(proxy, [anyTool('line')], { token: tokenOf('draw'), about });
    const { mcpSessionId: idle } = await createSession(proxy.origin);
    const before = Date.now();
    const listed = await sessionsOf(proxy);
    expect(listed.map(({ id, app }) => [id, app])).toEqual([
      [idle, 'apps'],
      [draw.id, 'draw'],
      [notes.id, 'notes'],
    ]);
    expect(listed[2]).toMatchObject({
      deviceId: 'device-1',
      deviceName: 'desktop',
      appVersion: '1.0.0',
      chatId: 'chat-1',
      tools: ['write', 'slow'],
      bridge: { saysHello: false },
      callsInFlight: 0,
      callsWaiting: 0,
    });
    const { bridge, lastUsedAt } = listed[2]!;
    for (const time of [bridge!.connectedAt, bridge!.lastHeardAt, lastUsedAt])
      expect(Math.abs(before - time)).toBeLessThan(60_000);
    expect(listed[0]!.bridge).toBeUndefined();
    const all = JSON.stringify(listed);
    for (const secret of [APP_TOKEN, OPENCLAW_TOKEN, tokenOf('notes')])
      for (const text of [secret, sha256(secret)]) expect(all).not.toContain(text);
    expect((await sessionsOf(proxy, '--app', 'draw')).map(({ id }) => id)).toEqual([draw.id]);
    const completed = async (kind: string, begin: string): Promise<string> =>
      (await runCli(proxy, ['__complete', kind, begin])).stdout;
    expect(await completed('sessions', notes.id.slice(0, 12))).toBe(`${notes.id}\n`);
    expect(await completed('apps', '')).toBe('notes\ndraw\n');
    expect(await completed('tools', 'notes.w')).toBe('notes.write\n');
    expect((await runCli(proxy, ['sessions', '--app', 'other'])).stdout).toBe(
      'The app "other" has no session.\n',
    );

    const { stdout } = await runCli(proxy, ['sessions']);
    expect(stdout).toMatch(
      /^○ +[0-9a-f]{6} +apps +none +- +\d+ m?s +0 +1 +desktop \(device-1\), version 1\.0\.0, chat chat-1$/m,
    );
    expect(stdout).toMatch(/^● +[0-9a-f]{6} +draw .* phone \\u001b\[31m, version 1\.0\.0$/m);
    expect(stdout).toMatch(/\n\n3 sessions of 3 apps, 2 connected\.\n$/);

    expect(await runCli(proxy, ['sessions', 'end', notes.id.slice(0, 12)])).toEqual({
      code: 0,
      stdout: `The session ${notes.id} of notes has ended.\n`,
      stderr: '',
    });
    expect(await notes.bridge.closed).toMatchObject({ code: 4404 });
    expect((await sessionsOf(proxy)).map(({ id }) => id)).toEqual([idle, draw.id]);
    expect((await callTool(notes.mcpUrl, 'write')).status).toBe(404);
    const rows = (): unknown =>
      query(
        proxy.home,
        "SELECT caller, server, session FROM calls WHERE method = 'sessions/delete'",
        'calls.sqlite',
      );
    await expect.poll(rows, WAIT).toEqual([{ caller: 'local', server: 'notes', session: notes.id }]);

    expect(await runCli(proxy, ['sessions', 'end', notes.id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no session "${notes.id}", or it has expired.`) as string,
    });
    expect(await runCli(proxy, ['sessions', 'end', ''])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Several sessions begin with ""') as string,
    });
    expect((await sessionsOf(proxy)).length).toBe(2);
  });

  it('shows calls in flight, and calls that wait for an app to reconnect', async () => {
    await using proxy = await startWithApps({ limits: { bridgeGraceMs: 20_000 } });
    await using app = await openApp(proxy, [anyTool('slow')]);
    app.bridge.socket.removeAllListeners('message');
    const first = callTool(app.mcpUrl, 'slow');
    const counts = async (): Promise<number[]> =>
      (await sessionsOf(proxy)).flatMap(({ callsInFlight, callsWaiting }) => [callsInFlight, callsWaiting]);
    await expect.poll(counts, WAIT).toEqual([1, 0]);
    app.bridge.send({ type: 'hello', version: 1, features: [] });
    await expect.poll(async () => (await sessionsOf(proxy))[0]?.bridge?.saysHello, WAIT).toBe(true);
    await app.bridge.close();
    expect((await first).answer.error?.data).toMatchObject({ code: 'BRIDGE_LOST' });
    const second = callTool(app.mcpUrl, 'slow');
    await expect.poll(counts, WAIT).toEqual([0, 1]);
    const metrics = await fetch(`${proxy.hubOrigin}/metrics`, {
      headers: { authorization: `Bearer ${proxy.hubToken}` },
    });
    expect(
      (await metrics.text()).split('\n').filter((line) => /^pincer_(app_(?!events)|calls_in)/.test(line)),
    ).toEqual([
      'pincer_calls_in_flight 1',
      'pincer_app_sessions 1',
      'pincer_app_bridges 0',
      'pincer_app_calls_waiting 1',
    ]);
    expect((await runCli(proxy, ['sessions'])).stdout).toContain('0 (1 waiting)');
    await runCli(proxy, ['sessions', 'end', app.id]);
    expect((await second).answer.error?.data).toMatchObject({
      code: 'SESSION_UNKNOWN',
      outcome: 'not_executed',
    });
  });

  it('reports that no hub runs, or that the hub has no app proxy', async () => {
    await using home = openCliHome();
    expect(await home.run(['sessions'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No hub is running, so there are no sessions. Start one: pincer up\n',
    });
    expect((await home.json(['sessions'])).document).toEqual({ ok: true, proxy: null, sessions: [] });
    expect(await home.run(['sessions', 'end', 'x'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No hub is running, so there is no session to end.') as string,
    });
    expect(home.hubPid()).toBeUndefined();
    // This command starts a hub in the background.
    await home.run(['tools']);
    expect(await home.run(['sessions'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^The running hub has no app proxy, .* background hub/) as string,
    });
    expect(await home.run(['sessions', 'end', 'x'])).toMatchObject({ code: 2 });
    expect((await home.json(['status'])).document['proxy']).toBeNull();
  });
});

describe('status and doctor', () => {
  it('show who is connected, and no warning about open access', async () => {
    await using proxy = await startWithApps();
    await using _notes = await openApp(proxy, [anyTool('write')]);
    await onHub(proxy).expectTools(['notes__write']);
    const { stdout } = await runCli(proxy, ['status']);
    expect(stdout).toMatch(new RegExp(`^ +proxy +${proxy.origin}, 1 of 3 apps connected, 1 session$`, 'm'));
    expect(stdout).not.toContain('any program');
    expect((await cliJson(proxy, 'status'))['proxy']).toEqual({
      address: proxy.origin,
      sessions: 1,
      bridges: 1,
      open: [],
      apps: [
        { name: 'apps', sessions: 0, bridges: 0, tools: 0 },
        { name: 'notes', sessions: 1, bridges: 1, tools: 1 },
        { name: 'draw', sessions: 0, bridges: 0, tools: 0 },
      ],
    });
    const checked = await runCli(proxy, ['doctor']);
    expect(checked.stdout).toMatch(
      /^✓ +proxy +The app proxy is running: .*, 1 of 3 apps connected, 1 session\.$/m,
    );
    expect(checked.stdout).toMatch(/^✓ +proxy +Apps and OpenClaw need a token\.$/m);
    expect(checked.stdout).toMatch(/^✓ +proxy\.apps\.notes +Has its own token; no web page may use it\.$/m);
    expect(checked.code).toBe(0);
    expect(await runCli(proxy, ['call', 'draw.line'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The app "draw" is not connected.') as string,
    });
  });

  it('warn about open access', async () => {
    await using proxy = await startProxy({
      command: 'up',
      env: { OPENCLAW_PROXY_APP_TOKEN: '', OPENCLAW_PROXY_OPENCLAW_TOKEN: '' },
    });
    const { stdout } = await runCli(proxy, ['status']);
    expect(stdout).toMatch(/^ +open +no token is needed to register and call tools: pincer doctor$/m);
    expect(await cliJson(proxy, 'status')).toMatchObject({ proxy: { open: ['apps', 'openclaw'], apps: [] } });
    const { findings } = (await cliJson(proxy, 'doctor')) as { findings: Record<string, string>[] };
    const warnings = findings.filter(({ path, severity }) => path === 'proxy' && severity === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual([
      'No token is set, so any program on this machine can register tools.',
      'No token is set, so any program on this machine that knows a session can call its tools.',
    ]);
    expect(warnings[0]!['fixHint']).toContain('pincer token add NAME --app');
    // The log warns only once there is a session to protect.
    expect(proxy.stderr()).not.toContain('No token is set');
    await createSession(proxy.origin);
    expect(await eventually(() => proxy.stderr().split('No token is set').length === 3)).toBe(true);
  });
});
