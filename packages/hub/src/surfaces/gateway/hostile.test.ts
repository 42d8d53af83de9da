/** Gateways that lie, fall silent, or say what no gateway says. */
import { connect as connectPlain } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameOf } from '../../../../../test/kit/openclaw/frames.ts';
import { eventText, responseText, welcomeText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import {
  openHandGateway,
  type HandGateway,
  type HandRequest,
} from '../../../../../test/kit/openclaw/hand-gateway.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { PincerError } from '../../core/errors.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import { openGatewayNode } from './node.ts';
import type { GatewayNode, GatewayNodeParts } from './parts.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const CLOCK = { now: () => Date.now(), elapsed: () => performance.now() };
const WAIT = { timeout: 10_000 };

let folder: ReturnType<typeof temporaryFolder>;
let identity: DeviceIdentity;
let node: GatewayNode | undefined;
let invoked: string[];

beforeEach(() => {
  folder = temporaryFolder('hostile-gateway');
  identity = openIdentity(folder.path);
  invoked = [];
});
afterEach(async () => {
  await node?.close();
  node = undefined;
  folder[Symbol.dispose]();
});

function connect({ url }: Pick<HandGateway, 'url'>, more: Partial<GatewayNodeParts> = {}): GatewayNode {
  node = openGatewayNode({
    identity,
    find: () => ({ url, credential: { token: 'shared' }, how: 'a test' }),
    commands: () => ({ caps: ['a'], commands: ['a.echo'] }),
    invoke: async ({ command, paramsJSON }) => {
      invoked.push(command);
      return { ok: true, payloadJSON: paramsJSON };
    },
    publishes: () => false,
    tools: () => [],
    log: SILENT,
    clock: CLOCK,
    limits: { maxNodeCalls: 8 },
    ...more,
  });
  return node;
}

/** Takes whatever is published. */
const takeAll = ({ id, params }: HandRequest): readonly string[] => [responseText(id, params)];
const openGateway = (welcome = (id: string): readonly string[] => [welcomeText(id)]): Promise<HandGateway> =>
  openHandGateway(welcome, takeAll);
const becomes = (name: string): Promise<void> => expect.poll(() => node!.state().is, WAIT).toBe(name);
const refusal = (id: string, code: string, more: object = {}): string =>
  JSON.stringify({
    type: 'res',
    id,
    ok: false,
    error: { code: 'INVALID_REQUEST', message: 'no', details: { code, ...more } },
  });
const connects = ({ requests }: HandGateway): HandRequest[] =>
  requests.filter(({ method }) => method === 'connect');
const ask = (id: string, more: object = {}): string =>
  eventText('node.invoke.request', { id, nodeId: identity.id, command: 'a.echo', paramsJSON: '{}', ...more });

describe('a gateway that does not say goodbye', () => {
  it('is left all the same, and nothing that it still says is done', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    const [socket] = hand.connections;
    // It reads no more, so it never answers a goodbye, and goes on talking.
    socket!.removeAllListeners('data').pause();
    const closing = node!.close();
    hand.say(ask('late'));
    await closing;
    expect(invoked).toEqual([]);
  });
});

describe('the token of a device', () => {
  it.each(['AUTH_RATE_LIMITED', 'DEVICE_AUTH_SIGNATURE_EXPIRED', 'DEVICE_AUTH_NONCE_MISMATCH'])(
    'is not thrown away where the gateway complains of something else: %s',
    async (code) => {
      await using hand = await openGateway((id) => [refusal(id, code)]);
      identity.keepToken(hand.url, 'own', 'node');
      connect(hand);
      await becomes('backoff');
      expect(identity.tokenFor(hand.url, 'node')).toBe('own');
      expect(connects(hand)).toHaveLength(1);
    },
  );

  it('that is refused and cannot be thrown away is not shown again and again', async () => {
    await using hand = await openGateway((id) => [refusal(id, 'AUTH_DEVICE_TOKEN_MISMATCH')]);
    identity.keepToken(hand.url, 'own', 'node');
    const fixed = {
      ...identity,
      keepToken: () => {
        throw new Error('read-only');
      },
    };
    connect(hand, { identity: fixed });
    await becomes('backoff');
    await expect.poll(() => connects(hand).length).toBe(1);
    expect(node!.state().nextTryAt).toBeGreaterThan(Date.now() + 10_000);
  });

  it('is not kept where it is no token', async () => {
    const welcome = (id: string): string =>
      responseText(id, {
        server: { version: 'x' },
        auth: { deviceToken: 'x'.repeat(100_000) },
        policy: {},
      });
    await using hand = await openGateway((id) => [welcome(id)]);
    connect(hand);
    await becomes('connected');
    expect(identity.tokenFor(hand.url, 'node')).toBeUndefined();
  });
});

describe('what somebody is told to run', () => {
  it.each(['r; rm -rf ~', 'r\n  openclaw nodes approve other', '$(reboot)', '-x', '', 'r'.repeat(200)])(
    'never holds an id that is none: %j',
    async (requestId) => {
      await using hand = await openGateway((id) => [refusal(id, 'PAIRING_REQUIRED', { requestId })]);
      connect(hand);
      await becomes('pending');
      const { hint, requestId: shown } = node!.state();
      expect([hint, shown]).toEqual([expect.stringContaining('<id of openclaw devices list>'), undefined]);
    },
  );
});

describe('what no gateway says', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  it.each([
    ['null', 'null'],
    ['no JSON', '{'],
    ['a number', '7'],
    ['an event without a name', '{"type":"event"}'],
    ['an answer to nobody', '{"type":"res","id":"x","ok":true}'],
    ['an answer without an id', '{"type":"res","ok":false}'],
    ['a request', '{"type":"req","id":"1","method":"ping"}'],
    ['an order without an id', eventText('node.invoke.request', { command: 'a.echo' })],
    ['an order that is a list', '{"type":"event","event":"node.invoke.request","payload":[1]}'],
    ['an order that is nothing', '{"type":"event","event":"node.invoke.request","payload":null}'],
    ['a cancel of nothing', eventText('node.invoke.cancel', {})],
    ['a second challenge', eventText('connect.challenge', { nonce: 'other', ts: 2 })],
    ['JSON of many levels', deep],
  ])('harms nobody: %s', async (_, text) => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    hand.say(text);
    // Still there, or there again.
    await expect
      .poll(() => {
        hand.say(ask(crypto.randomUUID()));
        return invoked.length;
      }, WAIT)
      .toBeGreaterThan(0);
  });

  it('harms nobody in the parameters of an order either', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    for (const paramsJSON of [deep, '{', '"', '{"a":1,"a":2}', 7, null, ['a']])
      hand.say(ask(crypto.randomUUID(), { paramsJSON }));
    await expect
      .poll(() => hand.requests.filter(({ method }) => method === 'node.invoke.result').length, WAIT)
      .toBe(7);
    expect(connects(hand)).toHaveLength(1);
  });

  it('ends the connection where it would fill the memory', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    const head = Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]);
    for (const socket of hand.connections) socket.write(head);
    await becomes('backoff');
    await becomes('connected');
  });

  it('is no more than noise where it is no text', async () => {
    await using hand = await openGateway();
    connect(hand);
    await becomes('connected');
    const binary = frameOf('\u0000\u0001');
    binary[0] = 0x82;
    for (const socket of hand.connections) socket.write(binary);
    await expect
      .poll(() => {
        hand.say(ask(crypto.randomUUID()));
        return invoked.length;
      }, WAIT)
      .toBeGreaterThan(0);
  });
});

describe('a gateway that lets the node in and answers nothing', () => {
  it('is left, and not taken for one that is connected', async () => {
    await using hand = await openHandGateway((id) => [welcomeText(id)]);
    connect(hand, { answerMs: 200 });
    await becomes('backoff');
  });
});

describe('a gateway that does not stop talking', () => {
  it('has a few commands done at once, and hears of each of the others that the node is busy', async () => {
    await using hand = await openGateway();
    const isOver = Promise.withResolvers<void>();
    connect(hand, {
      invoke: async ({ command }) => {
        invoked.push(command);
        await isOver.promise;
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await becomes('connected');
    for (let at = 0; at < 2_000; at++) hand.say(ask(`i${at}`));
    const results = (): HandRequest[] =>
      hand.requests.filter(({ method }) => method === 'node.invoke.result');
    await expect.poll(() => results().length, WAIT).toBe(1_992);
    expect(invoked).toHaveLength(8);
    isOver.resolve();
    await expect.poll(() => results().length, WAIT).toBe(2_000);
  });

  it('is not told again each time what the node has', async () => {
    let isSlow = false;
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      (request) => (isSlow ? [] : takeAll(request)),
    );
    connect(hand);
    await becomes('connected');
    isSlow = true;
    for (let at = 0; at < 500; at++)
      hand.say(eventText('node.pair.resolved', { nodeId: identity.id, decision: 'approved' }));
    hand.say(ask('last'));
    await expect.poll(() => invoked.length, WAIT).toBe(1);
    const updates = hand.requests.filter(({ method }) => method === 'node.pluginTools.update');
    expect(updates).toHaveLength(4);
  });
});

it('another gateway is shown nothing that the first has given', async () => {
  const welcome = (id: string): readonly string[] => [
    responseText(id, { server: { version: 'x' }, auth: { deviceToken: 'of the first' }, policy: {} }),
  ];
  await using first = await openGateway(welcome);
  await using second = await openGateway();
  let { url } = first;
  connect(first, { find: () => ({ url, credential: undefined, how: 'a test' }) });
  await becomes('connected');
  ({ url } = second);
  node!.reconsider();
  await expect.poll(() => connects(second).length, WAIT).toBe(1);
  expect(JSON.stringify(second.requests)).not.toContain('of the first');
  await expect.poll(() => first.connections.size, WAIT).toBe(0);
});

describe('a time of a command', () => {
  it('that is short is not over at once', async () => {
    await using hand = await openGateway();
    connect(hand, {
      invoke: async ({ signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (signal.aborted) return { ok: false, error: { code: 'ABORTED', message: 'aborted' } };
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await becomes('connected');
    hand.say(ask('i', { timeoutMs: 240 }));
    await expect
      .poll(() => hand.requests.find(({ method }) => method === 'node.invoke.result')?.params, WAIT)
      .toMatchObject({ id: 'i', ok: true });
  });
});

describe('settings that cannot be read', () => {
  it('are said to be why there is no gateway', async () => {
    connect(
      { url: '' },
      {
        find: () => {
          throw new PincerError('CONFIG_UNREADABLE', 'openclaw.json is no JSON.', { hint: 'Mend it.' });
        },
      },
    );
    await becomes('backoff');
    expect(node!.state()).toMatchObject({ reason: 'openclaw.json is no JSON.', hint: 'Mend it.' });
  });
});

it('a port that takes connections and says nothing is given up, and the node can be closed meanwhile', async () => {
  await using hand = await openGateway();
  const { port } = new URL(hand.url);
  // Nobody upgrades here.
  const probe = connectPlain(Number(port), '127.0.0.1');
  connect({ url: `${hand.url}/nowhere` });
  await node!.close();
  probe.destroy();
  expect(node!.state().is).toBe('off');
});
