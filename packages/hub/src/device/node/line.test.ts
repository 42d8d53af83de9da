/** Traffic on the connection of a node: commands of the gateway, and actions of a person on a canvas. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventText, welcomeText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import type { HandGateway } from '../../../../../test/kit/openclaw/fake-gateway.ts';
import {
  openNodeBench,
  openOpenGateway,
  sentTo,
  type NodeBench,
} from '../../../../../test/kit/openclaw/node.ts';
import type { GatewayNodeParts, InvocationResult } from './parts.ts';

interface Answered {
  readonly id: string;
  readonly ok: boolean;
  readonly payloadJSON?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

const answered = (hand: HandGateway): Answered[] => sentTo(hand, 'node.invoke.result') as Answered[];

/** `a.wait` runs until it is aborted. */
const invoke: GatewayNodeParts['invoke'] = async ({ command, paramsJSON, signal }) => {
  if (command === 'a.echo') return { ok: true, payloadJSON: paramsJSON };
  const stopped = Promise.withResolvers<InvocationResult>();
  signal.addEventListener('abort', () =>
    stopped.resolve({ ok: false, error: { code: 'ABORTED', message: String(signal.reason) } }),
  );
  return stopped.promise;
};

let bench: NodeBench;

beforeEach(() => {
  bench = openNodeBench({ commands: () => ({ caps: ['a'], commands: ['a.echo', 'a.wait'] }), invoke });
});
afterEach(() => bench[Symbol.asyncDispose]());

describe('a command of the gateway', () => {
  it('runs even right after the welcome, but not before it', async () => {
    await using hand = await openOpenGateway((id) => [
      bench.order('early'),
      welcomeText(id),
      bench.order('first', { paramsJSON: '{"n":1}' }),
    ]);
    bench.connect(hand);
    await expect
      .poll(() => answered(hand))
      .toEqual([{ id: 'first', nodeId: bench.identity.id, ok: true, payloadJSON: '{"n":1}' }]);
  });

  it.each([
    ['Invalid command format', { command: 'a b' }],
    ['Invalid command format', { command: 'x'.repeat(101) }],
    ['Command not supported: b.other', { command: 'b.other' }],
  ])('is refused: %s', async (message, more) => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    hand.say(bench.order('i', more));
    await expect.poll(() => answered(hand)).toMatchObject([{ id: 'i', ok: false, error: { message } }]);
  });

  it('is refused if eight are running, or if its id is in use', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    for (let at = 0; at < 8; at++) hand.say(bench.order(`w${at}`, { command: 'a.wait' }));
    hand.say(bench.order('w0', { command: 'a.wait' }));
    hand.say(bench.order('ninth', { command: 'a.echo' }));
    await expect
      .poll(() => answered(hand))
      .toMatchObject([
        { id: 'w0', error: { message: 'duplicate active request id' } },
        { id: 'ninth', error: { message: 'node busy, retry' } },
      ]);
    hand.say(eventText('node.invoke.cancel', { invokeId: 'w1', nodeId: bench.identity.id }));
    await expect
      .poll(() => {
        hand.say(bench.order(crypto.randomUUID()));
        return answered(hand).some(({ ok }) => ok);
      })
      .toBe(true);
    expect(answered(hand).some(({ id }) => id === 'w1')).toBe(false);
  });

  it('times out after the timeout of the gateway', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    hand.say(bench.order('i', { command: 'a.wait', timeoutMs: 400 }));
    await expect
      .poll(() => answered(hand))
      .toMatchObject([{ id: 'i', ok: false, error: { code: 'TIMEOUT' } }]);
  });

  it('is stopped when the connection is lost', async () => {
    await using hand = await openOpenGateway();
    const stopped = Promise.withResolvers<void>();
    bench.connect(hand, {
      invoke: async ({ signal }) => {
        signal.addEventListener('abort', () => stopped.resolve());
        await stopped.promise;
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await bench.becomes('connected');
    hand.say(bench.order('i'));
    await expect.poll(() => hand.requests.length).toBeGreaterThan(2);
    for (const socket of hand.connections) socket.destroy();
    await stopped.promise;
  });

  it('whose answer exceeds the limit of the gateway fails, and the connection stays', async () => {
    await using hand = await openOpenGateway((id) => [welcomeText(id, { maxPayload: 2_000 })]);
    bench.connect(hand);
    await bench.becomes('connected');
    hand.say(bench.order('big', { paramsJSON: JSON.stringify({ text: 'x'.repeat(4_000) }) }));
    await expect
      .poll(() => answered(hand))
      .toMatchObject([{ id: 'big', ok: false, error: { code: 'PAYLOAD_TOO_LARGE' } }]);
    expect(sentTo(hand, 'connect')).toHaveLength(1);
  });

  it('that fails inside of Pincer returns no details', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand, { invoke: () => Promise.reject(new Error('/secret/path')) });
    await bench.becomes('connected');
    hand.say(bench.order('i'));
    await expect
      .poll(() => answered(hand))
      .toMatchObject([{ id: 'i', ok: false, error: { code: 'UNAVAILABLE' } }]);
    expect(JSON.stringify(answered(hand))).not.toContain('secret');
  });

  it('reports progress', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand, {
      invoke: async ({ progress }) => {
        progress({ progress: 1, total: 2 });
        return { ok: true, payloadJSON: '{}' };
      },
    });
    await bench.becomes('connected');
    hand.say(bench.order('i'));
    await expect
      .poll(() => sentTo(hand, 'node.invoke.progress'))
      .toEqual([{ invokeId: 'i', nodeId: bench.identity.id, seq: 0, chunk: '{"progress":1,"total":2}' }]);
  });
});

describe('an action of a person on a canvas', () => {
  it('goes to the agent that shows the canvas, if a gateway is connected', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    expect(await bench.node.sendAction({ message: 'clicked', sessionKey: 's', key: 'k' })).toBe(true);
    const [{ event, payloadJSON } = { event: '', payloadJSON: '{}' }] = sentTo(hand, 'node.event') as {
      event: string;
      payloadJSON: string;
    }[];
    expect([event, JSON.parse(payloadJSON)]).toEqual([
      'agent.request',
      { message: 'clicked', sessionKey: 's', key: 'k', thinking: 'low', deliver: false },
    ]);
  });

  it('is dropped without a gateway', async () => {
    bench.connect({ url: '' }, { find: () => ({ reason: 'none' }) });
    expect(await bench.node.sendAction({ message: 'clicked' })).toBe(false);
  });
});
