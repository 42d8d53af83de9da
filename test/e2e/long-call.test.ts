import { expect, it } from 'vitest';
import { startHub } from '../kit/hub.ts';
import { callText, INITIALIZE, listText, parseAnswer, textOf } from '../kit/messages.ts';
import { stdioServer } from '../kit/servers.ts';

const SLOW = callText('pipe__slow', { args: '{"ms":1500}' });

it('a call that is silent for long shows signs of life to those who take a stream', async () => {
  await using hub = await startHub({
    servers: { pipe: stdioServer() },
    config: { limits: { keepAliveMs: 200 } },
  });
  const stream = await hub.connect().post(SLOW);
  expect(stream.headers['content-type']).toBe('text/event-stream');
  expect(stream.body.match(/^:/gm)?.length ?? 0).toBeGreaterThan(1);
  expect(stream.messages).toHaveLength(1);
  expect(textOf(parseAnswer(stream.messages[0]!))).toBe('waited 1500 ms');
  const plain = await hub.connect().post(SLOW, { headers: { accept: 'application/json' } });
  expect(plain.headers['content-type']).toBe('application/json');
  expect(textOf(parseAnswer(plain.body))).toBe('waited 1500 ms');
});

it('progress comes before the answer, with the token that was given', async () => {
  await using hub = await startHub({ servers: { pipe: stdioServer() } });
  const meta = '"progressToken":12345678901234567890';
  const body = callText('pipe__progress', { args: '{"steps":3,"everyMs":5}', meta });
  const { messages } = await hub.connect().post(body);
  expect(messages).toHaveLength(4);
  for (const message of messages.slice(0, 3))
    expect(message).toContain('"progressToken":12345678901234567890,');
  const plain = await hub.connect().post(body, { headers: { accept: 'application/json' } });
  expect(plain.messages).toHaveLength(1);
});

it('sessions beyond the cap push out those that were idle longest', async () => {
  await using hub = await startHub({
    servers: { pipe: stdioServer() },
    config: { limits: { maxSessionsPerCredential: 3 } },
  });
  const begin = async (): Promise<Record<string, string>> => ({
    'mcp-session-id': String((await hub.post(INITIALIZE)).headers['mcp-session-id']),
  });
  const sessions = [await begin(), await begin(), await begin()];
  expect((await hub.post(listText(), { headers: sessions[0]! })).status).toBe(200);
  const newest = await begin();
  const statuses: number[] = [];
  for (const headers of [...sessions, newest])
    statuses.push((await hub.post(listText(), { headers })).status);
  expect(statuses).toEqual([200, 404, 200, 200]);
});
