/** Turns of an agent as OpenClaw tells them, for tests of properties. */
import fc from 'fast-check';
import type { TurnEvent } from '../../packages/hub/src/agent/answer/read-event.ts';

/** Few letters, so that messages are often alike, or one is the beginning or the end of another. */
const message = fc
  .array(fc.constantFrom('a', 'b', 'ok', ' ', '\n', '\n\n', 'é', '😀'), { minLength: 1, maxLength: 8 })
  .map((letters) => letters.join('').trim())
  .filter((text) => text !== '');

/** A message before the call of a tool is told as said, as an aside on one line, or as both. */
type Way = 'said' | 'aside' | 'both';

export interface Told {
  /** The whole text. */
  text: string;
  /** Those that were said: of the others, no whole has anything. */
  messages: string[];
  /** Message by message, with calls of tools in between. */
  parts: TurnEvent[];
  /** What was shown at each step. */
  wholes: TurnEvent[];
  /** What there is of the text after each number. */
  until: Map<number, string>;
}

export const joined = (texts: readonly string[]): string => texts.join('\n\n');
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** A turn as it is told: each message in pieces, with what there is of it so far or without. */
export const turnOf = (...ways: Way[]): fc.Arbitrary<Told> =>
  fc
    .record({
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
      ways: fc.infiniteStream(fc.constantFrom(...ways)),
      cuts: fc.infiniteStream(fc.nat({ max: 4 })),
      withText: fc.infiniteStream(fc.boolean()),
    })
    .map(({ messages, ways: each, cuts, withText }) => {
      const told: Told = { text: '', messages: [], parts: [], wholes: [], until: new Map() };
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
          told.parts.push({
            kind: 'said',
            seq,
            item: `run:${place}`,
            text: withText.next().value ? text : undefined,
            delta: whole.slice(at, end),
            media: [],
          });
          told.wholes.push({
            kind: 'whole',
            seq,
            text: joined([...told.messages, text]),
            isReplaced: false,
          });
          told.until.set(seq, joined([...before, text]).trim());
          at = end;
        }
        const flat = onOneLine(whole);
        const asideChars = way === 'said' ? 0 : flat.length;
        for (let at = 0; at < asideChars;) {
          // What was said before is told at once.
          at = way === 'both' ? asideChars : Math.min(asideChars, at + 1 + cuts.next().value!);
          const text = flat.slice(0, at).trim();
          seq += 2;
          told.parts.push({ kind: 'aside', seq, item: `aside:${place}`, text });
          told.until.set(seq, joined([...before, way === 'both' ? whole : text]));
        }
        before.push(way === 'aside' ? flat : whole);
        if (way !== 'aside') told.messages.push(whole);
        if (!isLast)
          told.parts.push({ kind: 'tool', seq: ++seq, id: `${place}`, name: 'exec', result: undefined });
      }
      return { ...told, text: joined(before) };
    });
