import { describe, expect, it } from 'vitest';
import { createConnection, type Connection } from './connection.ts';

function connected(limits: { commandMs?: number; maxAnswerBytes?: number } = {}): {
  connection: Connection;
  sent: { id: number; method: string; params: object; sessionId?: string }[];
} {
  const sent: { id: number; method: string; params: object; sessionId?: string }[] = [];
  const connection = createConnection({
    write: (text) => void sent.push(JSON.parse(text.replace('\0', '')) as (typeof sent)[number]),
    commandMs: limits.commandMs ?? 30_000,
    maxAnswerBytes: limits.maxAnswerBytes ?? 1_000,
  });
  return { connection, sent };
}
const bytes = (...messages: object[]): Buffer =>
  Buffer.from(messages.map((message) => `${JSON.stringify(message)}\0`).join(''));

describe('commands to the browser', () => {
  it('get unique ids, and answers match in any order', async () => {
    const { connection, sent } = connected();
    const [a, b] = [connection.send('A'), connection.send('B', { x: 1 }, { session: 's' })];
    expect(sent).toEqual([
      { id: 1, method: 'A', params: {} },
      { id: 2, method: 'B', params: { x: 1 }, sessionId: 's' },
    ]);
    connection.receive(bytes({ id: 2, result: { b: true } }, { id: 1, result: { a: true } }));
    expect(await Promise.all([a, b])).toEqual([{ a: true }, { b: true }]);
  });

  it('accept answers split at any byte', async () => {
    const { connection } = connected();
    const answer = connection.send('A');
    for (const byte of bytes({ id: 1, result: { text: 'über' } })) connection.receive(Buffer.of(byte));
    expect(await answer).toEqual({ text: 'über' });
  });

  it("reject with the browser's error message", async () => {
    const { connection } = connected();
    const answer = connection.send('A');
    connection.receive(bytes({ id: 1, error: { code: -32_000, message: 'No target' } }));
    await expect(answer).rejects.toMatchObject({ kind: 'refused', message: 'No target' });
  });

  it('reject if an answer is too large, without affecting later ones', async () => {
    const { connection } = connected({ maxAnswerBytes: 100 });
    const [large, small] = [connection.send('A'), connection.send('B')];
    for (const part of [bytes({ id: 1, result: { data: 'x'.repeat(5_000) } }), bytes({ id: 2, result: {} })])
      for (let at = 0; at < part.length; at += 64) connection.receive(part.subarray(at, at + 64));
    await expect(large).rejects.toMatchObject({
      kind: 'refused',
      message: 'The answer has more than 100 bytes.',
    });
    expect(await small).toEqual({});
  });

  it('reject after the timeout', async () => {
    const { connection } = connected({ commandMs: 5 });
    await expect(connection.send('A')).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('reject when the browser ends, and afterwards', async () => {
    const { connection, sent } = connected();
    const answer = connection.send('A');
    connection.end('The browser has ended.');
    await expect(answer).rejects.toMatchObject({ kind: 'gone', message: 'The browser has ended.' });
    await expect(connection.send('B')).rejects.toMatchObject({ kind: 'gone' });
    expect(sent).toHaveLength(1);
  });
});

describe('events of the browser', () => {
  it('reach listeners with their session until they unsubscribe', () => {
    const { connection } = connected();
    const events: unknown[] = [];
    const stop = connection.onEvent((...event) => events.push(event));
    connection.receive(bytes({ method: 'E', params: { a: 1 }, sessionId: 's' }, { method: 'F' }));
    connection.receive(Buffer.from('no JSON\0[]\0'));
    stop();
    connection.receive(bytes({ method: 'G' }));
    expect(events).toEqual([
      ['E', { a: 1 }, 's'],
      ['F', {}, undefined],
    ]);
  });
});
