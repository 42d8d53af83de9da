import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { responseText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import { connectFirst, type FirstConnection } from './first-connection.ts';

let folder: ReturnType<typeof temporaryFolder>;
let identity: DeviceIdentity;
beforeEach(() => {
  folder = temporaryFolder('first-connection');
  identity = openIdentity(folder.path);
});
afterEach(() => folder[Symbol.dispose]());

const accept = (id: string): string =>
  responseText(id, { server: { version: 'x' }, auth: { deviceToken: 'own' }, policy: {} });

const refuse = (id: string, details: object, code = 'NOT_PAIRED'): string =>
  JSON.stringify({ type: 'res', id, ok: false, error: { code, message: 'no', details } });

const connect = ({ url }: Pick<HandGateway, 'url'>, more: Partial<FirstConnection> = {}): Promise<void> =>
  connectFirst({
    identity,
    gateway: { url },
    credential: { bootstrapToken: 'once' },
    onPending: () => undefined,
    signal: new AbortController().signal,
    ...more,
  });

describe('the first connection to a gateway', () => {
  it('sends the given credential and replaces the saved token by the new one', async () => {
    await using hand = await openHandGateway(
      (id) => [accept(id)],
      ({ id }) => [responseText(id, { tools: [] })],
    );
    identity.keepToken(hand.url, 'old', 'node');
    await connect(hand);
    expect(hand.requests[0]?.params).toMatchObject({
      role: 'node',
      commands: [],
      auth: { bootstrapToken: 'once' },
    });
    expect(identity.tokenFor(hand.url, 'node')).toBe('own');
  });

  it('reports a pending approval and waits', async () => {
    await using hand = await openHandGateway((id) => [
      refuse(id, { code: 'PAIRING_REQUIRED', requestId: 'r-1' }),
    ]);
    const pending = Promise.withResolvers<string | undefined>();
    const timeout = new AbortController();
    const done = connect(hand, {
      credential: { token: 'shared' },
      onPending: ({ requestId }) => pending.resolve(requestId),
      signal: timeout.signal,
    });
    expect(await pending.promise).toBe('r-1');
    timeout.abort();
    await done;
    expect(identity.tokenFor(hand.url, 'node')).toBeUndefined();
  });

  it('reports why it was refused and keeps the saved token', async () => {
    await using hand = await openHandGateway((id) => [
      refuse(id, { code: 'AUTH_BOOTSTRAP_TOKEN_INVALID' }, 'INVALID_REQUEST'),
    ]);
    identity.keepToken(hand.url, 'good', 'node');
    await expect(connect(hand)).rejects.toThrow('refused the token');
    // A wrong code does not undo an older pairing.
    expect(identity.tokenFor(hand.url, 'node')).toBe('good');
  });
});
