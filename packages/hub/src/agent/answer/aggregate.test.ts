import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joined, turnOf, type RandomTurn } from '../../../../../test/kit/random-turn.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { aggregate, createTurn } from './aggregate.ts';
import type { MediaReference, TurnEvent } from './read-event.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const MANY = { numRuns: atDepth(200, 2_000) };

const turn = turnOf('said', 'aside', 'both');

/** All events in any order, some of them more than once. */
const anyhow = (events: TurnEvent[]): fc.Arbitrary<TurnEvent[]> =>
  fc
    .subarray(events)
    .chain((again) =>
      fc.shuffledSubarray([...events, ...again], { minLength: events.length + again.length }),
    );

const ended = (text: string | undefined): TurnEvent => ({
  kind: 'ended',
  how: 'done',
  text,
  media: [],
  reason: undefined,
});

const replied = (...texts: string[]): TurnEvent => ({
  kind: 'replied',
  blocks: texts.map((text) => ({ text, media: [] })),
});

/** What an end may contain: the whole text, the last messages, or the end of the text. */
const endOf = ({ messages }: RandomTurn): fc.Arbitrary<TurnEvent[]> => {
  const text = joined(messages);
  return fc
    .tuple(
      fc.oneof(
        fc.constant(undefined),
        fc.nat({ max: messages.length - 1 }).map((from) => joined(messages.slice(from))),
        fc.nat({ max: text.length - 1 }).map((from) => text.slice(from).trim() || text),
      ),
      fc.boolean(),
    )
    .map(([script, isReplied]) => [ended(script), ...(isReplied ? [replied(messages.at(-1)!)] : [])]);
};

describe('aggregate', () => {
  it('keeps each text once, for any order, repetition and split of the events', () => {
    verifies('001-aggregate-dedupe', '002-1-dedupe', '002-1-intermediate');
    const any = turn.chain((script) =>
      fc
        .tuple(fc.subarray(script.wholes), endOf(script))
        .chain(([wholes, end]) => anyhow([...script.parts, ...wholes, ...end]))
        .map((events) => ({ text: script.text, events })),
    );
    fc.assert(
      fc.property(any, ({ text, events }) => {
        expect(aggregate(events)).toMatchObject({ state: 'done', text });
      }),
      MANY,
    );
  });

  it('has all text so far at any moment', () => {
    const any = turn.chain((script) =>
      fc
        .tuple(fc.constantFrom(...script.until), fc.subarray(script.wholes))
        .chain(([[seq, text], wholes]) => {
          const events = [...script.parts, ...wholes].filter((event) => 'seq' in event && event.seq <= seq);
          return anyhow(events).map((received) => ({ text, received }));
        }),
    );
    fc.assert(
      fc.property(any, ({ text, received }) => {
        expect(aggregate(received)).toMatchObject({ state: 'running', text });
      }),
      MANY,
    );
  });

  it('returns the last combined text if there were no single messages', () => {
    const any = turnOf('said').chain(({ text, wholes }) =>
      anyhow(wholes).map((events) => ({ text, events })),
    );
    fc.assert(
      fc.property(any, ({ text, events }) => {
        expect(aggregate(events)).toMatchObject({ state: 'running', text });
      }),
    );
  });

  it('has the whole text even if only the end came complete', () => {
    verifies('001-aggregate-final', '002-1-final');
    const any = turnOf('said', 'both').chain(({ text, parts, wholes }) => {
      const isWhole = (event: TurnEvent): boolean => event.kind !== 'said' || event.text !== undefined;
      return fc
        .tuple(fc.subarray(parts.filter(isWhole)), fc.subarray(wholes))
        .chain(([some, others]) => anyhow([...some, ...others, ended(text)]))
        .map((events) => ({ text, events }));
    });
    fc.assert(
      fc.property(any, ({ text, events }) => {
        expect(aggregate(events).text).toBe(text);
      }),
      MANY,
    );
  });

  it('returns the same whether or not it is read in between', () => {
    fc.assert(
      fc.property(
        turn.chain(({ parts, wholes, text }) => anyhow([...parts, ...wholes, ended(text)])),
        (events) => {
          const asked = createTurn();
          for (const event of events) {
            asked.note(event);
            asked.answer();
          }
          expect(asked.answer()).toEqual(aggregate(events));
        },
      ),
    );
  });
});

const said = (seq: number, item: string, text: string, media: MediaReference[] = []): TurnEvent => ({
  kind: 'said',
  seq,
  item,
  text,
  delta: '',
  media,
});
const at = (url: string): MediaReference => ({
  url,
  data: undefined,
  mimeType: undefined,
  name: undefined,
  size: undefined,
});

describe('answer', () => {
  it('is empty before the first event', () => {
    expect(aggregate([])).toEqual({
      state: 'running',
      text: '',
      media: [],
      tools: [],
      reason: undefined,
      hasAsides: false,
    });
  });

  it('leaves out text that was withdrawn', () => {
    const events: TurnEvent[] = [
      said(1, 'first try', 'Let me'),
      { kind: 'whole', seq: 1, text: 'Let me', isReplaced: false },
      { kind: 'whole', seq: 5, text: 'It is', isReplaced: true },
      said(4, 'second try', 'It is'),
      said(6, 'second try', 'It is done.'),
    ];
    expect(aggregate(events).text).toBe('It is done.');
    expect(aggregate([...events, ended('It is done.')]).text).toBe('It is done.');
  });

  it('takes the line breaks of an aside from the history', () => {
    const aside: TurnEvent = { kind: 'aside', seq: 1, item: 'a', text: 'My plan: 1. look 2. tell' };
    const received = [aside, said(3, 'b', 'Done.'), ended('Done.')];
    expect(aggregate(received)).toMatchObject({ text: `${aside.text}\n\nDone.`, hasAsides: true });
    const written = ['My plan:\n\n1. look\n2. tell', 'Done.'].map((text): TurnEvent => ({
      kind: 'written',
      text,
    }));
    expect(aggregate([...written, ...received]).text).toBe('My plan:\n\n1. look\n2. tell\n\nDone.');
  });

  it('is empty if the agent writes NO_REPLY', () => {
    expect(aggregate([said(1, 'a', 'NO_REPLY'), ended(undefined)])).toMatchObject({
      state: 'done',
      text: '',
    });
  });

  it('has each image once, in the order of the events', () => {
    verifies('002-1-dedupe');
    const block: TurnEvent = {
      kind: 'replied',
      blocks: [{ text: 'Here', media: [at('./b.png'), at('./c.png')] }],
    };
    const events = [block, said(3, 'm', 'Here', [at('./b.png')]), said(2, 'm', 'He', [at('./a.png')])];
    expect(aggregate(events).media.map(({ url }) => url)).toEqual(['./a.png', './b.png', './c.png']);
  });

  it('has each tool call once, in the order of their start', () => {
    const tool = (seq: number, id: string, text?: string): TurnEvent => ({
      kind: 'tool',
      seq,
      id,
      name: 'exec',
      result: text === undefined ? undefined : { isError: false, text },
    });
    const events = [tool(7, 'one', 'done'), tool(5, 'two'), tool(2, 'one'), tool(7, 'one', 'done')];
    expect(aggregate(events).tools).toEqual([
      { id: 'one', name: 'exec', result: { isError: false, text: 'done' } },
      { id: 'two', name: 'exec', result: undefined },
    ]);
  });

  it('prefers the reason of the end over that of an attempt', () => {
    const trouble: TurnEvent = { kind: 'troubled', seq: 9, message: 'attempt failed' };
    const failed = (reason?: string): TurnEvent => ({
      kind: 'ended',
      how: 'failed',
      text: undefined,
      media: [],
      reason,
    });
    expect(aggregate([trouble, failed('no credentials')])).toMatchObject({
      state: 'failed',
      reason: 'no credentials',
    });
    expect(aggregate([trouble, failed()])).toMatchObject({ state: 'failed', reason: 'attempt failed' });
    expect(aggregate([trouble, ended('Done')])).toMatchObject({ state: 'done', reason: undefined });
  });

  it('keeps the text of a stopped turn, and counts a turn that was done before as done', () => {
    const aborted: TurnEvent = {
      kind: 'ended',
      how: 'aborted',
      text: undefined,
      media: [],
      reason: undefined,
    };
    expect(aggregate([said(1, 'a', 'Half of'), aborted])).toMatchObject({
      state: 'aborted',
      text: 'Half of',
    });
    expect(aggregate([aborted, ended('Whole')])).toMatchObject({ state: 'done', text: 'Whole' });
  });
});

describe('after a late start of listening', () => {
  const shown = (seq: number, text: string): TurnEvent => ({ kind: 'whole', seq, text, isReplaced: false });

  it('the answer has the earlier text', () => {
    const late = [said(7, 'second', 'It is'), shown(7, 'I look.\n\nIt is')];
    expect(aggregate(late).text).toBe('I look.\n\nIt is');
    expect(aggregate([...late, said(9, 'third', 'Done.')]).text).toBe('I look.\n\nIt is\n\nDone.');
    expect(aggregate([...late, said(8, 'second', 'It is here.'), ended('I look.\n\nIt is here.')]).text).toBe(
      'I look.\n\nIt is here.',
    );
  });
});
