import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProxyReport } from '../../control/contract/status.ts';
import { proxySchema } from '../../config/proxy-schema.ts';
import type { Environment } from '../../lib/process.ts';
import { checkProxy } from './check-proxy.ts';
import type { Finding } from './finding.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-doctor-proxy-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Given {
  env?: Environment;
  localPort?: number;
  running?: ProxyReport;
}

const check = (config: object, { env = {}, localPort, running }: Given = {}): Promise<Finding[]> =>
  checkProxy({ config: proxySchema.parse({ port: 0, ...config }), env, folder, localPort, running });

const LOCKED = { appToken: 'one', openclawToken: 'two' };
const RUNNING: ProxyReport = {
  address: 'http://127.0.0.1:8000',
  sessions: 0,
  bridges: 0,
  open: [],
  apps: [],
};

describe('checkProxy', () => {
  it('finds no problem if the proxy is unused or switched off', async () => {
    expect((await check({})).map(({ severity }) => severity)).toEqual(['ok', 'ok']);
    expect(await check({ enabled: false, host: '203.0.113.7' })).toMatchObject([{ severity: 'ok' }]);
  });

  it('requires tokens for both sides if one is set, and ignores .env', async () => {
    expect(await check(LOCKED)).toMatchObject([
      { severity: 'ok', path: 'proxy.port' },
      { severity: 'ok', message: 'Apps and OpenClaw need a token.' },
    ]);
    const halfOpen = await check({ appToken: 'one' });
    expect(halfOpen[1]).toMatchObject({
      severity: 'warn',
      message: 'No token is set, so any program on this machine that knows a session can call its tools.',
      fixHint: 'Set OPENCLAW_PROXY_OPENCLAW_TOKEN or proxy.openclawToken.',
    });
    expect(await check({ appToken: 'one', openclawToken: 'one' })).toMatchObject([
      {},
      { severity: 'warn', fixHint: 'Use two different tokens.' },
    ]);
    writeFileSync(join(folder, '.env'), 'OPENCLAW_PROXY_OPENCLAW_TOKEN=two\n');
    expect(await check({ appToken: 'one' })).toMatchObject([
      {},
      { severity: 'warn' },
      { severity: 'ok', message: expect.stringContaining('sets OPENCLAW_PROXY_OPENCLAW_TOKEN. ') as string },
    ]);
    const dotEnv = { file: '/x/.env', sets: ['OPENCLAW_PROXY_APP_TOKEN'], ignored: [] };
    expect(await check({}, { running: { ...RUNNING, dotEnv } })).toContainEqual(
      expect.objectContaining({
        message: 'The running app proxy uses OPENCLAW_PROXY_APP_TOKEN from /x/.env.',
      }),
    );
  });

  it('reports what would prevent a start', async () => {
    const env = { OPENCLAW_PROXY_SESSION_TTL_SECONDS: 'soon' };
    expect(await check({}, { env })).toMatchObject([
      {
        severity: 'error',
        code: 'CONFIG_INVALID',
        path: 'OPENCLAW_PROXY_SESSION_TTL_SECONDS',
        fixHint: expect.stringContaining('a number above 0') as string,
      },
    ]);
    expect((await check({ host: '0.0.0.0' }))[0]).toMatchObject({
      severity: 'error',
      path: 'proxy.appToken',
      message: expect.stringContaining('where other machines reach it') as string,
    });
    expect(
      (await check({ ...LOCKED, host: '203.0.113.7', publicUrl: 'https://apps.example.com' }))[0],
    ).toMatchObject({
      severity: 'error',
      path: 'proxy.host',
      message: 'This machine has no address 203.0.113.7 to listen on.',
    });
  });

  it('checks whether the port is free, and names the program that uses it', async () => {
    await using taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const [busy] = await check({ ...LOCKED, port });
    expect(busy).toMatchObject({ severity: 'error', code: 'PORT_BUSY', path: 'proxy.port' });
    expect(busy!.message).toContain(`Port ${port}`);
    if (process.platform === 'linux') expect(busy!.message).toContain(`(process ${process.pid})`);
    // The running proxy itself uses the port.
    expect((await check({ ...LOCKED, port }, { running: RUNNING })).map(({ severity }) => severity)).toEqual([
      'ok',
      'ok',
    ]);
    expect((await check({ port: undefined }, { localPort: 0 }))[0]).toMatchObject({
      message: 'The app proxy will use any free port.',
    });
  });

  it('trusts the report of the running proxy, which may have tokens that are not set here', async () => {
    expect(await check({}, { running: RUNNING })).toMatchObject([
      { severity: 'ok', message: 'The app proxy is running: http://127.0.0.1:8000, no apps yet.' },
      { severity: 'ok' },
    ]);
    const open = await check(LOCKED, { running: { ...RUNNING, open: ['apps', 'openclaw'] } });
    expect(open.map(({ severity }) => severity)).toEqual(['ok', 'warn', 'warn']);
  });

  it('reports who can reach the proxy and whether traffic is encrypted', async () => {
    const reach = async (config: object): Promise<string[]> =>
      (await check({ ...LOCKED, ...config })).slice(2).map(({ severity, path }) => `${severity} ${path}`);
    expect(await reach({})).toEqual([]);
    expect(await reach({ host: '0.0.0.0' })).toEqual(['warn proxy.host', 'warn proxy.allowedHosts']);
    expect(await reach({ host: '0.0.0.0', allowedHosts: ['box.local'] })).toEqual(['warn proxy.host']);
    expect(await reach({ publicUrl: 'https://apps.example.com' })).toEqual(['ok proxy.publicUrl']);
    expect(await reach({ host: '0.0.0.0', publicUrl: 'https://apps.example.com' })).toEqual([
      'ok proxy.publicUrl',
    ]);
    expect(await reach({ publicUrl: 'http://apps.example.com' })).toEqual(['warn proxy.publicUrl']);
    expect(await reach({ host: '0.0.0.0', publicUrl: 'http://localhost:9000' })).toEqual([
      'warn proxy.publicUrl',
    ]);
  });

  it('names the origins that may use the token of an app', async () => {
    const tokenHash = 'a'.repeat(64);
    const apps = [
      { name: 'notes', tokenHash, origins: ['https://notes.example.com', 'http://localhost:5173'] },
      { name: 'draw', tokenHash: 'b'.repeat(64) },
    ];
    expect((await check({ openclawToken: 'two', apps })).slice(-2)).toMatchObject([
      {
        severity: 'ok',
        path: 'proxy.apps.notes',
        message:
          'Has its own token; web pages of https://notes.example.com, http://localhost:5173 may use it.',
      },
      { path: 'proxy.apps.draw', message: 'Has its own token; no web page may use it.' },
    ]);
  });
});
