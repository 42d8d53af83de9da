import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  eventText,
  refusalText,
  responseText,
  welcomeText,
} from '../../../../../test/kit/openclaw/gateway-texts.ts';
import {
  openHandGateway,
  type HandGateway,
  type HandRequest,
} from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { openNodeBench, sentTo, type NodeBench } from '../../../../../test/kit/openclaw/node.ts';
import type { Declared } from './parts.ts';

let bench: NodeBench;
let declared: Declared;
/** The commands that the gateway allows. */
let usable: readonly string[];

beforeEach(() => {
  declared = { caps: ['a'], commands: ['a.echo', 'a.wait'] };
  usable = ['a.echo'];
  bench = openNodeBench({
    commands: () => declared,
  });
});
afterEach(() => bench[Symbol.asyncDispose]());

/** Answers a publication with the accepted tools, as a gateway does. */
function answer({ id, method, params }: HandRequest): readonly string[] {
  if (method !== 'node.pluginTools.update') return [responseText(id, {})];
  const { tools: sent } = params as { tools: { command: string }[] };
  return [responseText(id, { tools: sent.filter(({ command }) => usable.includes(command)) })];
}

const openGateway = (welcome = (id: string): readonly string[] => [welcomeText(id)]): Promise<HandGateway> =>
  openHandGateway(welcome, answer);

describe('a node', () => {
  it('sends its identity, its commands and the proof of its key', async () => {
    await using hand = await openGateway();
    bench.connect(hand, { name: 'desk' });
    await bench.becomes('connected');
    expect(sentTo(hand, 'connect')[0]).toMatchObject({
      role: 'node',
      scopes: [],
      client: { id: 'node-host', mode: 'node', displayName: 'desk' },
      caps: ['a'],
      commands: ['a.echo', 'a.wait'],
      auth: { token: 'shared' },
      device: { id: bench.identity.id },
    });
  });

  it('reports the commands that the gateway allows, and notices an approval at once', async () => {
    usable = [];
    await using hand = await openGateway();
    bench.connect(hand);
    await expect.poll(() => bench.node.state()).toMatchObject({ is: 'paired', commands: { usable: [] } });
    usable = ['a.wait'];
    hand.say(eventText('node.pair.resolved', { nodeId: 'another', decision: 'approved' }));
    hand.say(eventText('node.pair.resolved', { nodeId: bench.identity.id, decision: 'approved' }));
    await expect
      .poll(() => bench.node.state())
      .toMatchObject({ is: 'connected', commands: { declared: ['a.echo', 'a.wait'], usable: ['a.wait'] } });
    expect(sentTo(hand, 'connect')).toHaveLength(1);
  });

  it('reconnects with the device token, and falls back to the shared credential if it is refused', async () => {
    const auths: unknown[] = [];
    await using hand = await openHandGateway((id) => {
      const { auth } = hand.requests.at(-1)!.params as { auth: object };
      auths.push(auth);
      if (!('deviceToken' in auth))
        return [responseText(id, { server: { version: 'x' }, auth: { deviceToken: 'own' }, policy: {} })];
      return [refusalText(id, { code: 'AUTH_DEVICE_TOKEN_MISMATCH' })];
    }, answer);
    bench.connect(hand);
    await bench.becomes('connected');
    expect(bench.identity.tokenFor(hand.url, 'node')).toBe('own');
    await bench.node.close();
    bench.connect(hand);
    await bench.becomes('connected');
    expect(auths).toEqual([{ token: 'shared' }, { deviceToken: 'own' }, { token: 'shared' }]);
  });

  it('waits for its approval, and names the request to approve', async () => {
    await using hand = await openHandGateway((id) => [
      refusalText(id, { code: 'PAIRING_REQUIRED', requestId: 'r-1' }),
    ]);
    bench.connect(hand);
    await expect
      .poll(() => bench.node.state())
      .toMatchObject({
        is: 'pending',
        requestId: 'r-1',
        hint: expect.stringContaining('openclaw devices approve r-1'),
      });
    expect(sentTo(hand, 'connect')).toHaveLength(1);
  });

  it('connects after its approval as soon as it reconsiders', async () => {
    let isKnown = false;
    await using hand = await openGateway((id) => [
      isKnown ? welcomeText(id) : refusalText(id, { code: 'PAIRING_REQUIRED', requestId: 'r' }),
    ]);
    bench.connect(hand);
    await bench.becomes('pending');
    isKnown = true;
    bench.node.reconsider();
    await bench.becomes('connected');
  });

  it('does not connect to a remote gateway without encryption', async () => {
    bench.connect({ url: 'ws://192.0.2.1:1' });
    await bench.becomes('off');
    expect(bench.node.state().reason).toContain('would not be encrypted');
  });

  it('reports why it has no gateway', async () => {
    bench.connect({ url: '' }, { find: () => ({ reason: 'No gateway is set up.' }) });
    await bench.becomes('off');
    expect(bench.node.state().reason).toBe('No gateway is set up.');
  });

  it('names the setting of the gateway if it cannot reach one', async () => {
    const gone = await openGateway();
    await gone[Symbol.asyncDispose]();
    bench.connect(gone);
    await bench.becomes('backoff');
    expect(bench.node.state().hint).toContain('set device.gatewayUrl');
  });

  it('reconnects when the connection is lost', async () => {
    await using hand = await openGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    for (const socket of hand.connections) socket.destroy();
    await bench.becomes('backoff');
    expect(bench.node.state().nextTryAt).toBeGreaterThan(0);
    await bench.becomes('connected');
  });

  it('reconnects even if it reconsiders while it connects', async () => {
    await using hand = await openGateway((id) => {
      bench.node.reconsider();
      return [welcomeText(id)];
    });
    bench.connect(hand);
    await bench.becomes('connected');
    for (const socket of hand.connections) socket.destroy();
    await expect.poll(() => sentTo(hand, 'connect').length).toBe(2);
    await bench.becomes('connected');
  });

  it('notices a silent gateway', async () => {
    await using hand = await openGateway((id) => [welcomeText(id, { tickIntervalMs: 100 })]);
    bench.connect(hand);
    await bench.becomes('connected');
    await bench.becomes('backoff');
  });

  it('reconnects when its commands change, and stays connected otherwise', async () => {
    await using hand = await openGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    bench.node.reconsider();
    bench.node.reconsider();
    expect(sentTo(hand, 'connect')).toHaveLength(1);
    expect(sentTo(hand, 'node.pluginTools.update')).toHaveLength(2);
    declared = { caps: ['a'], commands: ['a.echo'] };
    bench.node.reconsider();
    await expect.poll(() => sentTo(hand, 'connect').length).toBe(2);
    expect(sentTo(hand, 'connect')[1]).toMatchObject({ commands: ['a.echo'] });
    await bench.becomes('connected');
  });

  it('reconnects at once on refresh', async () => {
    await using hand = await openGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    bench.node.refresh();
    await expect.poll(() => sentTo(hand, 'connect').length).toBe(2);
    await bench.becomes('connected');
  });

  it('closes a connection that was replaced by another with the same key', async () => {
    let isReplaced = false;
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      (request) => {
        if (!isReplaced) return answer(request);
        isReplaced = false;
        return [refusalText(request.id, {}, 'unknown nodeId')];
      },
    );
    bench.connect(hand);
    await bench.becomes('connected');
    isReplaced = true;
    hand.say(eventText('node.pair.resolved', { nodeId: bench.identity.id, decision: 'approved' }));
    await expect.poll(() => sentTo(hand, 'connect').length).toBe(2);
  });

  it('reports its last state when it is closed', async () => {
    await using hand = await openGateway();
    const states: string[] = [];
    bench.connect(hand).onChange(({ is }) => states.push(is));
    await bench.becomes('connected');
    await bench.node.close();
    expect(states.at(-1)).toBe('off');
    await expect.poll(() => hand.connections.size).toBe(0);
  });
});
