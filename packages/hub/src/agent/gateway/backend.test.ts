import { describe, expect, it } from 'vitest';
import { responseText, welcomeText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import type { Order, OrderListener } from '../backend.ts';
import { createGatewayBackend, explainFailure } from './backend.ts';
import { createGateways } from './gateway.ts';

const ORDER: Order = {
  message: 'x',
  sessionKey: 'mcp:a:b',
  attachments: [],
  agentId: undefined,
  commands: false,
};
const LISTENER: OrderListener = { signal: new AbortController().signal, onProgress: () => undefined };

const refusal = (id: string, details: object): string =>
  JSON.stringify({ type: 'res', id, ok: false, error: { code: 'UNAVAILABLE', message: 'No.', details } });

/** RFC 6455: a close frame with the code 1009. */
const CLOSED_AS_TOO_BIG = Buffer.from([0x88, 2, 0x03, 0xf1]);

function hangUp({ connections }: HandGateway): void {
  for (const each of connections) each.destroy();
}

async function orderAt(hand: HandGateway, home: string) {
  const backend = createGatewayBackend({
    gateways: createGateways({
      find: () => ({ url: hand.url, credential: { token: 't' }, how: 'a test' }),
      identity: () => openIdentity(home),
    }),
    limits: DEFAULT_LIMITS,
    transcriber: () => undefined,
  });
  try {
    return await backend.run(ORDER, LISTENER);
  } finally {
    backend.close();
  }
}

describe('order that a gateway refuses', () => {
  it('did not run', async () => {
    using home = temporaryFolder('backend');
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      ({ id }) => [refusal(id, {})],
    );
    await expect(orderAt(hand, home.path)).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  });

  it('did not run if a proxy rejects its size', async () => {
    using home = temporaryFolder('backend');
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      () => {
        for (const each of hand.connections) each.write(CLOSED_AS_TOO_BIG);
        return [];
      },
    );
    await expect(orderAt(hand, home.path)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
  });

  it('may have run if it was accepted before a refused reconnection', async () => {
    using home = temporaryFolder('backend');
    let visits = 0;
    await using hand = await openHandGateway(
      (id) => [++visits === 1 ? welcomeText(id) : refusal(id, { code: 'AUTH_TOKEN_MISMATCH' })],
      ({ id }) => {
        setTimeout(() => hangUp(hand), 20);
        return [responseText(id, { status: 'started' })];
      },
    );
    expect(await orderAt(hand, home.path)).toMatchObject({
      kind: 'lost',
      reason: { code: 'TOKEN_INVALID' },
    });
  });

  it('may have run if the connection was lost before the refusal', async () => {
    using home = temporaryFolder('backend');
    let sends = 0;
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      ({ id }) => {
        if (++sends > 1) return [refusal(id, {})];
        setTimeout(() => hangUp(hand), 20);
        return [];
      },
    );
    expect(await orderAt(hand, home.path)).toMatchObject({ kind: 'lost', reason: { code: 'SERVER_BUSY' } });
  });
});

it.each([
  'Error: prepared model runtime plugin generation was superseded for /home/p/.openclaw/agents/main/agent',
  'prepared model runtime owner was not published for /home/p/.openclaw/agents/main/agent',
  'prepared model runtime refresh is pending',
  'prepared reply dispatch runtime owner was not published for main',
])('explains a configuration change without a path of the host: %s', (reason) => {
  expect(explainFailure(reason)).toEqual({
    message: 'OpenClaw was applying a configuration change, and its agent did not answer.',
    hint: 'Ask again in a moment.',
  });
});

it.each([
  ['HTTP 401: no such key', 'HTTP 401: no such key.', 'credentials'],
  ["The agent couldn't generate a response.", "The agent couldn't generate a response.", 'empty answer'],
  ['I prepared a model runtime.', 'I prepared a model runtime.', 'openclaw logs'],
])('reports other failures in the words of OpenClaw, with a hint: %s', (reason, message, hint) => {
  expect(explainFailure(reason)).toEqual({ message, hint: expect.stringContaining(hint) as string });
});
