import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOn, HandWire } from '../../../../../test/kit/fake-wire.ts';
import type { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { Offer } from '../../core/catalog/offer.ts';
import type { Log } from '../../core/ports.ts';
import type { Connection } from '../connection/connection.ts';
import { createOfferKeeper, type OfferKeeper } from './offer-keeper.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // The longest backoff, without random reduction.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const PAUSE_MS = 250;
const INTRODUCTION = {
  era: 'legacy',
  result: '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}}}',
} as const;
const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface Bench {
  readonly keeper: OfferKeeper;
  readonly offers: Offer[];
  readonly problems: (PincerError | undefined)[];
  /** By method; a missing one gets no answer, one that begins with `!` is an error. */
  readonly answers: Record<string, string>;
  connect(): { connection: Connection; wire: HandWire };
}

function bench(): Bench {
  const offers: Offer[] = [];
  const problems: (PincerError | undefined)[] = [];
  const answers: Record<string, string> = {
    'tools/list': tools('a'),
    'prompts/list': '{"prompts":[{"name":"p"}]}',
    'resources/list': '{"resources":[{"uri":"a:b","name":"r"}]}',
    'resources/templates/list': '{"resourceTemplates":[]}',
  };
  const keeper = createOfferKeeper({
    server: 's',
    timeoutMs: 1_000,
    limits: DEFAULT_LIMITS,
    log: QUIET,
    isHttp: false,
    everyMs: 0,
    now: () => Date.now(),
    onOffer: (offer) => void offers.push(offer),
    onProblem: (problem) => void problems.push(problem),
  });
  return {
    keeper,
    offers,
    problems,
    answers,
    connect() {
      const wire = new HandWire();
      const send = wire.send.bind(wire);
      wire.send = (text, about) => {
        send(text, about);
        const answer = answers[about.method];
        if (answer === undefined || about.id === undefined) return;
        queueMicrotask(() =>
          answer.startsWith('!') ? wire.fail(about.id!, answer.slice(1)) : wire.answer(about.id!, answer),
        );
      };
      return { wire, connection: connectionOn(wire) };
    },
  };
}

const tools = (...names: string[]): string =>
  JSON.stringify({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
const namesOf = ({ tools: each }: Offer): string[] => each.map(({ name }) => name);
const paused = (): Promise<unknown> => vi.advanceTimersByTimeAsync(PAUSE_MS);

describe('the offer of a server', () => {
  it('is read completely on a new connection', async () => {
    const { keeper, offers, problems, connect } = bench();
    const { connection, wire } = connect();
    await keeper.begin(connection, INTRODUCTION);
    expect(new Set(wire.methods)).toEqual(
      new Set(['prompts/list', 'resources/list', 'resources/templates/list', 'tools/list']),
    );
    expect(wire.sent).toHaveLength(4);
    expect(offers).toMatchObject([
      { tools: [{ name: 'a' }], prompts: [{ name: 'p' }], resources: [{ uri: 'a:b' }] },
    ]);
    expect(problems).toEqual([undefined]);
  });

  it('is partly read again after a change, and the rest is kept', async () => {
    const { keeper, offers, answers, connect } = bench();
    const { connection, wire } = connect();
    await keeper.begin(connection, INTRODUCTION);
    await paused();
    const before = wire.sent.length;
    answers['tools/list'] = tools('a', 'b');
    await keeper.changed('tools');
    expect(wire.methods.slice(before)).toEqual(['tools/list']);
    expect(namesOf(offers[1]!)).toEqual(['a', 'b']);
    expect(offers[1]!.prompts).toHaveLength(1);
    await paused();
    void keeper.changed('resources');
    await paused();
    expect(wire.methods.slice(before + 1)).toEqual(['resources/list', 'resources/templates/list']);
  });

  it('is read once more if it changes during a read, each list once', async () => {
    const { keeper, offers, answers, connect } = bench();
    const { connection, wire } = connect();
    await keeper.begin(connection, INTRODUCTION);
    await paused();
    const before = wire.sent.length;
    delete answers['tools/list'];
    const first = keeper.changed('tools');
    const others = [keeper.changed('tools'), keeper.changed('prompts'), keeper.changed('tools')];
    answers['tools/list'] = tools('late');
    wire.answer(wire.lastId, tools('early'));
    await first;
    expect(offers.map(namesOf)).toEqual([['a'], ['early']]);
    await paused();
    await Promise.all(others);
    expect(wire.methods.slice(before)).toEqual(['tools/list', 'tools/list', 'prompts/list']);
    expect(offers.map(namesOf)).toEqual([['a'], ['early'], ['late']]);
  });

  it('is read from the beginning on another connection', async () => {
    const { keeper, offers, answers, connect } = bench();
    await keeper.begin(connect().connection, INTRODUCTION);
    keeper.end();
    await paused();
    answers['tools/list'] = tools('new');
    answers['prompts/list'] = '{"prompts":[]}';
    const { connection, wire } = connect();
    await keeper.begin(connection, INTRODUCTION);
    expect(wire.sent).toHaveLength(4);
    expect([namesOf(offers[1]!), offers[1]!.prompts]).toEqual([['new'], []]);
  });

  it('is not read without a connection', async () => {
    const { keeper, offers, connect } = bench();
    await keeper.changed('tools');
    const { connection } = connect();
    await keeper.begin(connection, INTRODUCTION);
    keeper.end();
    await paused();
    await keeper.changed('tools');
    expect(offers).toHaveLength(1);
  });
});

describe('a server that does not send its lists', () => {
  it('is a problem, and is asked again with growing delay', async () => {
    const { keeper, offers, problems, answers, connect } = bench();
    answers['tools/list'] = '!{"code":-1,"message":"not now"}';
    const { connection, wire } = connect();
    await keeper.begin(connection, INTRODUCTION);
    expect(problems).toMatchObject([{ code: 'SERVER_PROTOCOL' }]);
    const asked = (): number => wire.methods.filter((method) => method === 'tools/list').length;
    for (const wait of [1_000, 2_000, 4_000]) {
      const before = asked();
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(asked()).toBe(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(asked()).toBe(before + 1);
    }
    answers['tools/list'] = tools('a');
    await vi.advanceTimersByTimeAsync(8_000);
    expect(problems.at(-1)).toBeUndefined();
    expect(offers).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(offers).toHaveLength(1);
  });

  it('keeps its known lists, and the change is not forgotten', async () => {
    const { keeper, offers, problems, answers, connect } = bench();
    const { connection, wire } = connect();
    await keeper.begin(connection, INTRODUCTION);
    await paused();
    answers['prompts/list'] = '!{"code":-1,"message":"not now"}';
    await keeper.changed('prompts');
    expect(problems.at(-1)).toMatchObject({ code: 'SERVER_PROTOCOL' });
    expect(offers).toHaveLength(1);
    answers['prompts/list'] = '{"prompts":[{"name":"q"}]}';
    await paused();
    const before = wire.sent.length;
    await keeper.changed('tools');
    expect(new Set(wire.methods.slice(before))).toEqual(new Set(['prompts/list', 'tools/list']));
    expect(offers.at(-1)!.prompts).toMatchObject([{ name: 'q' }]);
    expect(problems.at(-1)).toBeUndefined();
  });

  it('because it disconnected is no problem of its lists, and is not asked again', async () => {
    const { keeper, offers, problems, answers, connect } = bench();
    delete answers['tools/list'];
    const { connection, wire } = connect();
    const begun = keeper.begin(connection, INTRODUCTION);
    await vi.advanceTimersByTimeAsync(0);
    wire.break();
    keeper.end();
    await begun;
    await vi.advanceTimersByTimeAsync(600_000);
    expect([offers, problems]).toEqual([[], []]);
    expect(wire.methods.filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  it('is not asked again on a closed connection', async () => {
    const { keeper, answers, connect } = bench();
    answers['tools/list'] = '!{"code":-1,"message":"not now"}';
    const { connection, wire } = connect();
    await keeper.begin(connection, INTRODUCTION);
    const before = wire.sent.length;
    keeper.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(wire.sent).toHaveLength(before);
  });
});
