/** The messages of a turn, put together from their pieces. */
import type { MediaReference, TurnEvent } from './turn-event.ts';

type Said = Extract<TurnEvent, { readonly kind: 'said' }>;

interface Item {
  firstSeq: number;
  lastSeq: number;
  /** The message as far as it was told as a whole, and when. */
  text: string;
  textSeq: number;
  /** What was told later, piece by piece. */
  readonly pieces: Map<number, string>;
}

export interface Message {
  readonly text: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** It is not among what is told of the messages together. */
  readonly isAside: boolean;
}

export interface Items {
  note(event: Said): void;
  /** In their order. */
  messages(): Message[];
  media(): MediaReference[];
}

export function createItems(): Items {
  const items = new Map<string, Item>();
  const media = new Map<number, readonly MediaReference[]>();

  function noteText(item: Item, { seq, text, delta }: Said): void {
    if (text === undefined) {
      if (seq > item.textSeq) item.pieces.set(seq, delta);
    } else if (seq > item.textSeq) {
      item.text = text;
      item.textSeq = seq;
      for (const piece of item.pieces.keys()) if (piece <= seq) item.pieces.delete(piece);
    }
  }

  return {
    note(event) {
      const { seq } = event;
      let item = items.get(event.item);
      if (item === undefined) {
        item = { firstSeq: seq, lastSeq: seq, text: '', textSeq: -1, pieces: new Map() };
        items.set(event.item, item);
      }
      item.firstSeq = Math.min(item.firstSeq, seq);
      item.lastSeq = Math.max(item.lastSeq, seq);
      noteText(item, event);
      if (event.media.length > 0) media.set(seq, event.media);
    },
    messages: () =>
      [...items.values()]
        .toSorted((a, b) => a.firstSeq - b.firstSeq)
        .map(({ text, pieces, firstSeq, lastSeq }) => ({
          text: text + inOrder(pieces).join(''),
          firstSeq,
          lastSeq,
          isAside: false,
        })),
    media: () => inOrder(media).flat(),
  };
}

const inOrder = <T>(bySeq: ReadonlyMap<number, T>): T[] =>
  [...bySeq].toSorted(([a], [b]) => a - b).map(([, value]) => value);
