import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { openGrantFiles } from '../../owner/grant-files.ts';
import { createGrants } from '../../servers/oauth/grants/grant-store.ts';
import { checkConfig, checkLaunch } from './check-config.ts';
import { checkConfigMode, checkFolder, checkTokens, checkSignIns, checkVault } from './check-state.ts';
import { checkServers } from './check-hub.ts';
import { checkNodeVersion, error, ok } from './finding.ts';
import { clashFindings, heldFindings, renderFindings } from '../commands/doctor.ts';
import { checkPort, portOwner } from './check-port.ts';
import { PLAIN } from '../terminal/style.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-doctor-'));
  // Not the state folder of the person who runs the tests.
  vi.stubEnv('PINCER_HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

function write(name: string, text: string, mode = 0o600): string {
  const path = join(home, name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

describe('doctor', () => {
  it('requires Node 24.16', () => {
    expect(
      ['24.16.0', '24.21.0', '26.0.0', '24.15.9', '20.1.0'].map(
        (version) => checkNodeVersion(version).severity,
      ),
    ).toEqual(['ok', 'ok', 'ok', 'error', 'error']);
  });

  it('requires a folder and files that are closed to others', () => {
    expect(checkFolder(join(home, 'none'))).toMatchObject([{ severity: 'ok' }]);
    expect(checkFolder(home)).toMatchObject([{ severity: 'ok', message: expect.stringContaining('0700') }]);
    chmodSync(home, 0o755);
    expect(checkFolder(home)).toMatchObject([
      { severity: 'warn', fixHint: `Restrict it: chmod 700 ${home}` },
    ]);
    const path = write('config.json', '{}', 0o644);
    expect(checkConfigMode(home)).toMatchObject([
      { severity: 'warn', path, fixHint: `Restrict it: chmod 600 ${path}` },
    ]);
    expect(checkFolder(path)).toMatchObject([{ severity: 'error' }]);
  });

  it('checks the token files', () => {
    expect(checkTokens(home).map(({ severity }) => severity)).toEqual(['ok', 'ok']);
    write('mcp-token.txt', '');
    mkdirSync(join(home, 'admin-token.txt'));
    expect(checkTokens(home)).toMatchObject([
      { severity: 'warn', message: 'The MCP token is empty.' },
      { severity: 'error', code: 'TOKEN_UNREADABLE' },
    ]);
  });

  it('reads the configuration and finds secrets in clear text', () => {
    const path = write(
      'config.json',
      '{"servers":{"a":{"command":"x","env":{"API_KEY":"abc","B":"c"}}},"device":{"port":7}}',
    );
    expect(checkConfig(path, { isHubRunning: false })).toMatchObject({
      port: 7,
      findings: [{ severity: 'ok' }, { severity: 'warn', path: 'servers.a.env.API_KEY' }],
    });
    expect(JSON.stringify(checkConfig(path, { isHubRunning: false }).findings)).not.toContain('abc');
  });

  it('reports an invalid configuration, and only warns about a variable that the hub may have', () => {
    const broken = write('config.json', '{"servers":{"a":{}}}');
    expect(checkConfig(broken, { isHubRunning: true }).findings).toMatchObject([
      { severity: 'error', code: 'CONFIG_INVALID' },
    ]);
    const path = write(
      'config.json',
      '{"servers":{"a":{"url":"https://a.b/","apiKey":"$PINCER_TEST_UNSET"}}}',
    );
    expect(checkConfig(path, { isHubRunning: false }).findings).toMatchObject([{ severity: 'error' }]);
    expect(checkConfig(path, { isHubRunning: true }).findings).toMatchObject([{ severity: 'warn' }]);
  });

  it('reports the state of each server', () => {
    const error = { code: 'SERVER_UNREACHABLE', message: 'Gone.', hint: 'Look.' };
    const server = { transport: 'http', target: 't', tools: 0 } as const;
    const servers = [
      { ...server, name: 'a', state: 'ready' },
      { ...server, name: 'b', state: 'backoff', error },
      { ...server, name: 'c', state: 'idle' },
    ];
    const status = {
      version: '1',
      pid: 1,
      mode: 'foreground',
      attached: 0,
      callsInFlight: 0,
      servers,
    } as const;
    expect(checkServers([], status)).toMatchObject([
      { severity: 'ok', path: 'servers.a', message: 'Connected.' },
      { severity: 'error', message: 'Disconnected: Gone.', fixHint: 'Look.' },
      { severity: 'ok', message: 'Idle.' },
    ]);
  });

  it('checks whether the port is free, and names the program that uses it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await checkPort(port)).toMatchObject({ severity: 'error', code: 'PORT_BUSY' });
    if (process.platform === 'linux') expect(portOwner(port)).toContain(`(process ${process.pid})`);
    await new Promise((resolve) => server.close(resolve));
    expect(await checkPort(port)).toMatchObject({ severity: 'ok', path: 'device.port' });
    expect(portOwner(port)).toBeUndefined();
    vi.stubEnv('OPENCLAW_MCP_PORT', 'x');
    expect(await checkPort(port)).toMatchObject({ severity: 'error', path: 'OPENCLAW_MCP_PORT' });
  });
});

describe('doctor for servers', () => {
  it('warns about every secret in clear text without showing it', () => {
    verifies('004-14-secret-warning');
    const path = write(
      'config.json',
      '{"servers":{"a":{"url":"https://a.b","apiKey":"k-1","auth":{"clientId":"c","clientSecret":"k-2"}},"b":{"url":"https://a.b","apiKey":"$B"}}}',
    );
    vi.stubEnv('B', 'x');
    const { findings } = checkConfig(path, { isHubRunning: false });
    expect(findings).toMatchObject([
      { severity: 'ok' },
      {
        severity: 'warn',
        path: 'servers.a.apiKey',
        fixHint: expect.stringContaining('pincer secret set A_API_KEY'),
      },
      { severity: 'warn', path: 'servers.a.auth.clientSecret' },
    ]);
    expect(JSON.stringify(findings)).not.toMatch(/k-[12]/);
  });

  it('reports each problem of the configuration with its line', () => {
    const path = write(
      'config.json',
      '{\n  servers: {\n    a: { url: "https://a.b", tolPrefix: "x" },\n    b: {},\n  },\n}',
    );
    expect(checkConfig(path, { isHubRunning: true }).findings).toMatchObject([
      { message: 'Line 3, servers.a.tolPrefix: unknown; did you mean "toolPrefix"?', code: 'CONFIG_INVALID' },
      { message: 'Line 4, servers.b.url: an HTTP server needs a url.' },
    ]);
  });

  it('warns about secrets of the app proxy, too', () => {
    const path = write('config.json', '{"proxy":{"appToken":"abc","openclawToken":"$HOME"}}');
    expect(checkConfig(path, { isHubRunning: false }).findings).toMatchObject([
      { severity: 'ok' },
      {
        severity: 'warn',
        path: 'proxy.appToken',
        fixHint: expect.stringContaining('pincer secret set PROXY_APP_TOKEN'),
      },
    ]);
  });

  it('accepts references to secrets of the vault', () => {
    const path = write('config.json', '{"servers":{"a":{"url":"https://a.b/","apiKey":"$secret:K"}}}');
    const secret = (name: string): string | undefined => (name === 'K' ? 'x' : undefined);
    expect(checkConfig(path, { isHubRunning: false, secret }).findings).toMatchObject([{ severity: 'ok' }]);
    expect(checkConfig(path, { isHubRunning: true }).findings).toMatchObject([{ code: 'SECRET_UNKNOWN' }]);
    expect(checkVault(home)).toEqual([]);
  });

  it('reports the key of sign-ins, invalid sign-ins and unreadable ones', async () => {
    expect(await checkSignIns(home)).toEqual([]);
    const grants = createGrants(openGrantFiles(home, {}));
    const key = {
      server: 'web',
      issuer: 'https://a.example',
      resource: 'https://w.example',
      caller: 'shared',
    };
    const grant = {
      key,
      client: { clientId: 'c', authMethod: 'none', how: 'configured' },
      signInId: 'one',
      tokenEndpoint: 'https://a.example/token',
      accessToken: 'hush',
      obtainedAt: 0,
      scopes: [],
      sendsResource: true,
    } as const;
    await grants.save({ ...grant, refused: 'invalid_grant' });
    await grants.save({ ...grant, key: { ...key, server: 'other' } });
    const [good, over] = await checkSignIns(home);
    expect(good).toMatchObject({ severity: 'ok', message: expect.stringContaining('2 sign-ins saved') });
    expect(good?.message).toContain('master-key.txt');
    expect(over).toMatchObject({ severity: 'warn', fixHint: 'Sign in again: pincer login web' });
    const [file] = readdirSync(join(home, 'tokens'));
    writeFileSync(join(home, 'tokens', file!), 'garbage');
    expect((await checkSignIns(home)).at(-1)).toMatchObject({
      severity: 'warn',
      message: expect.stringContaining('damaged'),
    });
  });

  it('checks that programs and folders exist', () => {
    const server = {
      name: 'a',
      enabled: true,
      transport: 'stdio',
      target: '',
      origin: 'config.json',
    } as const;
    expect(checkLaunch({ ...server, raw: { command: process.execPath, cwd: home } })).toEqual([]);
    expect(
      checkLaunch({ ...server, raw: { command: 'node', env: { PATH: dirname(process.execPath) } } }),
    ).toEqual([]);
    expect(
      checkLaunch({ ...server, raw: { command: 'no-such-program', cwd: join(home, 'none') } }),
    ).toMatchObject([
      { severity: 'warn', path: 'servers.a.cwd' },
      { severity: 'warn', path: 'servers.a.command' },
    ]);
    expect(checkLaunch({ ...server, raw: { command: '$RUN', cwd: '$HERE' } })).toEqual([]);
    expect(checkLaunch({ ...server, enabled: false, raw: { command: 'no-such-program' } })).toEqual([]);
  });

  it('reports held tools and resources that several servers list', () => {
    expect(
      heldFindings([
        { server: 'a', tool: 'x', why: 'new' },
        { server: 'a', tool: 'y', why: 'changed' },
      ]),
    ).toMatchObject([
      {
        path: 'servers.a',
        message: '2 tools are held until you accept them: x, y.',
        fixHint: 'pincer accept a',
      },
    ]);
    const clash = { uri: 'file:///a', servers: ['a', 'b'] };
    expect(clashFindings([clash])).toMatchObject([
      { message: 'file:///a is listed by a and b; requests for it go to a.' },
    ]);
    expect(clashFindings(Array.from({ length: 9 }, () => clash))).toHaveLength(6);
  });
});

it('keeps the lines of a message and escapes control characters', () => {
  const findings = [
    ok('/h/hub', 'It runs.'),
    error('CONFIG_INVALID', '/h/config.json', 'Two things:\nurl\u001B[2J\nname', 'Do this:\n  that'),
  ];
  expect(renderFindings(findings, '/h', PLAIN).split('\n')).toEqual([
    '✓  hub          It runs.',
    '✗  config.json  Two things:',
    String.raw`   url\u001b[2J`,
    '   name',
    '   hint: Do this:',
    '     that',
    '',
    '1 error, 0 warnings.',
    '',
  ]);
});
