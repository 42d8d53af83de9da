import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventText, responseText, welcomeText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import {
  openHandGateway,
  type HandGateway,
  type HandRequest,
} from '../../../../../test/kit/openclaw/hand-gateway.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import { openGatewayNode } from './node.ts';
import type { Declared, GatewayNode, GatewayNodeParts, InvocationResult, PublishedTool } from './parts.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const CLOCK = { now: () => Date.now(), elapsed: () => performance.now() };
const TOOL: PublishedTool = {
  server: 'far',
  tool: 'echo',
  name: 'far__echo',
  description: 'Says it again.',
  parameters: { type: 'object' },
};

interface Answered {
  readonly id: string;
  readonly ok: boolean;
  readonly payloadJSON?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

let folder: ReturnType<typeof temporaryFolder>;
let identity: DeviceIdentity;
let node: GatewayNode | undefined;
let declared: Declared;
let tools: readonly PublishedTool[];
/** Which commands the gateway lets others use. */
let usable: readonly string[];

beforeEach(() => {
  folder = temporaryFolder('gateway-node');
  identity = openIdentity(folder.path);
  declared = { caps: ['a'], commands: ['a.echo', 'a.wait'] };
  tools = [];
  usable = ['a.echo'];
});
afterEach(async () => {
  await node?.close();
  node = undefined;
  folder[Symbol.dispose]();
});

const echo: GatewayNodeParts['invoke'] = async ({ command, paramsJSON, signal }) => {
  if (command === 'a.echo') return { ok: true, payloadJSON: paramsJSON };
  const stopped = Promise.withResolvers<InvocationResult>();
  signal.addEventListener('abort', () =>
    stopped.resolve({ ok: false, error: { code: 'ABORTED', message: String(signal.reason) } }),
  );
  return stopped.promise;
};

function connect({ url }: Pick<HandGateway, 'url'>, more: Partial<GatewayNodeParts> = {}): GatewayNode {
  node = openGatewayNode({
    identity,
    find: () => ({ url, credential: { token: 'shared' }, how: 'a test' }),
    commands: () => declared,
    invoke: echo,
    publishes: () => tools.length > 0,
    tools: () => tools,
    log: SILENT,
    clock: CLOCK,
    limits: { maxNodeCalls: 8 },
    ...more,
  });
  return node;
}

/** As a gateway answers a node: of published tools with those that it takes. */
function answer({ id, method, params }: HandRequest): readonly string[] {
  if (method !== 'node.pluginTools.update') return [responseText(id, {})];
  const { tools: sent } = params as { tools: { command: string }[] };
  return [responseText(id, { tools: sent.filter(({ command }) => usable.includes(command)) })];
}

const openGateway = (welcome = (id: string): readonly string[] => [welcomeText(id)]): Promise<HandGateway> =>
  openHandGateway(welcome, answer);

const becomes = (name: string): Promise<void> => expect.poll(() => node!.state().is, WAIT).toBe(name);
const WAIT = { timeout: 10_000 };

const ask = (id: string, more: object = {}): string =>
  eventText('node.invoke.request', { id, nodeId: identity.id, command: 'a.echo', paramsJSON: '{}', ...more });

const answered = ({ requests }: HandGateway): Answered[] =>
  requests.filter(({ method }) => method === 'node.invoke.result').map(({ params }) => params as Answered);

const of = (hand: HandGateway, method: string): object[] =>
  hand.requests.filter((request) => request.method === method).map(({ params }) => params);

const refusal = (id: string, details: object): string =>
  JSON.stringify({
    type: 'res',
    id,
    ok: false,
    error: { code: 'NOT_PAIRED', message: 'pairing required', details },
  });

describe('a node', () => {
  it('says what it is, what it can do, and that it has the key', async () => {
    await using hand = await openGateway();
    connect(hand, { name: 'desk' });
    await becomes('connected');
    expect(of(hand, 'connect')[0]).toMatchObject({
      role: 'node',
      scopes: [],
      client: { id: 'node-host', mode: 'node', displayName: 'desk' },
      caps: ['a'],
      commands: ['a.echo', 'a.wait'],
      auth: { token: 'shared' },
      device: { id: identity.id },
    });
  });

  it('is usable as far as the gateway says, and hears of an approval at once', async () => {
    usable = [];
    await using hand = await openGateway();
    connect(hand);
    await expect.poll(() => node!.state(), WAIT).toMatchObject({ is: 'paired', commands: { usable: [] } });
    usable = ['a.wait'];
    hand.say(eventText('node.pair.resolved', { nodeId: 'somebody else', decision: 'approved' }));
    hand.say(eventText('node.pair.resolved', { nodeId: identity.id, decision: 'approved' }));
    await expect
      .poll(() => node!.state(), WAIT)
      .toMatchObject({ is: 'connected', commands: { declared: ['a.echo', 'a.wait'], usable: ['a.wait'] } });
    expect(of(hand, 'connect')).toHaveLength(1);
  });

  it('comes back with what the gateway gave it, and with what it was told where that is no longer taken', async () => {
    const auths: unknown[] = [];
    await using hand = await openHandGateway((id) => {
      const { auth } = hand.requests.at(-1)!.params as { auth: object };
      auths.push(auth);
      if (!('deviceToken' in auth))
        return [responseText(id, { server: { version: 'x' }, auth: { deviceToken: 'own' }, policy: {} })];
      const error = { code: 'INVALID', message: 'no', details: { code: 'AUTH_DEVICE_TOKEN_MISMATCH' } };
      return [JSON.stringify({ type: 'res', id, ok: false, error })];
    }, answer);
    connect(hand);
    await becomes('connected');
    expect(identity.tokenFor(hand.url, 'node')).toBe('own');
    await node!.close();
    connect(hand);
    await becomes('connected');
    expect(auths).toEqual([{ token: 'shared' }, { deviceToken: 'own' }, { token: 'shared' }]);
  });

  it('that nobody has approved says so, with what to approve, and waits', async () => {
    await using hand = await openHandGateway((id) => [
      refusal(id, { code: 'PAIRING_REQUIRED', requestId: 'r-1' }),
    ]);
    connect(hand);
    await expect
      .poll(() => node!.state(), WAIT)
      .toMatchObject({
        is: 'pending',
        requestId: 'r-1',
        hint: expect.stringContaining('openclaw devices approve r-1'),
      });
    expect(of(hand, 'connect')).toHaveLength(1);
  });

  it('that was approved is there as soon as it is asked to look', async () => {
    let isKnown = false;
    await using hand = await openGateway((id) => [
      isKnown ? welcomeText(id) : refusal(id, { code: 'PAIRING_REQUIRED', requestId: 'r' }),
    ]);
    connect(hand);
    await becomes('pending');
    isKnown = true;
    node!.reconsider();
    await becomes('connected');
  });

  it('says nothing to a gateway that is elsewhere and speaks in clear text', async () => {
    connect({ url: 'ws://192.0.2.1:1' });
    await becomes('off');
    expect(node!.state().reason).toContain('clear text');
  });

  it('that has no gateway says why', async () => {
    connect({ url: '' }, { find: () => ({ reason: 'Nobody has set one up.' }) });
    await becomes('off');
    expect(node!.state().reason).toBe('Nobody has set one up.');
  });

  it('that reaches no gateway says which setting names one', async () => {
    const gone = await openGateway();
    await gone[Symbol.asyncDispose]();
    connect(gone);
    await becomes('backoff');
    expect(node!.state().hint).toContain('set device.gatewayUrl');
  });

  it('comes back when the connection is lost', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    for (const socket of hand.connections) socket.destroy();
    await becomes('backoff');
    expect(node!.state().nextTryAt).toBeGreaterThan(0);
    await becomes('connected');
  });

  it('comes back also where something may have changed while it connects', async () => {
    await using hand = await openGateway((id) => {
      node!.reconsider();
      return [welcomeText(id)];
    });
    connect(hand);
    await becomes('connected');
    for (const socket of hand.connections) socket.destroy();
    await expect.poll(() => of(hand, 'connect').length, WAIT).toBe(2);
    await becomes('connected');
  });

  it('notices a gateway that has fallen silent', async () => {
    await using hand = await openGateway((id) => [welcomeText(id, { tickIntervalMs: 100 })]);
    connect(hand);
    await becomes('connected');
    await becomes('backoff');
  });

  it('says anew what it can do when that has changed, and stays when it has not', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    node!.reconsider();
    node!.reconsider();
    expect(of(hand, 'connect')).toHaveLength(1);
    expect(of(hand, 'node.pluginTools.update')).toHaveLength(2);
    declared = { caps: ['a'], commands: ['a.echo'] };
    node!.reconsider();
    await expect.poll(() => of(hand, 'connect').length, WAIT).toBe(2);
    expect(of(hand, 'connect')[1]).toMatchObject({ commands: ['a.echo'] });
    await becomes('connected');
  });

  it('comes anew at once when it is told to', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    node!.refresh();
    await expect.poll(() => of(hand, 'connect').length, WAIT).toBe(2);
    await becomes('connected');
  });

  it('leaves a connection that the gateway takes for nobody’s, since another has come with the same key', async () => {
    let isReplaced = false;
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      (request) => {
        if (!isReplaced) return answer(request);
        isReplaced = false;
        return [
          JSON.stringify({
            type: 'res',
            id: request.id,
            ok: false,
            error: { code: 'X', message: 'unknown nodeId' },
          }),
        ];
      },
    );
    connect(hand);
    await becomes('connected');
    isReplaced = true;
    hand.say(eventText('node.pair.resolved', { nodeId: identity.id, decision: 'approved' }));
    await expect.poll(() => of(hand, 'connect').length, WAIT).toBe(2);
  });

  it('goes with its last word when it is closed', async () => {
    await using hand = await openGateway();
    const states: string[] = [];
    connect(hand).onChange(({ is }) => states.push(is));
    await becomes('connected');
    await node!.close();
    expect(states.at(-1)).toBe('off');
    await expect.poll(() => hand.connections.size, WAIT).toBe(0);
  });
});

describe('tools of other sources', () => {
  it('are published anew when they have changed', async () => {
    tools = [TOOL];
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    tools = [TOOL, { ...TOOL, tool: 'two', name: 'far__two' }];
    node!.reconsider();
    await expect
      .poll(() => of(hand, 'node.pluginTools.update').at(-1), WAIT)
      .toMatchObject({ tools: [{ name: 'far__echo' }, { name: 'far__two' }] });
    expect(of(hand, 'connect')).toHaveLength(1);
  });

  it('are published with the command that calls them, and replace what asked which commands may be used', async () => {
    tools = [TOOL];
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    expect(of(hand, 'connect')[0]).toMatchObject({
      caps: ['a', 'mcp'],
      commands: ['a.echo', 'a.wait', 'mcp.tools.call.v1'],
    });
    expect(of(hand, 'node.pluginTools.update').at(-1)).toEqual({
      tools: [
        {
          pluginId: 'node-mcp',
          name: 'far__echo',
          description: 'Says it again.',
          parameters: { type: 'object' },
          command: 'mcp.tools.call.v1',
          mcp: { server: 'far', tool: 'echo' },
        },
      ],
    });
  });
});

describe('a command of the gateway', () => {
  it('is done, also one that comes right behind the welcome; what comes before it is not heard', async () => {
    await using hand = await openGateway((id) => [
      ask('early'),
      welcomeText(id),
      ask('first', { paramsJSON: '{"n":1}' }),
    ]);
    connect(hand);
    await expect
      .poll(() => answered(hand), WAIT)
      .toEqual([{ id: 'first', nodeId: identity.id, ok: true, payloadJSON: '{"n":1}' }]);
  });

  it.each([
    ['Invalid command format', { command: 'a b' }],
    ['Invalid command format', { command: 'x'.repeat(101) }],
    ['Command not supported: b.other', { command: 'b.other' }],
  ])('is refused: %s', async (message, more) => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    hand.say(ask('i', more));
    await expect.poll(() => answered(hand), WAIT).toMatchObject([{ id: 'i', ok: false, error: { message } }]);
  });

  it('is refused where eight are being done, and where its id is in use', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    for (let at = 0; at < 8; at++) hand.say(ask(`w${at}`, { command: 'a.wait' }));
    hand.say(ask('w0', { command: 'a.wait' }));
    hand.say(ask('ninth', { command: 'a.echo' }));
    await expect
      .poll(() => answered(hand), WAIT)
      .toMatchObject([
        { id: 'w0', error: { message: 'duplicate active request id' } },
        { id: 'ninth', error: { message: 'node busy, retry' } },
      ]);
    hand.say(eventText('node.invoke.cancel', { invokeId: 'w1', nodeId: identity.id }));
    await expect
      .poll(() => {
        hand.say(ask(crypto.randomUUID()));
        return answered(hand).some(({ ok }) => ok);
      }, WAIT)
      .toBe(true);
    expect(answered(hand).some(({ id }) => id === 'w1')).toBe(false);
  });

  it('has the time that the gateway gives it, and then says that it is over', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    hand.say(ask('i', { command: 'a.wait', timeoutMs: 400 }));
    await expect
      .poll(() => answered(hand), WAIT)
      .toMatchObject([{ id: 'i', ok: false, error: { code: 'TIMEOUT' } }]);
  });

  it('is stopped when the connection is lost', async () => {
    await using hand = await openGateway();
    const stopped = Promise.withResolvers<void>();
    connect(hand, {
      invoke: async ({ signal }) => {
        signal.addEventListener('abort', () => stopped.resolve());
        await stopped.promise;
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await becomes('connected');
    hand.say(ask('i'));
    await expect.poll(() => hand.requests.length, WAIT).toBeGreaterThan(2);
    for (const socket of hand.connections) socket.destroy();
    await stopped.promise;
  });

  it('whose answer is larger than the gateway takes is answered with that, and the connection stays', async () => {
    await using hand = await openGateway((id) => [welcomeText(id, { maxPayload: 2_000 })]);
    connect(hand);
    await becomes('connected');
    hand.say(ask('big', { paramsJSON: JSON.stringify({ text: 'x'.repeat(4_000) }) }));
    await expect
      .poll(() => answered(hand), WAIT)
      .toMatchObject([{ id: 'big', ok: false, error: { code: 'PAYLOAD_TOO_LARGE' } }]);
    expect(of(hand, 'connect')).toHaveLength(1);
  });

  it('that fails inside of Pincer is answered without a word of that', async () => {
    await using hand = await openGateway();
    connect(hand, { invoke: () => Promise.reject(new Error('/secret/path')) });
    await becomes('connected');
    hand.say(ask('i'));
    await expect
      .poll(() => answered(hand), WAIT)
      .toMatchObject([{ id: 'i', ok: false, error: { code: 'UNAVAILABLE' } }]);
    expect(JSON.stringify(answered(hand))).not.toContain('secret');
  });

  it('tells how far it is', async () => {
    await using hand = await openGateway();
    connect(hand, {
      invoke: async ({ progress }) => {
        progress({ progress: 1, total: 2 });
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await becomes('connected');
    hand.say(ask('i'));
    await expect
      .poll(() => of(hand, 'node.invoke.progress'), WAIT)
      .toEqual([{ invokeId: 'i', nodeId: identity.id, seq: 0, chunk: '{"progress":1,"total":2}' }]);
  });
});

describe('what a person does on a canvas', () => {
  it('goes to the agent that shows it, where a gateway is connected', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    expect(await node!.sendAction({ message: 'clicked', sessionKey: 's', key: 'k' })).toBe(true);
    const [{ event, payloadJSON } = { event: '', payloadJSON: '{}' }] = of(hand, 'node.event') as {
      event: string;
      payloadJSON: string;
    }[];
    expect([event, JSON.parse(payloadJSON)]).toEqual([
      'agent.request',
      { message: 'clicked', sessionKey: 's', key: 'k', thinking: 'low', deliver: false },
    ]);
  });

  it('goes nowhere where none is', async () => {
    connect({ url: '' }, { find: () => ({ reason: 'none' }) });
    expect(await node!.sendAction({ message: 'clicked' })).toBe(false);
  });
});
