/** What an agent needs a person's word for, asked of whoever has ordered something from it. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readAbilities, STRANGER } from '../../packages/hub/src/core/client.ts';
import type { Exchange, Question, SourceRequest } from '../../packages/hub/src/core/request.ts';
import { jsonBytes, parseBytes } from '../../packages/hub/src/core/wire/byte-text.ts';
import { askByElicitation, canBeAsked } from '../../packages/hub/src/agent/elicitation.ts';
import { followApprovals } from '../../packages/hub/src/agent/gateway/approvals.ts';
import { findGateway } from '../../packages/hub/src/openclaw/find.ts';
import { createGateway, createReviewer, type Gateway } from '../../packages/hub/src/agent/gateway/gateway.ts';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import { sessionKeyFor } from '../../packages/hub/src/agent/orders.ts';
import { runTurn } from '../../packages/hub/src/agent/gateway/turn.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { whenListed } from '../kit/openclaw/plugin.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const host = openHost(inject('openclaw'));
const home = temporaryFolder('agent-approvals');
let orders: Gateway;
let reviewer: Gateway;
let operator: Operator;

beforeAll(async () => {
  const find = () => findGateway({ env: {}, config: host.profile.readConfig() });
  const identity = () => openIdentity(home.path);
  orders = createGateway({ find, identity });
  reviewer = createReviewer({ find, identity });
  operator = await host.operator();
});
afterAll(async () => {
  orders.close();
  reviewer.close();
  await operator[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** The client of an order: what it was asked, and what it says to that. */
interface Person extends Pick<Exchange, 'ask'> {
  readonly messages: string[];
  readonly withdrawn: string[];
}

/** Without an answer: thinks about it for ever. */
function person(answer?: object): Person {
  const messages: string[] = [];
  const withdrawn: string[] = [];
  return {
    messages,
    withdrawn,
    ask(question: Question) {
      messages.push((parseBytes(question.params) as { message: string }).message);
      if (answer !== undefined) question.answer({ result: jsonBytes(answer) });
      return { withdraw: (reason) => void withdrawn.push(reason) };
    },
  };
}

const ALLOW = { action: 'accept', content: { decision: 'allow-once' } };

type Client = Pick<SourceRequest, 'client' | 'era'>;
const clientOf = (capabilities: object): Client => ({
  era: 'legacy',
  client: { ...STRANGER, abilities: readAbilities(JSON.stringify(capabilities)) },
});
const WITH_FORMS = clientOf({ elicitation: {} });
const WITHOUT = clientOf({});

const guard = (sessionKey: string): Promise<unknown> =>
  operator.rpc('sessions.patch', { key: sessionKey, permissionMode: 'guarded' });

/** In a conversation in which OpenClaw asks about every command. */
async function order(message: string, whom: Person, request: Client = WITH_FORMS): Promise<string> {
  const sessionKey = sessionKeyFor({
    caller: 'agent-approvals',
    key: crypto.randomUUID(),
    agentId: 'main',
  });
  await guard(sessionKey);
  const named = { runId: '', sessionKey: () => sessionKey };
  const ask = canBeAsked(request)
    ? (question: Parameters<typeof askByElicitation>[2]) => askByElicitation(whom, request, question)
    : undefined;
  const followed = followApprovals({ orders, reviewer }, named, ask);
  try {
    await followed.ready;
    const onRun = (run?: { runId: string }): void => void (named.runId = run?.runId ?? '');
    const end = await runTurn(orders, { message, sessionKey, onRun });
    return end.kind === 'final' ? end.text : JSON.stringify(end);
  } finally {
    followed.off();
  }
}

const run = (command: string): string => `call:exec ${JSON.stringify({ command })}`;
const mark = (): string => join(host.profile.folder, `ran-${crypto.randomUUID()}`);

/** What OpenClaw says where it has nobody to ask. */
const REFUSED = 'cannot wait for interactive exec approval';

describe('a command', () => {
  test('runs when the person at the client allows it, and they see all of it', async () => {
    const whom = person(ALLOW);
    const path = mark();
    expect(await order(run(`touch ${path} && echo done`), whom)).toContain('RESULT(done');
    expect(existsSync(path)).toBe(true);
    const [message = '', ...others] = whom.messages;
    expect(others).toEqual([]);
    expect(message).toContain('Agent: main\nFolder: ');
    expect(message.endsWith(`\nCommand: touch ${path} && echo done`)).toBe(true);
  });

  test.each([
    ['declines', { action: 'decline' }],
    ['denies it', { action: 'accept', content: { decision: 'deny' } }],
    ['puts the question away', { action: 'cancel' }],
  ])('does not run when the person %s, and the agent goes on', async (_, answer) => {
    const path = mark();
    const whom = person(answer);
    expect(await order(run(`touch ${path}`), whom)).toContain('user-denied');
    expect(whom.messages).toHaveLength(1);
    expect(existsSync(path)).toBe(false);
  });

  test('that somebody else has allowed runs, and the person is no longer asked', async () => {
    const whom = person();
    const path = mark();
    const turn = order(run(`touch ${path}`), whom);
    expect(await eventually(() => whom.messages.length === 1, 60_000)).toBe(true);
    const open = (await operator.rpc('exec.approval.list')) as unknown as {
      id: string;
      request: { command: string };
    }[];
    const { id } = open.find(({ request }) => request.command.includes(path))!;
    await operator.rpc('exec.approval.resolve', { id, decision: 'allow-once' });
    await turn;
    expect(existsSync(path)).toBe(true);
    expect(whom.withdrawn).toHaveLength(1);
  });
});

describe('nobody is asked', () => {
  test('about what somebody else has ordered, be it at the same time', async () => {
    const people = [person(ALLOW), person(ALLOW)];
    const said = await Promise.all(people.map((whom, at) => order(run(`echo for ${at}`), whom)));
    expect(said).toEqual(['RESULT(for 0)', 'RESULT(for 1)']);
    expect(people.map(({ messages }) => messages.map((message) => message.split('Command: ')[1]))).toEqual([
      ['echo for 0'],
      ['echo for 1'],
    ]);
  });

  test('about the conversation of another operator, which is refused at once as before', async () => {
    const whom = person();
    const turn = order(run('echo mine'), whom);
    expect(await eventually(() => whom.messages.length === 1, 60_000)).toBe(true);
    const theirs = `agent:main:${crypto.randomUUID()}`;
    await guard(theirs);
    expect(await operator.chat(theirs, run('echo theirs'))).toContain(REFUSED);
    expect(whom.messages).toHaveLength(1);
    const open = (await operator.rpc('exec.approval.list')) as unknown as { id: string }[];
    await Promise.all(open.map(({ id }) => operator.rpc('exec.approval.resolve', { id, decision: 'deny' })));
    expect(await turn).toContain('user-denied');
  });

  test('whose client shows no questions: OpenClaw says at once that it cannot ask', async () => {
    const whom = person(ALLOW);
    expect(await order(run('echo never'), whom, WITHOUT)).toContain(REFUSED);
    expect(whom.messages).toEqual([]);
  });

  test('whose client shows no questions, while another can be asked: it is denied at once', async () => {
    const other = person();
    const silent = person(ALLOW);
    const turn = order(run('echo other'), other);
    expect(await eventually(() => other.messages.length === 1, 60_000)).toBe(true);
    expect(await order(run('echo never'), silent, WITHOUT)).toContain('user-denied');
    expect([other.messages.length, silent.messages.length]).toEqual([1, 0]);
    const [open] = (await operator.rpc('exec.approval.list')) as unknown as { id: string }[];
    await operator.rpc('exec.approval.resolve', { id: open!.id, decision: 'allow-once' });
    expect(await turn).toBe('RESULT(other)');
  });
});

describe('a tool that policy asks about', () => {
  const hub = ownHub(host.profile);

  beforeAll(async () => {
    const needed = stdioServer({ tools: ['echo'] }, { policy: { echo: 'ask' } });
    writeFileSync(hub.configFile, JSON.stringify({ servers: { needed } }), { mode: 0o600 });
    await whenListed(host.profile, ['needed']);
    await whenApplied(host);
  });
  afterAll(async () => {
    writeFileSync(hub.configFile, '{}');
    await whenListed(host.profile, ['needed'], false);
    await whenApplied(host);
  });

  test('runs when the person at the client allows it', async () => {
    const whom = person(ALLOW);
    expect(await order('call:needed__echo {"message":"by word of a person"}', whom)).toBe(
      'RESULT(by word of a person)',
    );
    expect(whom.messages).toHaveLength(1);
    expect(whom.messages[0]).toContain('Run needed.echo once?');
    expect(whom.messages[0]).toContain('Arguments: {"message":"by word of a person"}');
  });
});
