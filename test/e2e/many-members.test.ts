/** An object with very many members must not keep the hub from everybody else. */
import { expect, it } from 'vitest';
import { startHub } from '../kit/hub.ts';
import { callText, parseAnswer, request, textOf } from '../kit/messages.ts';
import { stdioServer } from '../kit/servers.ts';

const members = Array.from({ length: 300_000 }, (_, index) => `"k${index}":0`).join(',');
/** A generous bound for a hang. */
const BOUND_MS = 30_000;

it.each([
  ['params', request('ping', `{${members}}`)],
  ['the envelope', `{"jsonrpc":"2.0","id":1,"method":"ping",${members}}`],
  ['_meta', callText('pipe__echo', { args: '{"message":"x"}', meta: members })],
  ['arguments', callText('pipe__echo', { args: `{"message":"x",${members}}` })],
  [
    "a server's answer",
    callText('pipe__big_number', { args: JSON.stringify({ literal: '{"content":[]}', envelope: members }) }),
  ],
])('in %s', async (_where, body) => {
  await using hub = await startHub({ servers: { pipe: stdioServer() } });
  const reply = await hub.connect().post(body, { signal: AbortSignal.timeout(BOUND_MS) });
  // To take it and to refuse it are both right.
  expect([200, 400, 413]).toContain(reply.status);
  expect(parseAnswer(reply.messages.at(-1)!).id).toBe(1);
  expect(textOf(await hub.call('pipe__echo', { message: 'well' }))).toBe('well');
});
