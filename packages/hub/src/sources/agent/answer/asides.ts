/** What a model said before it called a tool, as far as it was not told as a message as well. */
import type { Message } from './items.ts';
import type { TurnEvent } from './turn-event.ts';

type Aside = Extract<TurnEvent, { readonly kind: 'aside' }>;

export interface Asides {
  note(event: Aside): void;
  /** Those that are not in the messages. `toolSeqs`: when tools were called. */
  besides(messages: readonly Message[], toolSeqs: readonly number[]): Message[];
}

export function createAsides(): Asides {
  const asides = new Map<string, Message>();
  return {
    note({ item, seq, text }) {
      const known = asides.get(item);
      asides.set(item, {
        text: known === undefined || seq >= known.lastSeq ? text : known.text,
        firstSeq: Math.min(seq, known?.firstSeq ?? seq),
        lastSeq: Math.max(seq, known?.lastSeq ?? seq),
        isAside: true,
      });
    },
    besides: (messages, toolSeqs) =>
      [...asides.values()].filter((aside) => {
        const said = messages.findLast(({ firstSeq }) => firstSeq < aside.firstSeq);
        if (said === undefined) return true;
        // A tool was called in between, so that this is another message, even where it says the same.
        if (toolSeqs.some((seq) => seq > said.firstSeq && seq < aside.firstSeq)) return true;
        return !isSameText(onOneLine(said.text), aside.text);
      }),
  };
}

const isSameText = (message: string, aside: string): boolean =>
  message !== '' && (message.includes(aside) || aside.startsWith(message));

/** As OpenClaw tells an aside. */
export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
