import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOn, HandClient, HandWire } from '../../../../../test/kit/fake-wire.ts';
import { PincerError } from '../../core/errors.ts';
import type { Era } from '../../core/protocol.ts';
import { toByteText } from '../../core/wire/byte-text.ts';
import type { Connection } from '../connection/connection.ts';
import { createWatch, type Watch } from './watch.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const GONE = new PincerError('SERVER_UNREACHABLE', 'It cannot be reached.');

interface Bench {
  readonly watch: Watch;
  /** The wires of all main connections, in order. */
  readonly wires: HandWire[];
  /** How often the main connection was requested. */
  readonly opened: number;
  /** Methods and URIs sent on the main connections, in order. */
  sent(): string[];
  /** Replaces the main connection. */
  reconnect(): Connection;
  isBroken: boolean;
}

function bench(era: Era = 'legacy'): Bench {
  const wires: HandWire[] = [];
  let connection: Connection | undefined;
  let opened = 0;
  const it: Bench = {
    isBroken: false,
    wires,
    get opened() {
      return opened;
    },
    watch: createWatch({
      timeoutMs: 1_000,
      async main() {
        opened++;
        await Promise.resolve();
        if (it.isBroken) throw GONE;
        return connection ?? it.reconnect();
      },
      current: () => (connection?.isOpen === true ? connection : undefined),
    }),
    reconnect() {
      const wire = new HandWire();
      wires.push(wire);
      connection = connectionOn(wire);
      connection.speak(era, undefined);
      it.watch.follow(connection, true);
      return connection;
    },
    sent: () =>
      wires.flatMap(({ messages }) =>
        messages.map(({ method, params }) =>
          `${method} ${(params!['uri'] as string | undefined) ?? ''}`.trim(),
        ),
      ),
  };
  return it;
}

/** Filter changes are gathered for this long. */
const gathered = (): Promise<unknown> => vi.advanceTimersByTimeAsync(50);
const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const updated = (uri: string): string => toByteText(`{"uri":${JSON.stringify(uri)},"n":1.0}`);

describe('a subscription at a legacy server', () => {
  it('is sent once for all subscribers, and cancelled with the last of them', async () => {
    const it = bench();
    const [a, b] = [new HandClient(), new HandClient()];
    it.reconnect();
    const first = it.watch.subscribe('a:b', a);
    await settled();
    it.wires[0]!.answer(it.wires[0]!.lastId, '{"ok":1.0}');
    expect(await first).toMatchObject({ result: '{"ok":1.0}' });
    await it.watch.subscribe('a:b', b);
    expect(it.sent()).toEqual(['resources/subscribe a:b']);
    expect(await it.watch.unsubscribe('a:b', a)).toBeUndefined();
    expect(it.sent()).toHaveLength(1);
    const last = it.watch.unsubscribe('a:b', b);
    await settled();
    it.wires[0]!.answer(it.wires[0]!.lastId, '{}');
    expect(await last).toMatchObject({ result: '{}' });
    expect(it.sent()).toEqual(['resources/subscribe a:b', 'resources/unsubscribe a:b']);
  });

  it('by the same client twice counts once', async () => {
    const it = bench();
    const client = new HandClient();
    it.reconnect();
    void it.watch.subscribe('a:b', client);
    void it.watch.subscribe('a:b', client);
    await settled();
    it.watch.updated(updated('a:b'));
    expect(client.notified).toHaveLength(1);
    void it.watch.unsubscribe('a:b', client);
    void it.watch.unsubscribe('a:b', client);
    await settled();
    expect(it.sent()).toEqual(['resources/subscribe a:b', 'resources/unsubscribe a:b']);
  });

  it('concerns only its own resource', async () => {
    const it = bench();
    it.reconnect();
    void it.watch.subscribe('a:b', new HandClient());
    void it.watch.subscribe('größe:"x"\n', new HandClient());
    await settled();
    expect(it.sent()).toEqual(['resources/subscribe a:b', 'resources/subscribe größe:"x"']);
    expect(it.wires[0]!.messages[1]!.params).toEqual({ uri: 'größe:"x"\n' });
  });

  it('that is refused is refused to all waiting clients, and sent again for the next', async () => {
    const it = bench();
    const [a, b, c] = [new HandClient(), new HandClient(), new HandClient()];
    it.reconnect();
    const answers = [it.watch.subscribe('a:b', a), it.watch.subscribe('a:b', b)];
    await settled();
    it.wires[0]!.fail(it.wires[0]!.lastId, '{"code":-32602,"message":"no"}');
    expect(await Promise.all(answers)).toMatchObject([
      { error: '{"code":-32602,"message":"no"}' },
      { error: '{"code":-32602,"message":"no"}' },
    ]);
    it.watch.updated(updated('a:b'));
    expect([a.notified, b.notified]).toEqual([[], []]);
    void it.watch.subscribe('a:b', c);
    await settled();
    expect(it.sent()).toHaveLength(2);
  });

  it('that fails in transit is rolled back for all clients', async () => {
    const it = bench();
    const [a, b] = [new HandClient(), new HandClient()];
    it.reconnect();
    const answers = Promise.allSettled([it.watch.subscribe('a:b', a), it.watch.subscribe('a:b', b)]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answers).toMatchObject([
      { status: 'rejected', reason: { code: 'CALL_TIMEOUT' } },
      { status: 'rejected', reason: { code: 'CALL_TIMEOUT' } },
    ]);
    it.reconnect();
    expect(it.wires[1]!.sent).toEqual([]);
  });

  it('at an unreachable server is rolled back', async () => {
    const it = bench();
    it.isBroken = true;
    await expect(it.watch.subscribe('a:b', new HandClient())).rejects.toBe(GONE);
    it.isBroken = false;
    it.reconnect();
    expect(it.sent()).toEqual([]);
  });

  it('that fails does not undo a later one', async () => {
    const it = bench();
    const [a, b] = [new HandClient(), new HandClient()];
    it.reconnect();
    const first = it.watch.subscribe('a:b', a);
    await settled();
    const firstId = it.wires[0]!.lastId;
    void it.watch.unsubscribe('a:b', a);
    void it.watch.subscribe('a:b', b);
    await settled();
    it.wires[0]!.fail(firstId, '{"code":1}');
    await first;
    it.watch.updated(updated('a:b'));
    expect([a.notified.length, b.notified.length]).toEqual([0, 1]);
    expect(it.sent()).toEqual([
      'resources/subscribe a:b',
      'resources/unsubscribe a:b',
      'resources/subscribe a:b',
    ]);
  });

  it('that is cancelled while the server connects is never sent', async () => {
    const it = bench();
    const client = new HandClient();
    const subscribed = it.watch.subscribe('a:b', client);
    void it.watch.unsubscribe('a:b', client);
    await subscribed;
    expect(it.sent()).toEqual([]);
  });

  it('is sent again on a new connection', async () => {
    const it = bench();
    const [a, b] = [new HandClient(), new HandClient()];
    it.reconnect();
    void it.watch.subscribe('a:1', a);
    void it.watch.subscribe('a:2', b);
    void it.watch.subscribe('a:1', b);
    await settled();
    const before = it.sent().length;
    it.reconnect();
    expect(it.sent().slice(before)).toEqual(['resources/subscribe a:1', 'resources/subscribe a:2']);
    it.wires[1]!.break();
    await settled();
    it.watch.updated(updated('a:1'));
    expect([a.notified.length, b.notified.length]).toEqual([1, 1]);
  });

  it('is not sent on other connections', async () => {
    const it = bench();
    it.reconnect();
    void it.watch.subscribe('a:1', new HandClient());
    await settled();
    const wire = new HandWire();
    it.watch.follow(connectionOn(wire), false);
    expect(wire.sent).toEqual([]);
  });
});

describe('a client with too many subscriptions', () => {
  it('is refused one more, without affecting others', async () => {
    const it = bench();
    const [greedy, other] = [new HandClient(), new HandClient()];
    it.reconnect();
    for (let index = 0; index < 1_000; index++) void it.watch.subscribe(`a:${index}`, greedy);
    await settled();
    await expect(it.watch.subscribe('a:more', greedy)).rejects.toMatchObject({ code: 'SERVER_BUSY' });
    void it.watch.subscribe('a:more', other);
    void it.watch.unsubscribe('a:0', greedy);
    void it.watch.subscribe('a:more', greedy);
    await settled();
    it.watch.updated(updated('a:more'));
    expect([greedy.notified.length, other.notified.length]).toEqual([1, 1]);
  });

  it('is refused an overlong URI, which is not sent', async () => {
    const it = bench();
    it.reconnect();
    await expect(it.watch.subscribe(`a:${'x'.repeat(10_000)}`, new HandClient())).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
    });
    expect(it.sent()).toEqual([]);
  });
});

describe('a client that disconnects', () => {
  it('loses its subscriptions, and others keep theirs', async () => {
    const it = bench();
    const [a, b] = [new HandClient(), new HandClient()];
    it.reconnect();
    for (const [uri, client] of [
      ['a:1', a],
      ['a:2', a],
      ['a:2', b],
      ['a:3', b],
    ] as const)
      void it.watch.subscribe(uri, client);
    await settled();
    const before = it.sent().length;
    it.watch.forget(a);
    it.watch.forget(a);
    await settled();
    expect(it.sent().slice(before)).toEqual(['resources/unsubscribe a:1']);
    for (const uri of ['a:1', 'a:2', 'a:3']) it.watch.updated(updated(uri));
    expect(a.notified).toEqual([]);
    expect(b.notified).toHaveLength(2);
  });

  it('does not start a server just to unsubscribe', async () => {
    const it = bench();
    const client = new HandClient();
    it.reconnect();
    void it.watch.subscribe('a:1', client);
    await settled();
    it.wires[0]!.answer(it.wires[0]!.lastId, '{}');
    it.wires[0]!.break();
    const before = it.opened;
    it.watch.forget(client);
    await settled();
    expect(it.opened).toBe(before);
    it.reconnect();
    expect(it.wires[1]!.sent).toEqual([]);
  });
});

describe('a change of a resource', () => {
  async function subscribed(...uris: string[]): Promise<{ watch: Watch; client: HandClient }> {
    const it = bench();
    const client = new HandClient();
    it.reconnect();
    for (const uri of uris) void it.watch.subscribe(uri, client);
    await settled();
    return { watch: it.watch, client };
  }

  it('is passed on in the server’s own bytes', async () => {
    const { watch, client } = await subscribed('a:größe');
    watch.updated(updated('a:größe'));
    expect(client.notified).toEqual([
      `notifications/resources/updated ${toByteText('{"uri":"a:größe","n":1.0}')}`,
    ]);
  });

  it.each(['a:', 'a:bc', 'a:B', 'b:b', ''])('of another resource, %j, is not reported', async (uri) => {
    const { watch, client } = await subscribed('a:b');
    watch.updated(updated(uri));
    expect(client.notified).toEqual([]);
  });

  it.each([
    ['file:///d', 'file:///d/e'],
    ['file:///d/', 'file:///d/e/f'],
    ['file:///d', 'file:///d?e'],
    ['file:///d', 'file:///d#e'],
  ])('of a part is reported: %s, %s', async (whole, part) => {
    const { watch, client } = await subscribed(whole);
    watch.updated(updated(part));
    expect(client.notified).toHaveLength(1);
  });

  it('is reported once, even if several subscriptions fit', async () => {
    const { watch, client } = await subscribed('file:///d', 'file:///d/', 'file:///d/e');
    watch.updated(updated('file:///d/e'));
    expect(client.notified).toHaveLength(1);
  });

  it.each(['{}', '{"uri":7}', '{"uri":null}', '{"uri":["a:b"]}'])(
    'without a valid URI, %s, is not reported',
    async (params) => {
      const { watch, client } = await subscribed('a:b');
      watch.updated(params);
      expect(client.notified).toEqual([]);
    },
  );
});

describe('at a modern server', () => {
  const filterOf = (wire: HandWire, index: number): unknown =>
    (wire.messages[index]!.params!['notifications'] as { resourceSubscriptions?: unknown })
      .resourceSubscriptions;

  it('resources are part of the one long request', async () => {
    const it = bench('modern');
    const [a, b] = [new HandClient(), new HandClient()];
    it.reconnect();
    const [wire] = it.wires;
    expect(filterOf(wire!, 0)).toBeUndefined();
    expect(await it.watch.subscribe('a:1', a)).toBeUndefined();
    await gathered();
    expect(filterOf(wire!, 1)).toEqual(['a:1']);
    await it.watch.subscribe('a:2', b);
    await gathered();
    expect(filterOf(wire!, 2)).toEqual(['a:1', 'a:2']);
    await it.watch.subscribe('a:2', a);
    await gathered();
    expect(wire!.methods).toEqual(Array(3).fill('subscriptions/listen'));
    await it.watch.unsubscribe('a:1', a);
    await gathered();
    expect(filterOf(wire!, 3)).toEqual(['a:2']);
  });

  it('a new connection gets all of them', async () => {
    const it = bench('modern');
    it.reconnect();
    await it.watch.subscribe('a:1', new HandClient());
    it.reconnect();
    expect(filterOf(it.wires[1]!, 0)).toEqual(['a:1']);
  });

  it('a secondary connection listens to list changes only', async () => {
    const it = bench('modern');
    it.reconnect();
    await it.watch.subscribe('a:1', new HandClient());
    const wire = new HandWire();
    const other = connectionOn(wire);
    other.speak('modern', undefined);
    it.watch.follow(other, false);
    expect(wire.methods).toEqual(['subscriptions/listen']);
    expect(filterOf(wire, 0)).toBeUndefined();
  });
});
