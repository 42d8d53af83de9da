import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOn, HandWire } from '../../../../../test/kit/fake-wire.ts';
import { META_KEY } from '../../core/protocol.ts';
import { listenOn, type Listening } from './watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // The longest backoff, without random reduction.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const NO_METHOD = '{"code":-32601,"message":"Method not found"}';
const BAD_PARAMS = '{"code":-32602,"message":"no such resource"}';

interface Bench {
  readonly wire: HandWire;
  readonly uris: string[];
  readonly listening: Listening;
  /** The requested filters, in order. */
  filters(): unknown[];
  /** The hub's ids of the requests, in order. */
  ids(): string[];
}

function bench(uris: string[] = []): Bench {
  const wire = new HandWire();
  const connection = connectionOn(wire);
  connection.speak('modern', '2026-07-28');
  const listening = listenOn(connection, () => uris);
  const listens = (): HandWire['sent'] =>
    wire.sent.filter(({ about }) => about.method === 'subscriptions/listen');
  return {
    wire,
    uris,
    listening,
    filters: () =>
      listens().map(
        ({ text }) => (JSON.parse(text) as { params: { notifications: unknown } }).params.notifications,
      ),
    ids: () => listens().map(({ about }) => about.id!),
  };
}

const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const gathered = (): Promise<unknown> => vi.advanceTimersByTimeAsync(50);
const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

it('listens to every list, and to resources with subscribers', () => {
  expect(bench().filters()).toEqual([LISTS]);
  const { wire, filters } = bench(['a:größe', 'b:c']);
  expect(wire.messages[0]!.params).toMatchObject({
    notifications: { ...LISTS, resourceSubscriptions: ['a:größe', 'b:c'] },
    _meta: { [META_KEY.protocolVersion]: '2026-07-28' },
  });
  expect(filters()).toHaveLength(1);
});

it('has no timeout', async () => {
  const { wire } = bench();
  await vi.advanceTimersByTimeAsync(24 * 60 * 60_000);
  expect(wire.sent).toHaveLength(1);
  expect(wire.forgotten).toEqual([]);
});

describe('another filter', () => {
  it('is requested soon, and the old request ends a moment later', async () => {
    const { wire, uris, listening, filters, ids } = bench();
    listening.renew();
    uris.push('a:b');
    await gathered();
    expect(filters()).toEqual([LISTS, { ...LISTS, resourceSubscriptions: ['a:b'] }]);
    await vi.advanceTimersByTimeAsync(999);
    expect(wire.forgotten).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(wire.forgotten).toEqual([ids()[0]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(filters()).toHaveLength(2);
  });

  it('and simultaneous ones are one request', async () => {
    const { uris, listening, filters } = bench();
    for (let index = 0; index < 10; index++) {
      uris.push(`a:${index}`);
      listening.renew();
    }
    await gathered();
    expect(filters()).toEqual([LISTS, { ...LISTS, resourceSubscriptions: uris }]);
  });

  it('shortly after another ends both old requests, and keeps the last', async () => {
    const { wire, listening, ids } = bench();
    listening.renew();
    await gathered();
    listening.renew();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(wire.forgotten.toSorted()).toEqual(ids().slice(0, 2).toSorted());
    expect(ids()).toHaveLength(3);
  });

  it('does not cancel a request that has ended by itself', async () => {
    const { wire, listening, ids } = bench();
    listening.renew();
    await gathered();
    wire.answer(ids()[0]!, '{}');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(wire.forgotten).toEqual([]);
    expect(ids()).toHaveLength(2);
  });

  it('that the server refuses is replaced with one without resources, so that list changes still arrive', async () => {
    const { wire, uris, listening, filters, ids } = bench();
    uris.push('a:bad');
    listening.renew();
    await gathered();
    wire.fail(ids()[1]!, BAD_PARAMS);
    await settled();
    expect(filters()).toEqual([LISTS, { ...LISTS, resourceSubscriptions: ['a:bad'] }, LISTS]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(wire.forgotten).toEqual([ids()[0]]);
    expect(filters()).toHaveLength(3);
    uris[0] = 'a:good';
    listening.renew();
    await gathered();
    expect(filters().at(-1)).toEqual({ ...LISTS, resourceSubscriptions: ['a:good'] });
  });
});

describe('a stream that ends', () => {
  it('is requested again with growing delay', async () => {
    const { wire, ids } = bench();
    for (const wait of [2_000, 4_000, 8_000]) {
      const before = ids().length;
      wire.answer(ids().at(-1)!, '{}');
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(ids()).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(ids()).toHaveLength(before + 1);
    }
  });

  it('after half a minute is requested again soon', async () => {
    const { wire, ids } = bench();
    wire.answer(ids()[0]!, '{}');
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.advanceTimersByTimeAsync(30_000);
    wire.answer(ids()[1]!, '{}');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ids()).toHaveLength(3);
  });

  it.each(['{"code":-32000,"message":"busy"}', '{"code":"x"}', 'null', '"no"'])(
    'with the error %s is requested again',
    async (error) => {
      const { wire, ids } = bench();
      wire.fail(ids()[0]!, error);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(ids()).toHaveLength(2);
    },
  );

  it('because the method is unknown is not requested again, not even with another filter', async () => {
    const { wire, listening, ids } = bench();
    wire.fail(ids()[0]!, NO_METHOD);
    await vi.advanceTimersByTimeAsync(600_000);
    listening.renew();
    await gathered();
    expect(ids()).toHaveLength(1);
  });

  it('because its params are refused is not requested again with the same params', async () => {
    const { wire, ids } = bench();
    wire.fail(ids()[0]!, BAD_PARAMS);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ids()).toHaveLength(1);
  });

  it('after it was renewed is not requested twice', async () => {
    const { wire, listening, ids } = bench();
    wire.answer(ids()[0]!, '{}');
    await settled();
    listening.renew();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ids()).toHaveLength(2);
  });

  it('with its connection is not requested again', async () => {
    const { wire, listening, ids } = bench();
    listening.renew();
    wire.break();
    listening.renew();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ids()).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
