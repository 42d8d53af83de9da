import { Duplex } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { Log } from '../core/ports.ts';
import type { Message } from '../core/wire/message.ts';
import type { Dispatch, Sender } from './dispatch.ts';
import type { LegacyClient, OnClient } from './legacy-client.ts';
import type { Reply } from './reply.ts';
import { createSlots, type Slots } from './slots.ts';
import { serveStdio } from './stdio.ts';

const END_MARK = 'the-end';
const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The other end of the pipes: the test's lines, and the received lines. */
class Client extends Duplex {
  readonly lines: string[] = [];
  constructor() {
    super({ allowHalfOpen: true });
  }
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.lines.push(...chunk.toString('utf8').split('\n').slice(0, -1));
    done();
  }
  say(text: string): void {
    this.push(Buffer.from(text, 'utf8'));
  }
  get answers(): unknown[] {
    return this.lines.map((line) => JSON.parse(line) as unknown);
  }
}

interface Asked {
  readonly message: Message;
  readonly sender: Sender;
  readonly reply: Reply;
}

interface Bench {
  readonly client: Client;
  readonly credential: { isValid: boolean };
  readonly asked: Asked[];
  readonly clients: LegacyClient[];
  readonly gone: LegacyClient[];
  readonly slots: Slots;
}

function bench(over: Partial<Limits> = {}, dispatch?: Dispatch): Bench {
  const limits: Limits = { ...DEFAULT_LIMITS, ...over };
  const client = new Client();
  const credential = { isValid: true };
  const asked: Asked[] = [];
  const clients: LegacyClient[] = [];
  const gone: LegacyClient[] = [];
  const slots = createSlots(limits);
  const note: Dispatch = (message, sender, reply) => {
    asked.push({ message, sender, reply });
    return undefined;
  };
  const onClient: OnClient = (legacy) => {
    clients.push(legacy as LegacyClient);
    return () => gone.push(legacy as LegacyClient);
  };
  const parts = { dispatch: dispatch ?? note, onClient, slots, limits, log: QUIET };
  const isValid = (): boolean => credential.isValid;
  serveStdio(parts, client, {
    endMark: END_MARK,
    caller: { id: 'c', name: 'c', scopes: {} },
    view: undefined,
    isValid,
  });
  return { client, credential, asked, clients, gone, slots };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const call = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"x"}}\n`;
const result = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

describe('lines', () => {
  it('are messages, however the stream is cut', async () => {
    const { client, asked } = bench();
    for (const part of [
      '{"jsonrpc":"2.0","id":1,"me',
      'thod":"ping"}\r\n\n',
      '{"jsonrpc":"2.0","method":"n"}\n',
    ])
      client.say(part);
    await settled();
    expect(asked.map(({ message }) => message.method)).toEqual(['ping', 'n']);
  });

  it('contain one answer each, even if the server put line breaks between tokens', async () => {
    const { client, asked } = bench();
    client.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    await settled();
    asked[0]!.reply.answer('{"jsonrpc":"2.0",\r\n"id":1,\n"result":{}}', 200);
    expect(client.lines).toHaveLength(1);
    expect(client.answers).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it.each([
    ['{', -32700, null],
    ['[]', -32600, null],
    ['{"jsonrpc":"2.0","id":4,"method":"a","params":[]}', -32602, 4],
    ['{"jsonrpc":"2.0","id":4,"method":"a","method":"b"}', -32600, null],
  ])('%s is answered with error %i', async (line, code, id) => {
    const { client, asked } = bench();
    client.say(`${line}\n{"jsonrpc":"2.0","method":"after"}\n`);
    await settled();
    expect(client.answers).toMatchObject([{ id, error: { code } }]);
    expect(asked.map(({ message }) => message.method)).toEqual(['after']);
  });

  it('that are too long are refused, and reading continues', async () => {
    const { client, asked } = bench({ maxMessageBytes: 100 });
    client.say(
      `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(200)}"}\n{"jsonrpc":"2.0","method":"after"}\n`,
    );
    await settled();
    expect(client.answers).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(asked.map(({ message }) => message.method)).toEqual(['after']);
  });
});

describe('eras', () => {
  const META =
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';

  it('are detected per message', async () => {
    const { client, asked } = bench();
    client.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    client.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{${META}}}\n`);
    client.say(`{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{${META}}}\n`);
    await settled();
    expect(asked.map(({ sender }) => sender.era)).toEqual(['legacy', 'modern', 'modern']);
  });

  it('a modern request without its envelope is refused', async () => {
    const { client, asked } = bench();
    client.say('{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n');
    client.say(
      `{"jsonrpc":"2.0","id":2,"method":"a","params":{${META.replace('2026-07-28', '2099-01-01')}}}\n`,
    );
    await settled();
    expect(asked).toEqual([]);
    expect(client.answers).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, error: { code: -32022 } },
    ]);
  });

  it('one stream is one session', async () => {
    const one = bench();
    const other = bench();
    for (const { client } of [one, one, other]) client.say('{"jsonrpc":"2.0","method":"n"}\n');
    await settled();
    const [first, second] = one.asked.map(({ sender }) => sender.legacy);
    expect(first).toBe(second);
    expect(other.asked[0]!.sender.client.session).not.toBe(first!.session);
  });

  it('a modern client shares the session of its pipe and cannot be asked', async () => {
    const { client, asked } = bench();
    client.say('{"jsonrpc":"2.0","method":"n"}\n');
    client.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{${META}}}\n`);
    await settled();
    const [legacy, modern] = asked.map(({ sender }) => sender);
    expect(modern!.client.session).toBe(legacy!.client.session);
    expect(modern!.legacy).toBeUndefined();
  });
});

describe('slots', () => {
  it('are held by calls until they are answered', async () => {
    const { client, asked, slots } = bench();
    client.say('{"jsonrpc":"2.0","id":9,"method":"tools/list"}\n{"jsonrpc":"2.0","method":"n"}\n');
    client.say(call(1) + call(2));
    await settled();
    expect(slots.inUse).toBe(2);
    asked.find(({ message }) => message.id === '1')!.reply.answer(result(1), 200);
    expect(slots.inUse).toBe(1);
  });

  it.each(['resources/read', 'prompts/get', 'completion/complete'])('are held by %s too', async (method) => {
    const { client, slots } = bench();
    client.say(`{"jsonrpc":"2.0","id":1,"method":"${method}"}\n`);
    await settled();
    expect(slots.inUse).toBe(1);
  });

  it('are refused to a call if none is free', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { client, asked } = bench({ maxCalls: 1 });
      client.say(call(1) + call(2));
      await settled();
      vi.advanceTimersByTime(50);
      await settled();
      expect(asked).toHaveLength(1);
      expect(client.answers).toMatchObject([{ id: 2, error: { code: -32010 } }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are released if a call could not be handled', async () => {
    const { client, slots } = bench({}, () => {
      throw new TypeError('broken');
    });
    client.say(call(1));
    await settled();
    expect(slots.inUse).toBe(0);
    expect(client.answers).toMatchObject([{ error: { code: -32603, message: 'Internal error' } }]);
  });
});

describe('a client', () => {
  const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';

  it('is registered once it has initialized, and unregistered at its end', async () => {
    const { client, clients, gone, asked } = bench();
    client.say('{"jsonrpc":"2.0","method":"n"}\n');
    await settled();
    expect(clients).toEqual([]);
    client.say(INITIALIZED + INITIALIZED);
    await settled();
    expect(clients).toEqual([asked[0]!.sender.client]);
    clients[0]!.notify('notifications/tools/list_changed', '{}');
    expect(client.answers).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} },
    ]);
    expect(gone).toEqual([]);
    client.destroy();
    await settled();
    expect(gone).toEqual(clients);
  });

  it('that reads slowly loses notifications, not questions', async () => {
    const { client, clients } = bench({ maxUnsentToClientBytes: 10 });
    client.say(INITIALIZED);
    await settled();
    client.cork();
    clients[0]!.notify('a', '{}');
    clients[0]!.notify('b', '{}');
    clients[0]!.ask({ method: 'roots/list', params: '{}', answer: () => undefined });
    client.uncork();
    await settled();
    expect(client.answers).toMatchObject([{ method: 'a' }, { method: 'roots/list' }]);
  });

  it('that was slow continues as soon as it has read a little', async () => {
    const { client, asked } = bench({ maxUnsentToClientBytes: 10 });
    client.say(call(1));
    await settled();
    client.cork();
    asked[0]!.reply.answer(result(1), 200);
    client.say(call(2) + call(3));
    await settled();
    expect([asked.length, client.lines]).toEqual([1, []]);
    client.uncork();
    await settled();
    expect([asked.length, client.lines]).toEqual([3, [result(1)]]);
    client.say(call(4));
    await settled();
    expect(asked.length).toBe(4);
  });

  it('is asked on its line until its end mark', async () => {
    const { client, asked } = bench();
    client.say(call(1));
    await settled();
    const { legacy } = asked[0]!.sender;
    const answers: unknown[] = [];
    const question = { method: 'roots/list', params: '{}', answer: (it: unknown) => answers.push(it) };
    legacy!.ask(question, asked[0]!.reply);
    expect(client.answers).toMatchObject([{ method: 'roots/list', params: {} }]);
    client.say(`${END_MARK}\n`);
    await settled();
    expect(answers).toHaveLength(1);
    expect(legacy!.ask(question)).toBeUndefined();
  });
});

describe('a request that lingers', () => {
  const LISTEN = '{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{}}\n';

  it('counts as an open stream until it is answered', async () => {
    const { client, asked, slots } = bench({ maxStreamsPerCredential: 1 });
    client.say(LISTEN + LISTEN.replace('5', '6'));
    await settled();
    expect(asked.map(({ reply }) => reply.linger()?.status)).toEqual([undefined, 503]);
    expect(slots.streams.inUse).toBe(1);
    for (const { reply } of asked) reply.answer(result(5), 200);
    expect(slots.streams.inUse).toBe(0);
  });

  it('releases its slot', async () => {
    const { client, asked, slots } = bench();
    client.say(call(1));
    await settled();
    expect(slots.inUse).toBe(1);
    asked[0]!.reply.linger();
    expect([slots.inUse, slots.streams.inUse]).toEqual([0, 1]);
  });

  it('ends at the client’s end mark', async () => {
    const cancelled: string[] = [];
    const { client, slots } = bench({}, (message, { running }, reply) => {
      reply.linger();
      running.set(message.id!, {
        cancel(reason) {
          cancelled.push(reason);
          reply.accept();
        },
      });
      return undefined;
    });
    client.say(`${LISTEN}${END_MARK}\n`);
    await settled();
    expect(cancelled).toEqual(['the client stopped listening']);
    expect(client.lines).toEqual([]);
    expect(slots.streams.inUse).toBe(0);
    expect(client.writableEnded).toBe(true);
  });
});

describe('a batch', () => {
  const BATCH = `[${call(1).trim()},{"jsonrpc":"2.0","method":"n"},${call(2).trim()}]\n`;

  it('of a 2025-03-26 client is answered in one line and holds one slot', async () => {
    const { client, asked, slots } = bench();
    client.say('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}\n');
    await settled();
    asked[0]!.sender.legacy!.introduce(asked[0]!.message);
    client.say(BATCH);
    await settled();
    expect(asked.map(({ message }) => message.id)).toEqual(['0', '1']);
    expect(slots.inUse).toBe(1);
    asked[1]!.reply.answer(result(1), 200);
    asked[2]!.reply.accept();
    asked[3]!.reply.answer(result(2), 200);
    expect(client.answers).toEqual([[JSON.parse(result(1)), JSON.parse(result(2))]]);
    expect(slots.inUse).toBe(0);
  });

  it('of any other client is refused', async () => {
    const { client, asked } = bench();
    client.say(BATCH);
    await settled();
    expect(client.answers).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(asked).toEqual([]);
  });
});

describe('the end', () => {
  it('of the client’s input still delivers its answers', async () => {
    const { client, asked } = bench();
    client.say(`${call(1)}${END_MARK}\n`);
    await settled();
    expect(client.writableEnded).toBe(false);
    asked[0]!.reply.answer(result(1), 200);
    await settled();
    expect(client.answers).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(client.writableEnded).toBe(true);
  });

  it('of the client’s input closes the stream at once if no answer is due', async () => {
    const { client } = bench();
    client.say(`{"jsonrpc":"2.0","method":"n"}\n${END_MARK}\n`);
    await settled();
    expect(client.writableEnded).toBe(true);
  });

  it.each([
    ['breaks', (client: Client): void => void client.destroy()],
    ['ends without the end mark', (client: Client): void => void client.push(null)],
  ])('of a stream that %s cancels every running call', async (_how, end) => {
    const cancelled: string[] = [];
    const { client } = bench({}, (message, { running }) => {
      const going = { cancel: (reason: string) => void cancelled.push(`${message.id}: ${reason}`) };
      running.set(message.id!, going);
      return going;
    });
    client.say(call(1) + call(2));
    await settled();
    end(client);
    await settled();
    await settled();
    expect(client.destroyed).toBe(true);
    expect(cancelled).toEqual(['1: the client went away', '2: the client went away']);
  });

  it('comes with the next message after the credential was revoked', async () => {
    const { client, credential, asked } = bench();
    client.say('{"jsonrpc":"2.0","method":"a"}\n');
    await settled();
    credential.isValid = false;
    client.say('{"jsonrpc":"2.0","method":"b"}\n');
    await settled();
    expect(asked.map(({ message }) => message.method)).toEqual(['a']);
    expect(client.destroyed).toBe(true);
  });
});

describe('a call that waits for a person', () => {
  it('holds no slot until it continues', async () => {
    const { client, asked, slots } = bench();
    client.say(call(1) + call(2));
    await settled();
    const [first, second] = asked.map(({ reply }) => reply);
    first!.pause();
    second!.pause();
    expect([slots.inUse, slots.paused.inUse]).toEqual([0, 2]);
    expect(first!.goOn()).toBe(true);
    expect(first!.goOn()).toBe(true);
    expect([slots.inUse, slots.paused.inUse]).toEqual([1, 1]);
    first!.answer(result(1), 200);
    second!.answer(result(2), 200);
    expect([slots.inUse, slots.paused.inUse]).toEqual([0, 0]);
    second!.pause();
    expect(slots.paused.inUse).toBe(0);
  });

  it('does not continue with a revoked credential', async () => {
    const { client, asked, slots, credential } = bench();
    client.say(call(1));
    await settled();
    const { reply } = asked[0]!;
    reply.pause();
    credential.isValid = false;
    expect(reply.goOn()).toBe(false);
    reply.answer(result(1), 200);
    expect([slots.inUse, slots.paused.inUse]).toEqual([0, 0]);
  });
});
