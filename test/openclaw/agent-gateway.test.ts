/** Turns of an agent, ordered from outside through the gateway. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fetchArtifact, listArtifacts } from '../../packages/hub/src/sources/agent/gateway/artifacts.ts';
import { findGateway, type Whereabouts } from '../../packages/hub/src/sources/agent/gateway/find.ts';
import { createGateway, type Gateway } from '../../packages/hub/src/sources/agent/gateway/gateway.ts';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import { sessionKeyFor } from '../../packages/hub/src/sources/agent/gateway/session-key.ts';
import type { TurnEnd } from '../../packages/hub/src/sources/agent/gateway/turn-end.ts';
import type { TurnEvent } from '../../packages/hub/src/sources/agent/gateway/turn-event.ts';
import { runTurn, type TurnOrder } from '../../packages/hub/src/sources/agent/gateway/turn.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const host = openHost(inject('openclaw'));
const home = temporaryFolder('agent-gateway');
let gateway: Gateway;

const gatewayOf = (where: Partial<Whereabouts> = {}): Gateway =>
  createGateway({
    find: () => findGateway({ env: {}, config: host.profile.readConfig(), ...where }),
    identity: () => openIdentity(home.path),
  });

beforeAll(() => {
  gateway = gatewayOf();
});
afterAll(() => {
  gateway.close();
  home[Symbol.dispose]();
});

const conversation = (key: string): string => sessionKeyFor({ caller: 'agent-gateway', key });

const order = (message: string, key: string = crypto.randomUUID(), more: Partial<TurnOrder> = {}) =>
  runTurn(gateway, { message, sessionKey: conversation(key), ...more });

const textOf = (end: TurnEnd): string => (end.kind === 'final' ? end.text : JSON.stringify(end));

/** Whether a text is in what the model was asked, byte for byte. */
async function hasArrived(about: string, text: string): Promise<boolean> {
  const asked = await host.asked(about);
  return asked.some(({ conversation: said }) => said.some((message) => message.text.includes(text)));
}

describe('a message arrives as it was written', () => {
  test.each([
    '/mcp servers',
    '/new',
    '/reset all',
    '/status',
    ' \n around \n',
    'ünïcödé 🦞',
    'e\u0301',
    '\u001b[1m',
  ])('and is no command: %j', async (start) => {
    const mark = crypto.randomUUID();
    const message = `${start} ${mark}${start.startsWith(' ') ? '\n ' : ''}`;
    expect(textOf(await order(message))).toContain(mark);
    expect(await hasArrived(mark, message)).toBe(true);
  });

  test('even when it is a command and nothing else', async () => {
    const key = crypto.randomUUID();
    await order(`first ${key}`, key);
    expect(textOf(await order('/new', key))).toBe('echo: /new');
    const asked = await host.asked('/new');
    expect(JSON.stringify(asked.at(-1)?.conversation)).toContain(`first ${key}`);
  });

  test('and with a megabyte of it', async () => {
    const message = `${crypto.randomUUID()} ${'x'.repeat(1_000_000)}`;
    const isWhole = textOf(await order(message)) === `echo: ${message}`;
    expect(isWhole).toBe(true);
  });
});

test('turns of one conversation come one after the other and know of each other', async () => {
  const key = crypto.randomUUID();
  const ends = await Promise.all([order(`one ${key}`, key), order(`two ${key}`, key)]);
  expect(ends.map(textOf)).toEqual([`echo: one ${key}`, `echo: two ${key}`]);
  const [asked] = await host.asked(`two ${key}`);
  expect(JSON.stringify(asked?.conversation)).toContain(`one ${key}`);
});

test('what the agent does is told while it does it, tools and their results included', async () => {
  const events: TurnEvent[] = [];
  const onEvent = (event: TurnEvent): void => void events.push(event);
  const end = await order('call:exec {"command":"echo from a tool"}', undefined, { onEvent });
  expect(textOf(end)).toContain('RESULT(from a tool');
  const tools = events.flatMap(({ event, payload }) =>
    event === 'agent' && payload.stream === 'tool' ? [payload.data['phase']] : [],
  );
  expect(tools).toEqual(expect.arrayContaining(['start', 'result']));
  expect(events.some(({ event, payload }) => event === 'chat' && payload.state === 'delta')).toBe(true);
});

test('files of an answer can be had', async () => {
  writeFileSync(join(host.profile.workspace, 'answer.txt'), 'what was found');
  const end = await order('look\nMEDIA:./answer.txt');
  expect(end).toMatchObject({ kind: 'final', hasMedia: true });
  const [file, ...others] = await listArtifacts(gateway, end);
  expect(others).toEqual([]);
  expect(file).toMatchObject({ title: 'answer.txt', mimeType: 'text/plain' });
  const bytes = await fetchArtifact(gateway, end, file!, { maxBytes: 100 });
  expect(bytes.toString()).toBe('what was found');
  await expect(fetchArtifact(gateway, end, file!, { maxBytes: 3 })).rejects.toThrow('larger than 3');
});

test('a turn that is cancelled stops, and the next of its conversation is answered', async () => {
  const key = crypto.randomUUID();
  const caller = new AbortController();
  const late = join(host.profile.folder, `late-${key}`);
  const onEvent = ({ event, payload }: TurnEvent): void => {
    if (event === 'agent' && payload.stream === 'tool') caller.abort();
  };
  const message = `call:exec {"command":"sleep 600; touch ${late}"}`;
  const end = await order(message, key, { signal: caller.signal, onEvent });
  expect(end.kind).toBe('aborted');
  const operator = await host.operator();
  try {
    const { status } = await operator.rpc('agent.wait', { runId: end.runId, timeoutMs: 30_000 });
    expect(status).toBe('error');
  } finally {
    await operator[Symbol.asyncDispose]();
  }
  expect(textOf(await order('and now?', key))).toBe('echo: and now?');
});

test('a turn outlives the connection that it was ordered on', async () => {
  const started = Promise.withResolvers<void>();
  const onEvent = ({ event, payload }: TurnEvent): void => {
    if (event === 'agent' && payload.stream === 'tool') started.resolve();
  };
  const turn = order('call:exec {"command":"sleep 2; echo still here"}', undefined, { onEvent });
  await started.promise;
  (await gateway.connect()).close();
  expect(textOf(await turn)).toContain('RESULT(still here');
});

test('a wrong token is said to be wrong', async () => {
  const env = { OPENCLAW_GATEWAY_TOKEN: 'wrong' };
  const stranger = gatewayOf({ env, config: { gateway: { port: host.profile.port } } });
  await expect(stranger.connect()).rejects.toMatchObject({
    code: 'TOKEN_INVALID',
    hint: expect.stringContaining('OPENCLAW_GATEWAY_TOKEN'),
  });
});
