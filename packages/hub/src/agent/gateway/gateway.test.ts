import { expect, it, test } from 'vitest';
import { finalText, responseText, welcomeText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandRequest } from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { eventually } from '../../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import { createGateways, createKeyQueue } from './gateway.ts';
import { runTurn } from './turn.ts';

const welcome = (id: string): string[] => [welcomeText(id)];
const runIn = ({ params }: HandRequest): string => (params as { idempotencyKey: string }).idempotencyKey;
test('sends new orders to the new gateway, and lets running ones end at the old one', async () => {
  using home = temporaryFolder('gateway');
  await using first = await openHandGateway(welcome, ({ id }) => [responseText(id, { status: 'started' })]);
  await using second = await openHandGateway(welcome, (request) => [
    responseText(request.id, { status: 'started' }),
    finalText(runIn(request), 'second'),
  ]);
  let { url } = first;
  const gateways = createGateways({
    find: () => ({ url, credential: { token: 't' }, how: 'a test' }),
    identity: () => openIdentity(home.path),
  });
  const slow = runTurn(gateways.current().orders, { message: 'x', sessionKey: 'a' });
  const isSent = (): boolean => first.requests.some(({ method }) => method === 'chat.send');
  expect(await eventually(isSent)).toBe(true);
  gateways.reconsider();
  ({ url } = second);
  gateways.reconsider();
  expect(await runTurn(gateways.current().orders, { message: 'y', sessionKey: 'b' })).toMatchObject({
    text: 'second',
  });
  first.say(finalText(runIn(first.requests.find(({ method }) => method === 'chat.send')!), 'first'));
  expect(await slow).toMatchObject({ kind: 'final', text: 'first' });
  expect(await eventually(() => first.connections.size === 0)).toBe(true);
  expect(second.connections.size).toBe(1);
  gateways.close();
});

test('stops a run at the gateway where it started, even after a change of settings', async () => {
  using home = temporaryFolder('gateway');
  await using first = await openHandGateway(welcome, ({ id, method }) => [
    responseText(id, method === 'chat.abort' ? { aborted: true } : { status: 'started' }),
  ]);
  await using second = await openHandGateway(welcome);
  let { url } = first;
  const gateways = createGateways({
    find: () => ({ url, credential: { token: 't' }, how: 'a test' }),
    identity: () => openIdentity(home.path),
  });
  const taken = new AbortController();
  const run = runTurn(gateways.current().orders, { message: 'x', sessionKey: 'a', signal: taken.signal });
  const hasHeard = (method: string) => (): boolean => first.requests.some((each) => each.method === method);
  expect(await eventually(hasHeard('chat.send'))).toBe(true);
  ({ url } = second);
  gateways.reconsider();
  await gateways.current().orders.connect();
  taken.abort();
  expect(await eventually(hasHeard('chat.abort'))).toBe(true);
  expect(second.requests.map(({ method }) => method)).toEqual(['connect']);
  gateways.close();
  await run.catch(() => undefined);
});

it('runs work of one key in order, and other keys in parallel', async () => {
  const queue = createKeyQueue();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const failing = queue.run('a', async () => {
    await first.promise;
    order.push('first');
    throw new Error('failed');
  });
  const second = queue.run('a', async () => order.push('second'));
  await queue.run('b', async () => order.push('other'));
  expect(order).toEqual(['other']);
  first.resolve();
  await expect(failing).rejects.toThrow('failed');
  await second;
  expect(order).toEqual(['other', 'first', 'second']);
  await queue.run('a', async () => order.push('later'));
  expect(order.at(-1)).toBe('later');
});
