import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { responseText, welcomeText } from '../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway } from '../../../../test/kit/openclaw/hand-gateway.ts';
import { openIdentity } from '../owner/device-identity.ts';
import { OPERATOR } from './handshake.ts';
import { openSocket, type GatewaySocket } from './socket.ts';

const home = mkdtempSync(join(tmpdir(), 'pincer-socket-'));
afterAll(() => rmSync(home, { recursive: true }));

const open = (url: string): Promise<GatewaySocket> =>
  openSocket(
    { url, credential: undefined, how: 'a test' },
    {
      identity: openIdentity(home),
      auth: undefined,
      purpose: { ...OPERATOR, scopes: [], caps: [] },
      ending: new AbortController().signal,
    },
    () => undefined,
  );

describe('a socket to a gateway', () => {
  it.each([
    ['greets with nothing', (id: string) => responseText(id, null)],
    ['greets with something else', (id: string) => responseText(id, { ok: true })],
    ['refuses without a reason', (id: string) => JSON.stringify({ type: 'res', id, ok: false })],
  ])('that %s is no gateway, and is closed', async (_, welcome) => {
    await using hand = await openHandGateway((id) => [welcome(id)]);
    await expect(open(hand.url)).rejects.toMatchObject({ code: 'SERVER_PROTOCOL' });
    await expect.poll(() => hand.connections.size).toBe(0);
  });

  it('answers nothing with nothing in it', async () => {
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      ({ id }) => [responseText(id, null)],
    );
    const socket = await open(hand.url);
    expect(await socket.request('any', {})).toEqual({});
    socket.close();
  });

  it('that answers no more is told of without what may be a secret', async () => {
    await expect(open('ws://127.0.0.1:1/?token=secret')).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringMatching(/^[^?]*at ws:\/\/127\.0\.0\.1:1: [^?]*[^.]\.$/),
    });
  });
});
