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
  expect(await operator.chat(key, callOf('no thanks'))).toBe(
    'RESULT(A person has denied asked.echo. It was not run.)',
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

test('where OpenClaw may ask nobody, the hub asks in its own way', async () => {
  await using guest = await host.operator(['operator.read', 'operator.write']);
  const key = 'agent:main:rules-guest';
  // Only the host knows that it cannot ask, and says so once.
  expect(await guest.chat(key, callOf('hello'))).toContain('Plugin approval required');
  // What it would have asked is taken back, for which it does not wait.
  expect(await eventually(async () => (await stateOf('hello')) === undefined, 60_000)).toBe(true);
  const turn = guest.chat(key, callOf('hello'));
  expect(await eventually(async () => (await stateOf('hello')) === 'open', 60_000)).toBe(true);
  const { id } = (await approvals()).find((each) => each.arguments.includes('hello'))!;
  expect(await operator.chat('agent:main:rules-owner', `/mcp approvals allow ${id}`)).toContain('echo');
  expect(await turn).toBe('RESULT(hello)');
});

test('what policy denies is not run, and nobody is asked', async () => {
  const said = 'call:asked__add {"a":1,"b":2}';
  expect(await operator.chat('agent:main:rules-deny', said)).toBe(
    'RESULT(Policy denies asked.add. It was not run.)',
  );
});

test('a server is for the agents that it names', async () => {
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
