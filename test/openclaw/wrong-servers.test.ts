/** Servers that are wrong, in OpenClaw's own file: each is that server's problem, and nobody else's. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openCliHome } from '../kit/cli.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { listedServers, whenListed, withServers } from '../kit/openclaw/plugin.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { WRONG_SERVERS, wrongConfigs } from '../kit/wrong-servers.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const hub = ownHub(profile);
const BACK_MS = 5_000;
const works = stdioServer({ tools: ['echo'] });
const none = (servers: object): Record<string, undefined> =>
  Object.fromEntries(Object.keys(servers).map((name) => [name, undefined]));

let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
  withServers(profile, { ...wrongConfigs(), tenth: works });
  await whenListed(profile, ['tenth']);
  await whenApplied(host);
});
afterAll(async () => {
  await whenApplied(host);
  withServers(profile, { ...none(WRONG_SERVERS), tenth: undefined });
  await whenListed(profile, ['tenth'], false);
  await whenApplied(host);
  await operator[Symbol.asyncDispose]();
});

/** Whether a server has its entry within the promised time. */
const isBack = (name: string): Promise<boolean> =>
  eventually(() => name in listedServers(profile), BACK_MS, 50);

async function stateOf(name: string): Promise<string | undefined> {
  const { servers } = (await (await hub.control('GET status')).json()) as {
    servers: { name: string; state: string }[];
  };
  return servers.find((server) => server.name === name)?.state;
}

test('the tenth works in a turn, and agents have no entry for one whose settings are wrong', async () => {
  const said = 'call:tenth__echo {"message":"the tenth"}';
  expect(await operator.chat('agent:main:wrong', said)).toBe('RESULT(the tenth)');
  const offered = (await host.asked(said))[0]?.tools.map(({ name }) => name);
  expect(offered).toContain('everything__echo');
  const listed = Object.keys(listedServers(profile));
  expect(Object.keys(WRONG_SERVERS).filter((name) => listed.includes(name))).toEqual([]);
});

test('/mcp servers shows each of the nine with its reason, its line, and what to do', async () => {
  const answer = await operator.chat('agent:main:wrong', '/mcp servers');
  for (const { reason } of Object.values(WRONG_SERVERS)) expect(answer).toMatch(reason);
  expect(answer).toMatch(/openclaw\.json, line \d+, servers\.plain\.url/);
  expect(answer).toContain('Correct plugins.entries.mcp-client.config.servers.plain.url in openclaw.json.');
  expect(answer).toContain('openclaw pincer secret set NOT_THERE');
  const lines = readFileSync(profile.configFile, 'utf8').split('\n');
  const line = Number(/line (\d+), servers\.plain\.url/.exec(answer)![1]);
  expect(lines[line - 1]).toContain('http://example.com/mcp');
});

test('one is back within 5 s once its secret is there, or its entry is corrected', async () => {
  await using cli = openCliHome();
  const env = { ...profile.env, PINCER_HOME: dirname(hub.configFile) } as Record<string, string>;
  expect(await cli.run(['secret', 'set', 'NOT_THERE'], { input: 'hush', env })).toMatchObject({ code: 0 });
  expect(await isBack('secret')).toBe(true);
  // Whoever writes into a file that the host is writing loses one of the two.
  await whenApplied(host);
  withServers(profile, { key: works });
  expect(await eventually(async () => (await stateOf('key')) === 'ready', BACK_MS, 50)).toBe(true);
  // The host reloads a plugin whose settings have changed, which takes it seconds of its own.
  await whenListed(profile, ['key']);
  await whenApplied(host);
  for (const name of ['secret', 'key'])
    expect(await operator.chat('agent:main:wrong', `call:${name}__echo {"message":"${name}"}`)).toBe(
      `RESULT(${name})`,
    );
  expect(await cli.run(['secret', 'unset', 'NOT_THERE'], { env })).toMatchObject({ code: 0 });
});

test('a file that cannot be parsed keeps what runs, and a hub that cannot start says why in the log', async () => {
  const before = existsSync(hub.configFile) ? readFileSync(hub.configFile, 'utf8') : undefined;
  const mark = host.gateway().log().length;
  writeFileSync(hub.configFile, '{ servers: ', { mode: 0o600 });
  const servers = (): Promise<string> => operator.chat('agent:main:wrong', '/mcp servers');
  await expect.poll(servers, { timeout: 20_000 }).toContain('is not JSON5');
  expect(await operator.chat('agent:main:wrong', 'call:tenth__echo {"message":"still"}')).toBe(
    'RESULT(still)',
  );
  const pid = hub.pid();
  process.kill(Number(pid), 'SIGKILL');
  const said = (): string => host.gateway().log().slice(mark);
  expect(await eventually(() => said().includes('The hub starts when the file is corrected'), 60_000)).toBe(
    true,
  );
  expect(said()).toMatch(/config\.json is not JSON5: .*Correct the file at that position/);
  expect(said()).not.toContain('exited with code');
  if (before === undefined) rmSync(hub.configFile);
  else writeFileSync(hub.configFile, before);
  expect(await eventually(() => ![undefined, pid].includes(hub.pid()), BACK_MS, 50)).toBe(true);
  await whenApplied(host);
  expect(await operator.chat('agent:main:wrong', 'call:tenth__echo {"message":"again"}')).toBe(
    'RESULT(again)',
  );
});
