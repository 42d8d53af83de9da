/** The other way into OpenClaw: the hub's tools as a node of the gateway publishes them. */
import { ask, clientOf, findHub } from 'pincer/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { gatewayAddress, startToolNode } from '../../packages/openclaw-plugin/src/node/node.ts';
import { startHub } from '../kit/hub.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { offeredTools, whenOffered } from '../kit/openclaw/offered.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { TOKEN } from '../kit/openclaw/profile.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';

const host = openHost(inject('openclaw'));
let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
});
afterAll(() => operator[Symbol.asyncDispose]());

const KEY = 'agent:main:node';

test('tools are there once a person has approved the node, follow the hub, and go with it', async () => {
  await using hub = await startHub({
    servers: {
      far: stdioServer({ tools: ['echo', 'add_tool'] }),
      some: stdioServer({}, { agents: ['main'] }),
    },
  });
  const client = clientOf(hub.home, findHub(hub.home)!);
  const said: string[] = [];
  const node = startToolNode({
    gateway: gatewayAddress(host.profile.readConfig(), {}, ['--port', String(host.profile.port)]),
    home: hub.home,
    hub: async () => client,
    log: (message) => void said.push(message),
  });
  try {
    node.publish(await ask(client, 'GET status'));
    await approveNode();
    await whenOffered(host, operator, 'far__echo').catch((error: Error) => {
      throw new Error(`${error.message} The node said: ${said.join(' | ')}`);
    });
    expect(await offeredTools(host, operator)).not.toContain('some__echo');
    expect(await operator.chat(KEY, 'call:far__echo {"message":"by a node"}')).toBe('RESULT(by a node)');
    expect(said.join()).toContain('"some" is left out: it is for some agents only');

    expect(await operator.chat(KEY, 'call:far__add_tool {"name":"sprout"}')).toBe('RESULT(added sprout)');
    node.publish(await ask(client, 'GET status'));
    await whenOffered(host, operator, 'far__sprout');
    expect(await operator.chat(KEY, 'call:far__sprout {}')).toBe('RESULT(sprout)');

    const invoked = await fetch(`${host.gateway().url}/tools/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tool: 'far__echo', args: { message: 'without a conversation' } }),
    });
    expect(await invoked.json()).toMatchObject({
      ok: true,
      result: { content: [{ type: 'text', text: 'without a conversation' }] },
    });
  } finally {
    node.stop();
  }
  const isGone = async (): Promise<boolean> => !(await offeredTools(host, operator)).includes('far__echo');
  expect(await eventually(isGone, 60_000)).toBe(true);
});

/** As `openclaw nodes approve` does. */
async function approveNode(): Promise<void> {
  let requestId: unknown;
  const isThere = async (): Promise<boolean> => {
    const { pending } = (await operator.rpc('node.pair.list')) as unknown as {
      pending: { requestId: string; displayName?: string }[];
    };
    requestId = pending.find(({ displayName }) => displayName === 'Pincer')?.requestId;
    return requestId !== undefined;
  };
  expect(await eventually(isThere, 60_000)).toBe(true);
  await operator.rpc('node.pair.approve', { requestId });
}
