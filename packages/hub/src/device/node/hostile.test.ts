/** Gateways that lie, fall silent, or send invalid messages. */
import { connect as connectPlain } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameOf } from '../../../../../test/kit/openclaw/frames.ts';
import {
  eventText,
  refusalText,
  responseText,
  welcomeText,
} from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway } from '../../../../../test/kit/openclaw/fake-gateway.ts';
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

describe('a gateway that does not answer the close', () => {
  it('is disconnected anyway, and its later commands do not run', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    const [socket] = hand.connections;
    // The gateway stops reading, so it never answers the close, but it goes on sending.
    socket!.removeAllListeners('data').pause();
    const closing = bench.node.close();
    hand.say(bench.order('late'));
    await closing;
    expect(invoked).toEqual([]);
  });
});

describe('the token of a device', () => {
  it.each(['AUTH_RATE_LIMITED', 'DEVICE_AUTH_SIGNATURE_EXPIRED', 'DEVICE_AUTH_NONCE_MISMATCH'])(
    'is kept if the gateway refuses for another reason: %s',
    async (code) => {
      await using hand = await openOpenGateway((id) => [refusalText(id, { code })]);
      bench.identity.keepToken(hand.url, 'own', 'node');
      bench.connect(hand);
      await bench.becomes('backoff');
      expect(bench.identity.tokenFor(hand.url, 'node')).toBe('own');
      expect(sentTo(hand, 'connect')).toHaveLength(1);
    },
  );

  it('that is refused and cannot be removed is not sent again and again', async () => {
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

  it('is not stored if it is invalid', async () => {
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

describe('a hint with a command', () => {
  it.each(['r; rm -rf ~', 'r\n  openclaw nodes approve other', '$(reboot)', '-x', '', 'r'.repeat(200)])(
    'never contains an invalid id: %j',
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

describe('an invalid message', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  it.each([
    ['null', 'null'],
    ['no JSON', '{'],
    ['a number', '7'],
    ['an event without a name', '{"type":"event"}'],
    ['an answer without a request', '{"type":"res","id":"x","ok":true}'],
    ['an answer without an id', '{"type":"res","ok":false}'],
    ['a request', '{"type":"req","id":"1","method":"ping"}'],
    ['an order without an id', eventText('node.invoke.request', { command: 'a.echo' })],
    ['an order that is a list', '{"type":"event","event":"node.invoke.request","payload":[1]}'],
    ['an order that is nothing', '{"type":"event","event":"node.invoke.request","payload":null}'],
    ['a cancel of nothing', eventText('node.invoke.cancel', {})],
    ['a second challenge', eventText('connect.challenge', { nonce: 'other', ts: 2 })],
    ['JSON of many levels', deep],
  ])('does no harm: %s', async (_, text) => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    hand.say(text);
    // Still connected, or connected again.
    await expect
      .poll(() => {
        hand.say(bench.order(crypto.randomUUID()));
        return invoked.length;
      })
      .toBeGreaterThan(0);
  });

  it('does no harm in the parameters of a command', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    for (const paramsJSON of [deep, '{', '"', '{"a":1,"a":2}', 7, null, ['a']])
      hand.say(bench.order(crypto.randomUUID(), { paramsJSON }));
    await expect.poll(() => sentTo(hand, 'node.invoke.result').length).toBe(7);
    expect(sentTo(hand, 'connect')).toHaveLength(1);
  });

  it('closes the connection if it would fill the memory', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    const head = Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]);
    for (const socket of hand.connections) socket.write(head);
    await bench.becomes('backoff');
    await bench.becomes('connected');
  });

  it('is ignored if it is binary', async () => {
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

describe('a gateway that accepts the node and answers nothing', () => {
  it('is disconnected, and does not count as connected', async () => {
    await using hand = await openHandGateway((id) => [welcomeText(id)]);
    bench.connect(hand, { answerMs: 200 });
    await bench.becomes('backoff');
  });
});

describe('a gateway that floods the node', () => {
  it('gets a few commands run at once, and "busy" for each of the others', async () => {
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

  it('does not cause one publication per event', async () => {
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
    // Its answer is sent after all effects of the events before it.
    await expect.poll(() => sentTo(hand, 'node.invoke.result').length).toBe(1);
    const updates = sentTo(hand, 'node.pluginTools.update');
    expect(updates).toHaveLength(4);
  });
});

it('another gateway does not get the token of the first', async () => {
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

describe('the timeout of a command', () => {
  it('that is short does not expire at once', async () => {
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

describe('unreadable settings', () => {
  it('are reported as the reason', async () => {
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

it('a node can be closed while a silent port keeps it waiting', async () => {
  await using hand = await openOpenGateway();
  const { port } = new URL(hand.url);
  // This path does not upgrade.
  const probe = connectPlain(Number(port), '127.0.0.1');
  bench.connect({ url: `${hand.url}/nowhere` });
  await bench.node.close();
  probe.destroy();
  expect(bench.node.state().is).toBe('off');
});
