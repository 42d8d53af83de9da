/** The entries that our plugin keeps in OpenClaw's `mcp.servers`. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { EVERYTHING } from '../clients/everything.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { configurePlugin, listedServers, whenListed } from '../kit/openclaw/plugin.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { isObject, type JsonObject } from '../servers/json.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
});
afterAll(() => operator[Symbol.asyncDispose]());

interface Entry {
  url: string;
  headers: Record<string, string>;
}

const entryOf = (key: string): Entry => listedServers(profile)[key] as unknown as Entry;

const hubFile = (): JsonObject =>
  JSON.parse(readFileSync(join(profile.state, 'mcp', 'run', 'hub.json'), 'utf8')) as JsonObject;

/** Adds servers to the plugin's own; taken away again when undefined. */
const withServers = (servers: Record<string, object | undefined>): void =>
  configurePlugin(profile, (config) => {
    const present = isObject(config['servers']) ? config['servers'] : {};
    const all = Object.entries({ ...present, ...servers }).filter(([, server]) => server !== undefined);
    return { ...config, servers: Object.fromEntries(all) };
  });

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
  const { control } = hubFile()['endpoints'] as { control: string };
  expect((await fetch(`${control}status`, { headers })).status).toBe(401);
});

test("somebody else's entry is left alone, and what has its name is called otherwise", async () => {
  const before = listedServers(profile)['builtin'];
  withServers({ builtin: stdioServer({ tools: ['echo'] }) });
  await whenListed(profile, ['builtin-pincer']);
  expect(listedServers(profile)['builtin']).toEqual(before);
  await applied('mcp.servers.builtin-pincer');
  const said = 'call:builtin-pincer__echo {"message":"both"}';
  expect(await operator.chat('agent:main:entries', said)).toBe('RESULT(both)');
  const offered = (await host.asked(said))[0]?.tools.map(({ name }) => name);
  expect(offered).toContain('builtin__echo');
  withServers({ builtin: undefined });
  await whenListed(profile, ['builtin-pincer'], false);
  expect(listedServers(profile)['builtin']).toEqual(before);
});

test('what a person has added to an entry stays, and the check of OpenClaw finds no fault with it', async () => {
  const { url, headers } = entryOf('growing');
  await host.openclawOk(['mcp', 'tools', 'growing', '--exclude', 'nothing_of_that_name']);
  expect(entryOf('growing')).toMatchObject({
    url,
    headers,
    toolFilter: { exclude: ['nothing_of_that_name'] },
  });
  withServers({ late: EVERYTHING });
  await whenListed(profile, ['late']);
  expect(entryOf('growing')).toMatchObject({
    url,
    headers,
    toolFilter: { exclude: ['nothing_of_that_name'] },
  });
  await host.openclawOk(['config', 'validate']);
  await host.openclawOk(['mcp', 'tools', 'growing', '--clear']);
  withServers({ late: undefined });
  await whenListed(profile, ['late'], false);
  expect(Object.keys(entryOf('growing'))).not.toContain('toolFilter');
});

test('a hub that comes back changes no entry, and a conversation goes on without noticing', async () => {
  const key = 'agent:main:entries-again';
  expect(await operator.chat(key, 'call:growing__echo {"message":"before"}')).toBe('RESULT(before)');
  const { pid } = hubFile();
  const before = readFileSync(profile.configFile, 'utf8');
  process.kill(Number(pid), 'SIGKILL');
  const isBack = (): boolean => {
    try {
      return hubFile()['pid'] !== pid;
    } catch {
      return false;
    }
  };
  expect(await eventually(isBack, 60_000)).toBe(true);
  expect(await operator.chat(key, 'call:growing__echo {"message":"after"}')).toBe('RESULT(after)');
  expect(readFileSync(profile.configFile, 'utf8')).toBe(before);
});

/** A turn that begins while the host reads its file again may fail. */
async function applied(path: string): Promise<void> {
  const isApplied = (): boolean =>
    host
      .gateway()
      .log()
      .split('\n')
      .some((line) => line.includes('hot reload applied') && line.includes(path));
  expect(await eventually(isApplied, 30_000)).toBe(true);
}
