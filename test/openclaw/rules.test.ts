/** Rules before a call, on the real host: who may use a server, and what a person is asked about. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { listedServers, whenListed } from '../kit/openclaw/plugin.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import type { JsonObject } from '../servers/json.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const hub = ownHub(profile);

const echo = (settings: object): object => stdioServer({ tools: ['echo', 'add'] }, settings);
const OWN = {
  asked: echo({ policy: { echo: 'ask', add: 'deny' } }),
  mine: echo({ agents: ['Main'] }),
  theirs: echo({ agents: ['work'] }),
};

let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
  writeFileSync(hub.configFile, JSON.stringify({ servers: OWN }), { mode: 0o600 });
  await whenListed(profile, Object.keys(OWN));
  await whenApplied(host);
});

afterAll(async () => {
  writeFileSync(hub.configFile, '{}');
  await whenListed(profile, Object.keys(OWN), false);
  await whenApplied(host);
  await operator[Symbol.asyncDispose]();
});

/** What the hub has asked or decided, by the arguments that it is about. */
async function approvals(): Promise<{ id: string; state: string; arguments: string }[]> {
  return (await (await hub.control('GET approvals')).json()) as never;
}

const stateOf = async (message: string): Promise<string | undefined> =>
  (await approvals()).find((each) => each.arguments.includes(message))?.state;

const callOf = (message: string): string => `call:asked__echo ${JSON.stringify({ message })}`;

interface Asked {
  id: string;
  request: JsonObject;
  /** The answer of the turn, when it has one. */
  turn: Promise<string>;
}

/** Says something that OpenClaw is to ask about. */
async function ask(sessionKey: string, message: string): Promise<Asked> {
  const question = operator.nextEvent('plugin.approval.requested');
  const turn = operator.chat(sessionKey, callOf(message));
  const ended = turn.then((text) => Promise.reject(new Error(`Nobody was asked: ${text}`)));
  const asked = await Promise.race([question, ended]);
  ended.catch(() => undefined);
  return { ...(asked as unknown as Asked), turn };
}

const resolve = (id: string, decision: string): Promise<JsonObject> =>
  operator.rpc('plugin.approval.resolve', { id, decision });

test('a person is asked in OpenClaw, once, and the call runs once when they say yes', async () => {
  const { id, request, turn } = await ask('agent:main:rules-yes', 'yes please');
  expect(request).toMatchObject({
    pluginId: 'mcp-client',
    title: 'Run asked.echo once?',
    description: 'Server: "asked"\nTool: "echo"\nAgent: "main"\nArguments: {"message":"yes please"}',
    allowedDecisions: ['allow-once', 'deny'],
    toolName: 'asked__echo',
  });
  expect(await stateOf('yes please')).toBe('open');
  await expect(resolve(id, 'allow-always')).rejects.toThrow('unavailable');
  await resolve(id, 'allow-once');
  expect(await turn).toBe('RESULT(yes please)');
  expect(await stateOf('yes please')).toBeUndefined();
});

test('a no is told to the agent, and the same call is refused from then on without a question', async () => {
  const key = 'agent:main:rules-no';
  const { id, turn } = await ask(key, 'no thanks');
  await resolve(id, 'deny');
  expect(await turn).toContain('Denied by user');
  expect(await eventually(async () => (await stateOf('no thanks')) === 'denied', 60_000)).toBe(true);
  expect(await operator.chat(key, callOf('no thanks'))).toContain(
    'RESULT(A person has denied asked.echo. It was not run.',
  );
});

test('a run that is broken off takes its question with it', async () => {
  const sessionKey = 'agent:main:rules-abort';
  const { turn } = await ask(sessionKey, 'never mind');
  const [ended] = await Promise.all([
    turn.catch((error: Error) => error.message),
    operator.rpc('chat.abort', { sessionKey }),
  ]);
  expect(ended).toContain('aborted');
  expect(await eventually(async () => (await stateOf('never mind')) === undefined, 60_000)).toBe(true);
});

/** The id under which `/mcp approvals` lists an open question about this message. */
async function listedId(message: string): Promise<string> {
  const listed = await operator.chat('agent:main:rules-owner', '/mcp approvals');
  const [before, after] = listed.split(JSON.stringify({ message }));
  expect(after, listed).toBeDefined();
  const [, id] = [...before!.matchAll(/^ *([0-9a-f]{6,}) +asked\.echo +open,/gm)].at(-1) ?? [];
  expect(id, listed).toBeDefined();
  return id!;
}

const allow = (id: string): Promise<string> =>
  operator.chat('agent:main:rules-owner', `/mcp approvals allow ${id}`);

test('where OpenClaw may ask nobody, the first call leaves its question in /mcp approvals', async () => {
  await using guest = await host.operator(['operator.read', 'operator.write']);
  const key = 'agent:main:rules-guest';
  // Only the host knows that it cannot ask, and says so once.
  expect(await guest.chat(key, callOf('hello'))).toContain('Plugin approval required');
  expect(await allow(await listedId('hello'))).toContain('echo');
  expect(await guest.chat(key, callOf('hello'))).toBe('RESULT(hello)');
  // The answer was for one call: the next one is asked about anew, by the hub.
  const turn = guest.chat(key, callOf('hello'));
  expect(await eventually(async () => (await stateOf('hello')) === 'open', 60_000)).toBe(true);
  await allow(await listedId('hello'));
  expect(await turn).toBe('RESULT(hello)');
});

test('a call that OpenClaw cannot show in full is allowed only where it was shown', async () => {
  const long = `${'x'.repeat(600)} and more`;
  const [key, owner] = ['agent:main:rules-long', 'agent:main:rules-owner'];
  expect(await operator.chat(key, callOf(long))).toContain('/mcp approvals show');
  const { id } = (await approvals()).find((each) => each.arguments.includes(long))!;
  const first = await operator.chat(owner, `/mcp approvals allow ${id}`);
  expect(first).toContain('Not allowed yet. This is the whole call:');
  expect(first.replaceAll(/\n\s*/g, '')).toContain(long);
  expect(await operator.chat(owner, `/mcp approvals allow ${id}`)).toContain('may run, once.');
  expect(await operator.chat(key, callOf(long))).toBe(`RESULT(${long})`);
});

test('what policy denies is not run, and nobody is asked', async () => {
  const said = 'call:asked__add {"a":1,"b":2}';
  expect(await operator.chat('agent:main:rules-deny', said)).toContain(
    'RESULT(Policy denies asked.add. It was not run.',
  );
});

test('a server is for the agents that it names', async () => {
  verifies('004-17-per-agent');
  const key = 'agent:main:rules-agents';
  expect(await operator.chat(key, 'call:mine__echo {"message":"for me"}')).toBe('RESULT(for me)');
  expect(await operator.chat(key, 'call:theirs__echo {"message":"for others"}')).toContain(
    'The agent "main" may not use the MCP server "theirs".',
  );
});

test('the credential of an entry can neither ask, decide nor take back', async () => {
  const { headers } = listedServers(profile)['asked'] as unknown as { headers: Record<string, string> };
  const body = { server: 'asked', by: 'openclaw:asked', params: { name: 'echo', arguments: {} } };
  expect((await hub.control('POST approvals/ask', body, headers)).status).toBe(401);
  expect((await hub.control('POST approvals', { id: 'x', decision: 'allowed' }, headers)).status).toBe(401);
  expect((await hub.control('DELETE approvals?id=x', undefined, headers)).status).toBe(401);
});
