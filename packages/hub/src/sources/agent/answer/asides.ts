/** What a model said before it called a tool, as far as it was not told as a message as well. */
import type { Message } from './items.ts';
import type { TurnEvent } from './turn-event.ts';

type Aside = Extract<TurnEvent, { readonly kind: 'aside' }>;
type Written = Extract<TurnEvent, { readonly kind: 'written' }>;

export interface Asides {
  note(event: Aside | Written): void;
  /** Those that are not in the messages. `toolSeqs`: when tools were called. */
  besides(messages: readonly Message[], toolSeqs: readonly number[]): Message[];
}

export function createAsides(): Asides {
  const asides = new Map<string, Message>();
  /** Texts with their lines, by what they are on one. */
  const written = new Map<string, string>();
  return {
    note(event) {
      if (event.kind === 'written') return void written.set(onOneLine(event.text), event.text);
      const { item, seq, text } = event;
      const known = asides.get(item);
      asides.set(item, {
        text: known === undefined || seq >= known.lastSeq ? text : known.text,
        firstSeq: Math.min(seq, known?.firstSeq ?? seq),
        lastSeq: Math.max(seq, known?.lastSeq ?? seq),
        isAside: true,
      });
    },
    besides: (messages, toolSeqs) =>
      [...asides.values()].flatMap((aside) => {
        const said = messages.findLast(({ firstSeq }) => firstSeq < aside.firstSeq);
        // Where a tool was called in between, it is another message, even where it says the same.
        const isSaid =
          said !== undefined &&
          !toolSeqs.some((seq) => seq > said.firstSeq && seq < aside.firstSeq) &&
          isSameText(onOneLine(said.text), aside.text);
        return isSaid ? [] : { ...aside, text: written.get(aside.text) ?? aside.text };
      }),
  };
}

const isSameText = (message: string, aside: string): boolean =>
  message !== '' && (message.includes(aside) || aside.startsWith(message));

/** As OpenClaw tells an aside. */
export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
