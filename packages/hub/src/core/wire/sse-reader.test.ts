import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseReader, type SseEvent } from './sse-reader.ts';

const read = (chunks: readonly string[], maxBytes = 1_000): (SseEvent | 'overflow')[] => {
  const events: (SseEvent | 'overflow')[] = [];
  const reader = new SseReader({
    maxBytes,
    onEvent: (event) => events.push(event),
    onOverflow: () => events.push('overflow'),
  });
  for (const chunk of chunks) reader.push(chunk);
  return events;
};

/** Pieces of at least one byte. */
const cut = (text: string, places: readonly number[]): string[] => {
  const inside = places.map((place) => 1 + (place % Math.max(1, text.length - 1)));
  const sorted = [...new Set(inside)].filter((place) => place < text.length).sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => text.slice(start, sorted[index] ?? text.length));
};

const word = fc.string({ unit: fc.constantFrom('a', ':', ' ', '{', '"', '\u00c3', '\u00a9'), maxLength: 8 });
/** Never CR and LF in one stream: CR, an empty line and LF would be read as CRLF, correctly. */
const lineEnds = fc.constantFrom(['\n'], ['\r'], ['\r\n'], ['\n', '\r\n'], ['\r\n', '\r', '\r']);
interface Sent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: readonly string[];
  readonly comment: string | undefined;
}
const sent: fc.Arbitrary<Sent> = fc.record({
  event: fc.option(fc.constantFrom('message', 'endpoint', 'x y'), { nil: undefined }),
  id: fc.option(word, { nil: undefined }),
  data: fc.array(word, { maxLength: 4 }),
  comment: fc.option(word, { nil: undefined }),
});

const linesOf = ({ event, id, data, comment }: Sent): string[] => [
  ...(comment === undefined ? [] : [`:${comment}`]),
  ...(event === undefined ? [] : [`event: ${event}`]),
  ...data.map((each) => `data: ${each}`),
  ...(id === undefined ? [] : [`id: ${id}`]),
  '',
];

/** The events by the HTML standard: one without data is no event, an id lasts until the next. */
function eventsOf(all: readonly Sent[]): SseEvent[] {
  let lastId: string | undefined;
  return all.flatMap(({ event, id, data }) => {
    lastId = id ?? lastId;
    return data.length === 0 ? [] : [{ event: event ?? 'message', data: data.join('\n'), id: lastId }];
  });
}

describe('SseReader', () => {
  it('reads the same events for every line end and every way to cut the stream', () => {
    fc.assert(
      fc.property(
        fc.array(sent, { maxLength: 6 }),
        lineEnds,
        fc.array(fc.nat(500), { maxLength: 10 }),
        (all, ends, places) => {
          const text = all
            .flatMap(linesOf)
            .map((line, index) => line + ends[index % ends.length]!)
            .join('');
          return JSON.stringify(read(cut(text, places))) === JSON.stringify(eventsOf(all));
        },
      ),
      { numRuns: 600 },
    );
  });

  it.each([
    ['one line', 'data: a\n\n', [{ event: 'message', data: 'a' }]],
    ['without the space', 'data:a\n\n', [{ event: 'message', data: 'a' }]],
    ['only one space is removed', 'data:  a\n\n', [{ event: 'message', data: ' a' }]],
    ['several lines are joined', 'data: a\ndata: b\ndata\n\n', [{ event: 'message', data: 'a\nb\n' }]],
    ['empty data is an event', 'data:\n\n', [{ event: 'message', data: '' }]],
    ['a type', 'event: endpoint\ndata: /x\n\n', [{ event: 'endpoint', data: '/x' }]],
    [
      'a type lasts for one event',
      'event: e\ndata: 1\n\ndata: 2\n\n',
      [
        { event: 'e', data: '1' },
        { event: 'message', data: '2' },
      ],
    ],
    ['a type without data is dropped', 'event: e\n\ndata: 2\n\n', [{ event: 'message', data: '2' }]],
    ['an id', 'id: 7\ndata: a\n\n', [{ event: 'message', data: 'a', id: '7' }]],
    [
      'an id lasts',
      'id: 7\ndata: a\n\ndata: b\n\n',
      [
        { event: 'message', data: 'a', id: '7' },
        { event: 'message', data: 'b', id: '7' },
      ],
    ],
    ['an empty id resets it', 'id: 7\n\nid\ndata: b\n\n', [{ event: 'message', data: 'b', id: '' }]],
    ['an id with NUL is ignored', 'id: 7\ndata: a\nid: \0\n\n', [{ event: 'message', data: 'a', id: '7' }]],
    ['comments are ignored', ': ping\ndata: a\n:\n\n', [{ event: 'message', data: 'a' }]],
    ['a comment alone is no event', ': still working\n\n', []],
    [
      'retry and unknown fields are ignored',
      'retry: 5\nfoo: x\ndata: a\n\n',
      [{ event: 'message', data: 'a' }],
    ],
    ['a field name is case-sensitive', 'Data: a\n data: b\n\n', []],
    ['an event without its empty line is not reported', 'data: a\n', []],
    ['colons in data are kept', 'data: {"a":"b:c"}\n\n', [{ event: 'message', data: '{"a":"b:c"}' }]],
  ])('%s', (_what, text, events) => {
    expect(read([text])).toEqual(events.map((event) => ({ id: undefined, ...event })));
    expect(read(text.split(''))).toEqual(read([text]));
  });

  it('reads CRLF as one line end even if it is split between chunks', () => {
    expect(read(['data: a\r', '\ndata: b\r', '\n\r', '\n'])).toEqual([
      { event: 'message', data: 'a\nb', id: undefined },
    ]);
  });

  it('reads CR CR as two line ends', () => {
    expect(read(['data: a\r', '\r'])).toHaveLength(1);
  });

  it('reports a line that is too long and continues after it', () => {
    expect(read([`data: ${'x'.repeat(50)}\n\ndata: ok\n\n`], 20)).toEqual([
      'overflow',
      { event: 'message', data: 'ok', id: undefined },
    ]);
  });

  it('reports data that is too long in total', () => {
    const lines = Array.from({ length: 5 }, () => 'data: 12345\n').join('');
    expect(read([`${lines}\ndata: ok\n\n`], 20)[0]).toBe('overflow');
  });
});

describe('lastId', () => {
  const lastIdOf = (text: string): string | undefined => {
    const reader = new SseReader({ maxBytes: 1_000, onEvent: () => undefined, onOverflow: () => undefined });
    for (const char of text) reader.push(char);
    return reader.lastId;
  };

  it.each([
    ['', undefined],
    ['data: a\n\n', undefined],
    ['id: 1\ndata: a\n\n', '1'],
    ['id: 1\n\n', '1'],
    ['id: 1\ndata:\n\n: hello\n\n', '1'],
    ['id: 1\ndata: a\n\ndata: b\n\n', '1'],
    ['id: 1\n\nid: 2\n\n', '2'],
    ['id: 1\n\nid\n\n', ''],
  ])('for %j is %j', (text, id) => {
    expect(lastIdOf(text)).toBe(id);
  });

  it.each(['id: 2\n', 'id: 2\ndata: cut', 'data: cut\nid: 2\n', 'id: 2\ndata: whole\n'])(
    'ignores an event that was cut off: %j',
    (cut) => {
      expect(lastIdOf(`id: 1\ndata: a\n\n${cut}`)).toBe('1');
      expect(lastIdOf(cut)).toBeUndefined();
    },
  );
});

describe('onRetry', () => {
  const retriesOf = (text: string): number[] => {
    const retries: number[] = [];
    const reader = new SseReader({
      maxBytes: 1_000,
      onEvent: () => undefined,
      onOverflow: () => undefined,
      onRetry: (milliseconds) => void retries.push(milliseconds),
    });
    reader.push(text);
    return retries;
  };

  it('reports each delay that the server sends', () => {
    expect(retriesOf('retry: 0\nretry:1500\ndata: a\n\nretry: 999999999\n')).toEqual([0, 1_500, 999_999_999]);
  });

  it.each(['', 'x', '1.5', '-1', '1e3', ' 7', '0x10', '1000000000', '99999999999999999999'])(
    'ignores the value %j',
    (value) => {
      expect(retriesOf(`retry: ${value}\n`)).toEqual([]);
    },
  );

  it('is optional', () => {
    expect(read(['retry: 5\ndata: a\n\n'])).toHaveLength(1);
  });
});
