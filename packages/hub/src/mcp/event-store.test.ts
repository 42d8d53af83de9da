import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStore } from './event-stream.ts';

const store = (maxReplayEvents = 100, maxReplayBytes = 1_000): EventStore =>
  new EventStore({ maxReplayEvents, maxReplayBytes });

describe('events', () => {
  it('are replayed per stream, in order, after the given one', () => {
    const events = store();
    for (const [stream, count] of [
      [1, 1],
      [2, 1],
      [1, 2],
      [1, 3],
    ] as const)
      events.add({ stream, count, text: `${stream}_${count};` });
    expect(events.after(1, 0)).toBe('1_1;1_2;1_3;');
    expect(events.after(1, 2)).toBe('1_3;');
    expect(events.after(1, 3)).toBe('');
    expect(events.after(2, 0)).toBe('2_1;');
    expect(events.after(3, 0)).toBe('');
    expect([events.has(2), events.has(3)]).toEqual([true, false]);
  });

  it('of a forgotten stream are removed', () => {
    const events = store();
    events.add({ stream: 1, count: 1, text: 'a' });
    events.add({ stream: 2, count: 1, text: 'b' });
    events.forget(1);
    expect([events.has(1), events.after(2, 0)]).toEqual([false, 'b']);
  });

  it('above the count limit push out the oldest', () => {
    const events = store(2);
    for (const count of [1, 2, 3]) events.add({ stream: 1, count, text: `${count}` });
    expect(events.after(1, 0)).toBe('23');
  });

  it('above the byte limit push out the oldest', () => {
    const events = store(100, 10);
    events.add({ stream: 1, count: 1, text: 'aaaa' });
    events.add({ stream: 1, count: 2, text: 'bbbb' });
    events.add({ stream: 1, count: 3, text: 'cccccc' });
    expect(events.after(1, 0)).toBe('bbbbcccccc');
  });

  it('larger than the whole buffer are not stored and push out nothing', () => {
    const events = store(100, 10);
    events.add({ stream: 1, count: 1, text: 'a' });
    events.add({ stream: 1, count: 2, text: 'b'.repeat(11) });
    expect(events.after(1, 0)).toBe('a');
  });

  it('never exceed the limits', () => {
    const event = fc.record({ stream: fc.nat(3), length: fc.nat(40), isForgotten: fc.boolean() });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 100 }), (sequence) => {
        const events = store(5, 50);
        for (const [count, { stream, length, isForgotten }] of sequence.entries()) {
          events.add({ stream, count: count + 1, text: 'x'.repeat(length) });
          if (isForgotten) events.forget(3 - stream);
          const kept = [0, 1, 2, 3].map((each) => events.after(each, 0).length);
          expect(kept.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(50);
          expect(events.after(stream, count)).toHaveLength(length);
        }
      }),
    );
  });
});
