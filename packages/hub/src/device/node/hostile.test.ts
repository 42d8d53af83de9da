/** Gateways that lie, fall silent, or say what no gateway says. */
import { connect as connectPlain } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameOf } from '../../../../../test/kit/openclaw/frames.ts';
import {
  eventText,
  refusalText,
  responseText,
  welcomeText,
} from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway } from '../../../../../test/kit/openclaw/hand-gateway.ts';
import {
  openNodeBench,
  openOpenGateway,
  sentTo,
  takeAll,
  type NodeBench,
} from '../../../../../test/kit/openclaw/node.ts';
import { PincerError } from '../../core/errors.ts';

let bench: NodeBench;
let invoked: string[];

beforeEach(() => {
  invoked = [];
  bench = openNodeBench({
    invoke: async ({ command, paramsJSON }) => {
      invoked.push(command);
      return { ok: true, payloadJSON: paramsJSON };
    },
  });
});
afterEach(() => bench[Symbol.asyncDispose]());

describe('a gateway that does not say goodbye', () => {
  it('is left all the same, and nothing that it still says is done', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    const [socket] = hand.connections;
    // It reads no more, so it never answers a goodbye, and goes on talking.
    socket!.removeAllListeners('data').pause();
    const closing = bench.node.close();
    hand.say(bench.order('late'));
    await closing;
    expect(invoked).toEqual([]);
  });
});

describe('the token of a device', () => {
  it.each(['AUTH_RATE_LIMITED', 'DEVICE_AUTH_SIGNATURE_EXPIRED', 'DEVICE_AUTH_NONCE_MISMATCH'])(
    'is not thrown away where the gateway complains of something else: %s',
    async (code) => {
      await using hand = await openOpenGateway((id) => [refusalText(id, { code })]);
      bench.identity.keepToken(hand.url, 'own', 'node');
      bench.connect(hand);
      await bench.becomes('backoff');
      expect(bench.identity.tokenFor(hand.url, 'node')).toBe('own');
      expect(sentTo(hand, 'connect')).toHaveLength(1);
    },
  );

  it('that is refused and cannot be thrown away is not shown again and again', async () => {
    await using hand = await openOpenGateway((id) => [
      refusalText(id, { code: 'AUTH_DEVICE_TOKEN_MISMATCH' }),
    ]);
    bench.identity.keepToken(hand.url, 'own', 'node');
    const fixed = {
      ...bench.identity,
      keepToken: () => {
        throw new Error('read-only');
      },
    };
    bench.connect(hand, { identity: fixed });
    await bench.becomes('backoff');
    await expect.poll(() => sentTo(hand, 'connect').length).toBe(1);
    expect(bench.node.state().nextTryAt).toBeGreaterThan(Date.now() + 10_000);
  });

  it('is not kept where it is no token', async () => {
    const welcome = (id: string): string =>
      responseText(id, {
        server: { version: 'x' },
        auth: { deviceToken: 'x'.repeat(100_000) },
        policy: {},
      });
    await using hand = await openOpenGateway((id) => [welcome(id)]);
    bench.connect(hand);
    await bench.becomes('connected');
    expect(bench.identity.tokenFor(hand.url, 'node')).toBeUndefined();
  });
});

describe('what somebody is told to run', () => {
  it.each(['r; rm -rf ~', 'r\n  openclaw nodes approve other', '$(reboot)', '-x', '', 'r'.repeat(200)])(
    'never holds an id that is none: %j',
    async (requestId) => {
      await using hand = await openOpenGateway((id) => [
        refusalText(id, { code: 'PAIRING_REQUIRED', requestId }),
      ]);
      bench.connect(hand);
      await bench.becomes('pending');
      const { hint, requestId: shown } = bench.node.state();
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
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    hand.say(text);
    // Still there, or there again.
    await expect
      .poll(() => {
        hand.say(bench.order(crypto.randomUUID()));
        return invoked.length;
      })
      .toBeGreaterThan(0);
  });

  it('harms nobody in the parameters of an order either', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    for (const paramsJSON of [deep, '{', '"', '{"a":1,"a":2}', 7, null, ['a']])
      hand.say(bench.order(crypto.randomUUID(), { paramsJSON }));
    await expect.poll(() => sentTo(hand, 'node.invoke.result').length).toBe(7);
    expect(sentTo(hand, 'connect')).toHaveLength(1);
  });

  it('ends the connection where it would fill the memory', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    const head = Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]);
    for (const socket of hand.connections) socket.write(head);
    await bench.becomes('backoff');
    await bench.becomes('connected');
  });

  it('is no more than noise where it is no text', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    const binary = frameOf('\u0000\u0001');
    binary[0] = 0x82;
    for (const socket of hand.connections) socket.write(binary);
    await expect
      .poll(() => {
        hand.say(bench.order(crypto.randomUUID()));
        return invoked.length;
      })
      .toBeGreaterThan(0);
  });
});

describe('a gateway that lets the node in and answers nothing', () => {
  it('is left, and not taken for one that is connected', async () => {
    await using hand = await openHandGateway((id) => [welcomeText(id)]);
    bench.connect(hand, { answerMs: 200 });
    await bench.becomes('backoff');
  });
});

describe('a gateway that does not stop talking', () => {
  it('has a few commands done at once, and hears of each of the others that the node is busy', async () => {
    await using hand = await openOpenGateway();
    const isOver = Promise.withResolvers<void>();
    bench.connect(hand, {
      invoke: async ({ command }) => {
        invoked.push(command);
        await isOver.promise;
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await bench.becomes('connected');
    for (let at = 0; at < 2_000; at++) hand.say(bench.order(`i${at}`));
    const results = (): object[] => sentTo(hand, 'node.invoke.result');
    await expect.poll(() => results().length).toBe(1_992);
    expect(invoked).toHaveLength(8);
    isOver.resolve();
    await expect.poll(() => results().length).toBe(2_000);
  });

  it('is not told again each time what the node has', async () => {
    let isSlow = false;
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      (request) => (isSlow ? [] : takeAll(request)),
    );
    bench.connect(hand);
    await bench.becomes('connected');
    isSlow = true;
    for (let at = 0; at < 500; at++)
      hand.say(eventText('node.pair.resolved', { nodeId: bench.identity.id, decision: 'approved' }));
    hand.say(bench.order('last'));
    // It is sent after all that the events before it led to.
    await expect.poll(() => sentTo(hand, 'node.invoke.result').length).toBe(1);
    const updates = sentTo(hand, 'node.pluginTools.update');
    expect(updates).toHaveLength(4);
  });
});

it('another gateway is shown nothing that the first has given', async () => {
  const welcome = (id: string): readonly string[] => [
    responseText(id, { server: { version: 'x' }, auth: { deviceToken: 'of the first' }, policy: {} }),
  ];
  await using first = await openOpenGateway(welcome);
  await using second = await openOpenGateway();
  let { url } = first;
  bench.connect(first, { find: () => ({ url, credential: undefined, how: 'a test' }) });
  await bench.becomes('connected');
  ({ url } = second);
  bench.node.reconsider();
  await expect.poll(() => sentTo(second, 'connect').length).toBe(1);
  expect(JSON.stringify(second.requests)).not.toContain('of the first');
  await expect.poll(() => first.connections.size).toBe(0);
});

describe('a time of a command', () => {
  it('that is short is not over at once', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand, {
      invoke: async ({ signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (signal.aborted) return { ok: false, error: { code: 'ABORTED', message: 'aborted' } };
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await bench.becomes('connected');
    hand.say(bench.order('i', { timeoutMs: 240 }));
    await expect.poll(() => sentTo(hand, 'node.invoke.result')[0]).toMatchObject({ id: 'i', ok: true });
  });
});

describe('settings that cannot be read', () => {
  it('are said to be why there is no gateway', async () => {
    bench.connect(
      { url: '' },
      {
        find: () => {
          throw new PincerError('CONFIG_UNREADABLE', 'openclaw.json is no JSON.', { hint: 'Mend it.' });
        },
      },
    );
    await bench.becomes('backoff');
    expect(bench.node.state()).toMatchObject({ reason: 'openclaw.json is no JSON.', hint: 'Mend it.' });
  });
});

it('a port that takes connections and says nothing is given up, and the node can be closed meanwhile', async () => {
  await using hand = await openOpenGateway();
  const { port } = new URL(hand.url);
  // Nobody upgrades here.
  const probe = connectPlain(Number(port), '127.0.0.1');
  bench.connect({ url: `${hand.url}/nowhere` });
  await bench.node.close();
  probe.destroy();
  expect(bench.node.state().is).toBe('off');
});
