/** Random turns of an agent as OpenClaw reports them, for property tests. */
import fc from 'fast-check';
import type { TurnEvent } from '../../packages/hub/src/agent/answer/read-event.ts';

/** Few letters, so that messages are often equal, or one is a prefix or suffix of another. */
const message = fc
  .array(fc.constantFrom('a', 'b', 'ok', ' ', '\n', '\n\n', 'é', '😀'), { minLength: 1, maxLength: 8 })
  .map((letters) => letters.join('').trim())
  .filter((text) => text !== '');

/** How a message before a tool call is reported: as said, as an aside on one line, or both. */
type Way = 'said' | 'aside' | 'both';

export interface RandomTurn {
  text: string;
  /** The messages reported as said. The `wholes` contain only these. */
  messages: string[];
  /** Events per message, with tool calls in between. */
  parts: TurnEvent[];
  /** The whole text so far, after each step. */
  wholes: TurnEvent[];
  /** The expected text after each sequence number. */
  until: Map<number, string>;
}

export const joined = (texts: readonly string[]): string => texts.join('\n\n');
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** A turn whose messages arrive in pieces, with or without the text so far. */
export const turnOf = (...ways: Way[]): fc.Arbitrary<RandomTurn> =>
  fc
    .record({
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
      ways: fc.infiniteStream(fc.constantFrom(...ways)),
      cuts: fc.infiniteStream(fc.nat({ max: 4 })),
      withText: fc.infiniteStream(fc.boolean()),
    })
    .map(({ messages, ways: each, cuts, withText }) => {
      const turn: RandomTurn = { text: '', messages: [], parts: [], wholes: [], until: new Map() };
      const before: string[] = [];
      let seq = 0;
      for (const [place, whole] of messages.entries()) {
        const isLast = place === messages.length - 1;
        const way = isLast ? 'said' : each.next().value!;
        const saidChars = way === 'aside' ? 0 : whole.length;
        for (let at = 0; at < saidChars;) {
          const end = Math.min(saidChars, at + 1 + cuts.next().value!);
          const text = whole.slice(0, end);
          seq += 2;
          turn.parts.push({
            kind: 'said',
            seq,
            item: `run:${place}`,
            text: withText.next().value ? text : undefined,
            delta: whole.slice(at, end),
            media: [],
          });
          turn.wholes.push({
            kind: 'whole',
            seq,
            text: joined([...turn.messages, text]),
            isReplaced: false,
          });
          turn.until.set(seq, joined([...before, text]).trim());
          at = end;
        }
        const flat = onOneLine(whole);
        const asideChars = way === 'said' ? 0 : flat.length;
        for (let at = 0; at < asideChars;) {
          // If the message was also reported as said, the aside comes in one piece.
          at = way === 'both' ? asideChars : Math.min(asideChars, at + 1 + cuts.next().value!);
          const text = flat.slice(0, at).trim();
          seq += 2;
          turn.parts.push({ kind: 'aside', seq, item: `aside:${place}`, text });
          turn.until.set(seq, joined([...before, way === 'both' ? whole : text]));
        }
        before.push(way === 'aside' ? flat : whole);
        if (way !== 'aside') turn.messages.push(whole);
        if (!isLast)
          turn.parts.push({ kind: 'tool', seq: ++seq, id: `${place}`, name: 'exec', result: undefined });
      }
      return { ...turn, text: joined(before) };
    });
