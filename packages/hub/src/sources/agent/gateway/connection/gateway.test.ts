import { expect, test } from 'vitest';
import { openHandGateway, type HandRequest } from '../../../../../../../test/kit/openclaw/hand-gateway.ts';
import { eventually } from '../../../../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../../../../test/kit/temporary-folder.ts';
import { openIdentity } from '../../../../owner/device-identity.ts';
import { createGateway } from './gateway.ts';
import { runTurn } from '../turn/turn.ts';

const res = (id: string, payload: object): string => JSON.stringify({ type: 'res', id, ok: true, payload });
const welcome = (id: string): string[] => [
  res(id, {
    server: { version: 'x', bootId: 'boot' },
    auth: { scopes: [] },
    policy: { maxPayload: 60_000, tickIntervalMs: 30_000 },
  }),
];
const runIn = ({ params }: HandRequest): string => (params as { idempotencyKey: string }).idempotencyKey;
const final = (runId: string, text: string): string =>
  JSON.stringify({
    type: 'event',
    event: 'chat',
    payload: {
      runId,
      sessionKey: 'k',
      seq: 1,
      state: 'final',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
    },
  });

test('another gateway gets what comes from now on; what runs ends where it is', async () => {
  using home = temporaryFolder('gateway');
  await using first = await openHandGateway(welcome, ({ id }) => [res(id, { status: 'started' })]);
  await using second = await openHandGateway(welcome, (request) => [
    res(request.id, { status: 'started' }),
    final(runIn(request), 'second'),
  ]);
  let { url } = first;
  const gateway = createGateway({
    find: () => ({ url, credential: { token: 't' }, how: 'a test' }),
    identity: () => openIdentity(home.path),
  });
  const slow = runTurn(gateway, { message: 'x', sessionKey: 'a' });
  const isSent = (): boolean => first.requests.some(({ method }) => method === 'chat.send');
  expect(await eventually(isSent)).toBe(true);
  gateway.reconsider();
  ({ url } = second);
  gateway.reconsider();
  expect(await runTurn(gateway, { message: 'y', sessionKey: 'b' })).toMatchObject({ text: 'second' });
  first.say(final(runIn(first.requests.find(({ method }) => method === 'chat.send')!), 'first'));
  expect(await slow).toMatchObject({ kind: 'final', text: 'first' });
  expect(await eventually(() => first.connections.size === 0)).toBe(true);
  expect(second.connections.size).toBe(1);
  gateway.close();
});
