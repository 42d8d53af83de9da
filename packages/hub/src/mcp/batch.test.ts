import { describe, expect, it } from 'vitest';
import type { Log } from '../core/ports.ts';
import type { Running } from '../core/request.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import type { Message } from '../core/wire/message.ts';
import { Batch, readBatch } from './batch.ts';
import type { Reply } from './reply.ts';
import { verifies } from '../../../../test/verifies.ts';

const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

type Perform = (message: Message, reply: Reply) => Running | undefined;

function bench(text: string, perform: Perform) {
  const replies: unknown[] = [];
  const credential = { isValid: true };
  const running = new Map<string, Running>();
  const reply: Reply = {
    answer: (answer) => void replies.push(parseBytes(answer)),
    accept: () => void replies.push('accepted'),
    notify: (message) => void replies.push(`notify ${message}`),
    ask: (message) => replies.push(`ask ${message}`) > 0,
    linger: () => undefined,
    pause: () => void replies.push('paused'),
    goOn: () => credential.isValid,
  };
  const batch = new Batch(readBatch(text), { reply, running, log: QUIET, perform });
  return { batch, replies, running, credential };
}

const request = (id: number, method = 'ping'): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
const answerAtOnce: Perform = ({ id }, reply) => {
  if (id === undefined) reply.accept();
  else reply.answer(`{"id":${id}}`, 200);
  return undefined;
};

describe('a batch', () => {
  it('is answered in order, without answers to notifications', () => {
    verifies('004-3.1-batch-clients');
    const { batch, replies, running } = bench(
      `[ ${request(1)} , {"jsonrpc":"2.0","method":"n"},${request(2)}]`,
      answerAtOnce,
    );
    batch.start();
    expect(replies).toEqual([[{ id: 1 }, { id: 2 }]]);
    expect(running.size).toBe(0);
  });

  it('runs one message after the other', () => {
    const open: Reply[] = [];
    const { batch, replies, running } = bench(`[${request(1)},${request(2)}]`, (_message, reply) => {
      open.push(reply);
      return undefined;
    });
    batch.start();
    expect([open.length, running.size]).toEqual([1, 1]);
    open[0]!.notify('n');
    open[0]!.ask('a');
    open[0]!.answer('1', 200);
    open[0]!.answer('again', 200);
    expect(open).toHaveLength(2);
    open[1]!.accept();
    expect(replies).toEqual(['notify n', 'ask a', [1]]);
  });

  it('releases its slot while one of its calls waits for a person', () => {
    const { batch, replies } = bench(`[${request(1)}]`, (_message, reply) => {
      reply.pause();
      return answerAtOnce(_message, reply);
    });
    batch.start();
    expect(replies).toEqual(['paused', [{ id: 1 }]]);
  });

  it('runs no further message after its credential is revoked', () => {
    const performed: Reply[] = [];
    const { batch, replies, running, credential } =
      bench(`[${request(1)},${request(2)}]`, (_message, reply) => {
        performed.push(reply);
        return undefined;
      });
    batch.start();
    expect(performed[0]!.goOn()).toBe(true);
    credential.isValid = false;
    expect(performed[0]!.goOn()).toBe(false);
    performed[0]!.answer('{"id":1}', 200);
    expect(performed).toHaveLength(1);
    expect(replies).toEqual([[{ id: 1 }]]);
    expect(running.size).toBe(0);
  });

  it('answers each malformed message with an error', () => {
    const modern = '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}';
    const messages = [
      '7',
      '[]',
      '{"jsonrpc":"2.0","id":3,"method":"a","params":[]}',
      request(4, 'initialize'),
      `{"jsonrpc":"2.0","id":5,"method":"tools/list","params":${modern}}`,
      request(6),
    ];
    const { batch, replies } = bench(`[${messages.join(',')}]`, answerAtOnce);
    batch.start();
    expect(replies).toMatchObject([
      [
        { id: null, error: { code: -32600 } },
        { id: null, error: { code: -32600 } },
        { id: 3, error: { code: -32602 } },
        { id: 4, error: { code: -32600 } },
        { id: 5, error: { code: -32600 } },
        { id: 6 },
      ],
    ]);
  });

  it('continues after a message that could not be handled', () => {
    const { batch, replies } = bench(`[${request(1)},${request(2)}]`, (message, reply) => {
      if (message.id === '1') throw new TypeError('broken');
      return answerAtOnce(message, reply);
    });
    batch.start();
    expect(replies).toMatchObject([[{ error: { code: -32603 } }, { id: 2 }]]);
  });

  it('stops after the running message when it is cancelled', () => {
    const cancelled: string[] = [];
    const { batch, replies } =
      bench(`[${request(1)},${request(2, 'slow')},${request(3)}]`, (message, reply) => {
        if (message.method === 'ping') return answerAtOnce(message, reply);
        return {
          cancel(reason) {
            cancelled.push(reason);
            reply.answer('"cancelled"', 200);
          },
        };
      });
    batch.start();
    batch.cancel('over');
    batch.cancel('again');
    expect(cancelled).toEqual(['over']);
    expect(replies).toEqual([[{ id: 1 }, 'cancelled']]);
  });
});

describe('readBatch refuses', () => {
  it.each([
    ['[]', -32600],
    [`[${Array(101).fill(request(1)).join(',')}]`, -32600],
    ['[{]', -32700],
    ['[', -32700],
  ])('%.20s', (text, rpcCode) => {
    expect(() => readBatch(text)).toThrow(expect.objectContaining({ rpcCode }));
  });
});
