import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHubFile, spawnHub, startHub } from '../kit/hub.ts';
import { structuredOf, textOf } from '../kit/messages.ts';
import { isAlive } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { verifies } from '../verifies.ts';

let folder: string;
let home: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-owner-'));
  home = join(folder, 'home');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const STUBBORN = { ignoreStdinEnd: true, ignoreSigterm: true };

describe('a hub that is killed', () => {
  it('leaves only processes that the next owner ends', async () => {
    const servers = { plain: stdioServer(), stubborn: stdioServer(STUBBORN) };
    await using dead = await startHub({ home, servers });
    const pids: number[] = [];
    for (const server of ['plain', 'stubborn']) {
      pids.push(structuredOf(await dead.call(`${server}__pid`))['pid'] as number);
      pids.push(structuredOf(await dead.call(`${server}__spawn_grandchild`))['pid'] as number);
    }
    expect(pids.filter(isAlive)).toEqual(pids);
    await dead.kill9();
    expect(isAlive(pids[2]!)).toBe(true);
    await using next = await startHub({ home, servers });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(textOf(await next.call('stubborn__echo', { message: 'anew' }))).toBe('anew');
  });

  it('leaves a file that the next one replaces, and whose process id is not trusted', async () => {
    await using dead = await startHub({ home, servers: {} });
    await dead.kill9();
    expect(readHubFile(home)?.['pid']).toBe(dead.pid);
    await using next = await startHub({ home, servers: {} });
    expect(readHubFile(home)?.['pid']).toBe(next.pid);
    expect((await next.post('', { path: '/health', method: 'GET' })).status).toBe(200);
  });

  it('a file that names another living process is ignored', async () => {
    mkdirSync(join(home, 'run'), { recursive: true });
    const endpoints = { mcp: 'http://127.0.0.1:1/mcp', control: 'http://127.0.0.1:1/control/', health: '' };
    const stale = {
      pid: process.pid,
      startedAt: '',
      processStart: '1',
      version: '0',
      mode: 'foreground',
      endpoints,
    };
    writeFileSync(join(home, 'run', 'hub.json'), JSON.stringify(stale));
    await using hub = await startHub({ home, servers: {} });
    expect(readHubFile(home)?.['pid']).toBe(hub.pid);
    expect(isAlive(process.pid)).toBe(true);
  });
});

describe('one owner', () => {
  it('at a time: a second one is refused and learns about the first', async () => {
    await using first = await startHub({ home, servers: { one: stdioServer() } });
    const second = spawnHub(home);
    expect(await second.exited).not.toBe(0);
    expect(second.stderr()).toContain(String(first.pid));
    expect(second.stderr()).toContain(first.url);
    expect(readHubFile(home)?.['pid']).toBe(first.pid);
    expect(textOf(await first.call('one__echo', { message: 'still' }))).toBe('still');
  });

  it('of ten concurrent starts', async () => {
    mkdirSync(home, { mode: 0o700 });
    const rivals = Array.from({ length: 10 }, () => spawnHub(home));
    const codes = rivals.map(({ exited }) => exited);
    const losers = Promise.all(
      rivals.map(async ({ child, exited }) => ({ pid: child.pid, code: await exited })),
    );
    let gone = 0;
    for (const code of codes) void code.then(() => gone++);
    await expect.poll(() => gone, { timeout: 60_000 }).toBe(9);
    const owner = readHubFile(home)?.['pid'] as number;
    rivals.find(({ child }) => child.pid === owner)?.child.kill('SIGTERM');
    expect((await losers).filter(({ code }) => code === 0).map(({ pid }) => pid)).toEqual([owner]);
  });

  it('that stops leaves no file and no child, and frees the folder', async () => {
    const hub = await startHub({ home, servers: { one: stdioServer() } });
    const pid = structuredOf(await hub.call('one__pid'))['pid'] as number;
    expect(await hub.stop()).toBe(0);
    expect(existsSync(join(home, 'run', 'hub.json'))).toBe(false);
    expect(isAlive(pid)).toBe(false);
    await hub[Symbol.asyncDispose]();
    await using next = await startHub({ home });
    expect(textOf(await next.call('one__echo', { message: 'next' }))).toBe('next');
  });
});

describe('the state folder', () => {
  const modesIn = (path: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'config.json')
        .map(({ name }) => [name, (statSync(join(path, name)).mode & 0o777).toString(8)]),
    );

  it('is readable only by its owner, even if it was not before', async () => {
    verifies('000-auth-token-private');
    mkdirSync(home, { mode: 0o755 });
    chmodSync(home, 0o755);
    await using hub = await startHub({ home, servers: { one: stdioServer() } });
    await hub.call('one__echo', { message: 'x' });
    expect((statSync(home).mode & 0o777).toString(8)).toBe('700');
    expect((statSync(join(home, 'run')).mode & 0o777).toString(8)).toBe('700');
    const modes = { ...modesIn(home), ...modesIn(join(home, 'run')) };
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(['mcp-token.txt', 'state.sqlite', 'hub.json']));
    expect(modes).toEqual(Object.fromEntries(Object.keys(modes).map((name) => [name, '600'])));
  });

  it('keeps its tokens across restarts; an empty file is created again', async () => {
    verifies('000-auth-token-path', '000-auth-token-dir-override', '000-auth-token-lazy');
    verifies('000-auth-token-form', '000-auth-token-persistent', '000-auth-token-regenerated');
    mkdirSync(home, { mode: 0o700 });
    expect(existsSync(join(home, 'mcp-token.txt'))).toBe(false);
    const first = await startHub({ home, servers: {} });
    expect(first.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(first.adminToken).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(first.adminToken).not.toBe(first.token);
    await first[Symbol.asyncDispose]();
    const second = await startHub({ home });
    expect([second.token, second.adminToken]).toEqual([first.token, first.adminToken]);
    await second[Symbol.asyncDispose]();
    writeFileSync(join(home, 'mcp-token.txt'), '');
    const emptied = await startHub({ home });
    expect(emptied.token).not.toBe(first.token);
    expect(emptied.adminToken).toBe(first.adminToken);
    await emptied[Symbol.asyncDispose]();
    rmSync(join(home, 'mcp-token.txt'));
    await using third = await startHub({ home });
    expect(third.token).not.toBe(emptied.token);
    expect(third.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(third.token).not.toBe(first.token);
    expect((await third.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(200);
    const old = third.connect(first.token);
    expect((await old.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(401);
  });

  it('that cannot be read is an error that names the file', async () => {
    mkdirSync(join(home, 'mcp-token.txt'), { recursive: true });
    const { exited, stderr } = spawnHub(home);
    expect(await exited).not.toBe(0);
    expect(stderr()).toContain('mcp-token.txt');
    expect(stderr()).not.toMatch(/^\s+at /m);
  });

  it('with an invalid configuration starts nothing and names the place of the error', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.json'), '{ servers: ');
    const { exited, stderr } = spawnHub(home);
    expect(await exited).not.toBe(0);
    expect(stderr()).toContain('config.json');
    expect(existsSync(join(home, 'run', 'hub.json'))).toBe(false);
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe('{ servers: ');
  });
});
