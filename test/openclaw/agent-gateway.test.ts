/** Turns of an agent, ordered from outside through the gateway. */
import { afterAll, expect, inject, test } from 'vitest';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import type { TurnEvent } from '../../packages/hub/src/agent/answer/read-event.ts';
import { findGateway } from '../../packages/hub/src/openclaw/find.ts';
import { createGateway } from '../../packages/hub/src/agent/gateway/gateway.ts';
import { sessionKeyFor } from '../../packages/hub/src/agent/orders.ts';
import { runTurn } from '../../packages/hub/src/agent/gateway/turn.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const host = openHost(inject('openclaw'));
const home = temporaryFolder('agent-gateway');
const gateway = createGateway({
  find: () => findGateway({ env: {}, config: host.profile.readConfig() }),
  identity: () => openIdentity(home.path),
});

afterAll(() => {
  gateway.close();
  home[Symbol.dispose]();
});

async function order(message: string, onEvent: (event: TurnEvent) => void): Promise<string> {
  const sessionKey = sessionKeyFor({ caller: 'agent-gateway', key: crypto.randomUUID() });
  const end = await runTurn(gateway, { message, sessionKey, onEvent });
  return end.kind === 'final' ? end.text : JSON.stringify(end);
}

test('what the agent does is told while it does it, tools and their results included', async () => {
  const events: TurnEvent[] = [];
  const said = await order('call:exec {"command":"echo from a tool"}', (event) => events.push(event));
  expect(said).toContain('RESULT(from a tool');
  const tools = events.flatMap((event) => (event.kind === 'tool' ? event : []));
  expect(tools).toMatchObject([
    { name: 'exec', result: undefined },
    { name: 'exec', result: { isError: false, text: 'from a tool' } },
  ]);
  expect(events.map(({ kind }) => kind)).toContain('whole');
});

test('a turn outlives the connection that it was ordered on', async () => {
  const started = Promise.withResolvers<void>();
  const turn = order('call:exec {"command":"sleep 2; echo still here"}', ({ kind }) => {
    if (kind === 'tool') started.resolve();
  });
  await started.promise;
  (await gateway.connect()).close();
  expect(await turn).toContain('RESULT(still here');
});
