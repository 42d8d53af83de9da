import { Duplex } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createCatalog, type Catalog } from '../../core/catalog.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import type { Message } from '../../core/wire/message.ts';
import type { Dispatch, Sender } from './dispatch.ts';
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

/** The other end of the pipes: what the test says, and the lines that came back. */
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
  readonly catalog: Catalog;
  readonly slots: Slots;
}

function bench(over: Partial<Limits> = {}, dispatch?: Dispatch): Bench {
  const limits: Limits = { ...DEFAULT_LIMITS, ...over };
  const client = new Client();
  const credential = { isValid: true };
  const asked: Asked[] = [];
  const catalog = createCatalog((text) => text.padEnd(32, '0'));
  const slots = createSlots(limits);
  const note: Dispatch = (message, sender, reply) => {
    asked.push({ message, sender, reply });
    return undefined;
  };
  const parts = { dispatch: dispatch ?? note, catalog, slots, limits, log: QUIET };
  const isValid = (): boolean => credential.isValid;
  serveStdio(parts, client, {
    endMark: END_MARK,
    caller: { id: 'c', name: 'c', scopes: {} },
    view: undefined,
    isValid,
  });
  return { client, credential, asked, catalog, slots };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const call = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"x"}}\n`;
const result = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

describe('lines', () => {
  it('are messages, wherever the stream is cut', async () => {
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

  it('answers are one line each, whatever line breaks the server put between tokens', async () => {
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
  ])('%s is answered with %i', async (line, code, id) => {
    const { client, asked } = bench();
    client.say(`${line}\n{"jsonrpc":"2.0","method":"after"}\n`);
    await settled();
    expect(client.answers).toMatchObject([{ id, error: { code } }]);
    expect(asked.map(({ message }) => message.method)).toEqual(['after']);
  });

  it('that are too long are refused, and the next is read', async () => {
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

  it('are told by what arrives, message by message', async () => {
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
      '{"jsonrpc":"2.0","id":2,"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}\n',
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
    const [first, second] = one.asked.map(({ sender }) => sender.session);
    expect(first).toBe(second);
    expect(other.asked[0]!.sender.session).not.toBe(first);
  });
});

describe('slots', () => {
  it('are held by calls until they are answered, and by nothing else', async () => {
    const { client, asked, slots } = bench();
    client.say('{"jsonrpc":"2.0","id":9,"method":"tools/list"}\n{"jsonrpc":"2.0","method":"n"}\n');
    client.say(call(1) + call(2));
    await settled();
    expect(slots.inUse).toBe(2);
    asked.find(({ message }) => message.id === '1')!.reply.answer(result(1), 200);
    expect(slots.inUse).toBe(1);
  });

  it('a call that finds none is told so', async () => {
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

  it('a call that could not be handled gives its slot back', async () => {
    const { client, slots } = bench({}, () => {
      throw new TypeError('broken');
    });
    client.say(call(1));
    await settled();
    expect(slots.inUse).toBe(0);
    expect(client.answers).toMatchObject([{ error: { code: -32603, message: 'Internal error' } }]);
  });
});

describe('changes of the list', () => {
  it('are told once for many, and only after the client has initialized', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { client, catalog } = bench();
      catalog.configure([{ name: 'a', prefix: 'a' }]);
      vi.advanceTimersByTime(1_000);
      expect(client.lines).toEqual([]);
      client.say('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      await settled();
      catalog.put('a', []);
      catalog.configure([{ name: 'b', prefix: 'b' }]);
      vi.advanceTimersByTime(1_000);
      expect(client.answers).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the end', () => {
  it('of what the client says leaves it its answers', async () => {
    const { client, asked } = bench();
    client.say(`${call(1)}${END_MARK}\n`);
    await settled();
    expect(client.writableEnded).toBe(false);
    asked[0]!.reply.answer(result(1), 200);
    await settled();
    expect(client.answers).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(client.writableEnded).toBe(true);
  });

  it('of what the client says is the end at once where nothing is owed', async () => {
    const { client } = bench();
    client.say(`{"jsonrpc":"2.0","method":"n"}\n${END_MARK}\n`);
    await settled();
    expect(client.writableEnded).toBe(true);
  });

  it.each([
    ['breaks', (client: Client): void => void client.destroy()],
    ['ends without a goodbye', (client: Client): void => void client.push(null)],
  ])('of a stream that %s cancels every call under way', async (_how, end) => {
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

  it('comes with the next message once the credential has been revoked', async () => {
    const { client, credential, asked } = bench();
    client.say('{"jsonrpc":"2.0","method":"a"}\n');
    await settled();
    credential.isValid = false;
    client.say('{"jsonrpc":"2.0","method":"b"}\n');
    await settled();
    expect(asked.map(({ message }) => message.method)).toEqual(['a']);
    expect(client.destroyed).toBe(true);
  });

  it('stops telling of changes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { client, catalog } = bench();
      client.say('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      await settled();
      client.destroy();
      await settled();
      catalog.configure([]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
