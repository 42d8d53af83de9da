/** The entries that our plugin keeps in OpenClaw's `mcp.servers`. */
import { readFileSync, statSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { offeredTools } from '../kit/openclaw/offered.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { listedServers, whenListed, withServers } from '../kit/openclaw/plugin.ts';
import { eventually } from '../kit/processes.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import type { JsonObject } from '../servers/json.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const hub = ownHub(profile);
let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
});
afterEach(() => whenApplied(host));
afterAll(() => operator[Symbol.asyncDispose]());

interface Entry {
  url: string;
  headers: Record<string, string>;
}

const entryOf = (key: string): Entry => listedServers(profile)[key] as unknown as Entry;

const post = (url: string, headers: Record<string, string>, method: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} }),
  });

test('an entry has a credential that can use its server and nothing else', async () => {
  const { url, headers } = entryOf('everything');
  expect(statSync(profile.configFile).mode & 0o077).toBe(0);
  expect(headers['Authorization']).not.toBe(entryOf('growing').headers['Authorization']);
  expect((await post(url, headers, 'ping')).status).toBe(200);
  expect((await post(entryOf('growing').url, headers, 'ping')).status).toBe(404);
  expect((await hub.control('GET status', undefined, headers)).status).toBe(401);
});

test("somebody else's entry is left alone, and what a person adds to one of ours stays", async () => {
  const theirs = listedServers(profile)['builtin'];
  const { url, headers } = entryOf('growing');
  const growing = { url, headers, toolFilter: { exclude: ['nothing_of_that_name'] } };
  editEntry('growing', (entry) => ({ ...entry, toolFilter: growing.toolFilter }));
  withServers(profile, { builtin: stdioServer({ tools: ['echo'] }) });
  await whenListed(profile, ['builtin-pincer']);
  expect(listedServers(profile)).toMatchObject({ builtin: theirs, growing });
  await whenApplied(host);
  const said = 'call:builtin-pincer__echo {"message":"both"}';
  expect(await operator.chat('agent:main:entries', said)).toBe('RESULT(both)');
  expect((await host.asked(said))[0]?.tools.map(({ name }) => name)).toContain('builtin__echo');
  withServers(profile, { builtin: undefined });
  await whenListed(profile, ['builtin-pincer'], false);
  expect(listedServers(profile)).toMatchObject({ builtin: theirs, growing });
});

test('what a person edits in mcp.servers is followed: ours comes back, makes way, and takes its name again', async () => {
  const { url, headers } = entryOf('growing');
  const edit = (change: (servers: JsonObject) => object): void => {
    const config = profile.readConfig();
    profile.writeConfig({
      ...config,
      mcp: { ...(config['mcp'] as object), servers: change(listedServers(profile)) },
    });
  };
  const withoutGrowing = (servers: JsonObject): JsonObject => {
    const { growing: _, ...others } = servers;
    return others;
  };
  edit(withoutGrowing);
  await whenListed(profile, ['growing']);
  expect(entryOf('growing')).toMatchObject({ url, headers });
  edit((servers) => ({ ...servers, growing: { command: 'false', enabled: false } }));
  await whenListed(profile, ['growing-pincer']);
  await whenApplied(host);
  expect(await operator.chat('agent:main:entries-edits', '/mcp servers')).toContain('growing-pincer__<tool>');
  edit(withoutGrowing);
  await whenListed(profile, ['growing-pincer'], false);
  await whenListed(profile, ['growing']);
  expect(entryOf('growing')).toMatchObject({ url, headers });
});

test('/mcp refresh gives an entry whose credential was revoked another one', async () => {
  const before = entryOf('growing').headers;
  await hub.control('DELETE tokens?name=openclaw:growing');
  expect((await post(entryOf('growing').url, before, 'ping')).status).toBe(401);
  expect(await operator.chat('agent:main:entries-revoked', '/mcp refresh growing')).toContain(
    'Repaired in mcp.servers: growing',
  );
  expect((await post(entryOf('growing').url, entryOf('growing').headers, 'ping')).status).toBe(200);
  const said = 'call:growing__echo {"message":"again"}';
  expect(await operator.chat('agent:main:entries-revoked', said)).toBe('RESULT(again)');
});

test('a server that never answered has no entry, and gives agents no tools', async () => {
  verifies('004-6.4-connect-all');
  const exits = { command: process.execPath, args: ['-e', 'process.exit(1)'] };
  withServers(profile, { broken: exits, passing: stdioServer({ tools: ['echo'] }) });
  await whenListed(profile, ['passing']);
  await whenApplied(host);
  expect(listedServers(profile)).not.toHaveProperty('broken');
  const names = await offeredTools(host, operator);
  expect(names).toContain('passing__echo');
  expect(names.filter((name) => name.startsWith('broken'))).toEqual([]);
  withServers(profile, { broken: undefined, passing: undefined });
  await whenListed(profile, ['passing'], false);
});

test('an edit of other servers leaves a call under way alone', async () => {
  const kept = entryOf('everything');
  const said = 'call:everything__trigger-long-running-operation {"duration":12,"steps":6}';
  const call = operator.turn('agent:main:entries-edit', said);
  // It has begun when the model has been asked.
  expect(await eventually(async () => (await host.asked(said)).length > 0, 60_000)).toBe(true);
  withServers(profile, { passing: stdioServer({ tools: ['echo'] }) });
  await whenListed(profile, ['passing']);
  withServers(profile, { passing: undefined });
  await whenListed(profile, ['passing'], false);
  const { text, calls } = await call;
  expect(text).toBe('RESULT(Long running operation completed. Duration: 12 seconds, Steps: 6.)');
  expect(calls).toHaveLength(1);
  expect(entryOf('everything')).toEqual(kept);
});

test('a hub that comes back changes no entry, and a conversation goes on without noticing', async () => {
  verifies('004-2-plugin');
  const key = 'agent:main:entries-again';
  expect(await operator.chat(key, 'call:growing__echo {"message":"before"}')).toBe('RESULT(before)');
  const pid = hub.pid();
  const before = readFileSync(profile.configFile, 'utf8');
  process.kill(Number(pid), 'SIGKILL');
  const isBack = (): boolean => ![undefined, pid].includes(hub.pid());
  expect(await eventually(isBack, 60_000)).toBe(true);
  await whenApplied(host);
  expect(await operator.chat(key, 'call:growing__echo {"message":"after"}')).toBe('RESULT(after)');
  expect(readFileSync(profile.configFile, 'utf8')).toBe(before);
});

test('where everybody signs in for themselves, no credential is in the file and each sender has one', async () => {
  withServers(profile, { mail: httpServer('http://127.0.0.1:9/mcp', { auth: { identity: 'per-caller' } }) });
  await whenListed(profile, ['mail']);
  expect(Object.keys(entryOf('mail').headers)).toEqual(['x-pincer-managed']);
  await whenApplied(host);
  await operator.chat('agent:main:entries-mail', 'is there mail?');
  expect(await (await hub.control('GET tokens')).json()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: 'openclaw:mail:webchat:gateway-client',
        scopes: expect.objectContaining({ servers: ['mail'] }) as object,
      }),
    ]),
  );
  withServers(profile, { mail: undefined });
  await whenListed(profile, ['mail'], false);
});

/** As a person edits the file. */
function editEntry(key: string, change: (entry: object) => object): void {
  const config = profile.readConfig();
  const servers = { ...listedServers(profile), [key]: change(entryOf(key)) };
  profile.writeConfig({ ...config, mcp: { ...(config['mcp'] as object), servers } });
}
