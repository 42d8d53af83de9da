/**
 * One answer of all that is heard of a turn. It depends on what was heard and not on when: events may come in any order
 * and more than once, deltas in any pieces.
 */
import { createItems, type Message } from './items.ts';
import { joinTexts, mergeText } from './merge-text.ts';
import type { MediaReference, TurnEvent } from './turn-event.ts';

export interface Answer {
  readonly state: 'running' | 'done' | 'aborted' | 'failed';
  /** All messages of the turn so far, each once. */
  readonly text: string;
  readonly media: readonly MediaReference[];
  readonly tools: readonly ToolUse[];
  /** Why it is not done, where that is known. */
  readonly reason: string | undefined;
  /** Whether something in the text may lack its lines. */
  readonly hasAsides: boolean;
}

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** Undefined: it runs. */
  readonly result: { readonly isError: boolean; readonly text: string } | undefined;
}

/** For whoever hears events one by one. */
export interface Turn {
  note(event: TurnEvent): void;
  answer(): Answer;
}

export function aggregate(events: Iterable<TurnEvent>): Answer {
  const turn = createTurn();
  for (const event of events) turn.note(event);
  return turn.answer();
}

type Of<K extends TurnEvent['kind']> = Extract<TurnEvent, { readonly kind: K }>;

const RANK = { done: 4, aborted: 2, failed: 0 } as const;
/** Where an end is told twice and differently: a whole answer is one, whatever else was tried. */
const weight = ({ how, text }: Of<'ended'>): number => RANK[how] + (text === undefined ? 0 : 1);
const texts = (all: readonly { readonly text: string }[]): string[] => all.map(({ text }) => text);

/** What an agent writes that has nothing to say. */
const SILENT = 'NO_REPLY';

export function createTurn(): Turn {
  const items = createItems();
  const asides = createAsides();
  const tools = new Map<string, Of<'tool'>>();
  let whole: Of<'whole'> | undefined;
  let replacedAt = -1;
  let trouble: Of<'troubled'> | undefined;
  let replied: Of<'replied'> | undefined;
  let ended: Of<'ended'> | undefined;

  function noteTool(event: Of<'tool'>): void {
    const known = tools.get(event.id);
    const seq = Math.min(event.seq, known?.seq ?? event.seq);
    tools.set(event.id, { ...event, seq, result: event.result ?? known?.result });
  }

  /** In their order, without what was taken back. */
  function messages(): Message[] {
    const said = items.messages();
    const toolSeqs = [...tools.values()].map(({ seq }) => seq);
    return [
      ...said.filter(({ text, lastSeq }) => lastSeq > replacedAt && text !== SILENT),
      ...asides.besides(said, toolSeqs),
    ].toSorted((a, b) => a.firstSeq - b.firstSeq);
  }

  function text(parts: readonly Message[]): string {
    const told = (ended?.text ?? whole?.text ?? '').trim();
    const shown = joinTexts(texts(parts.filter(({ isAside }) => !isAside)));
    // Usually messages were heard from the beginning, and what is told of them together is their beginning or their end.
    const isHeard = shown.startsWith(told) || shown.endsWith(told);
    const all = isHeard ? joinTexts(texts(parts)) : withMissing(parts, told);
    return mergeText(texts(replied?.blocks ?? []), all);
  }

  function withMissing(parts: readonly Message[], told: string): string {
    const toldAt = ended?.text === undefined ? (whole?.seq ?? -1) : Infinity;
    const line = onOneLine(told);
    // Nobody has heard the message that an aside was said in, too.
    const lacking = parts.filter(({ text, isAside }) => !isAside || !line.includes(onOneLine(text)));
    // A message that was begun before and goes on is told together with the others in a moment.
    const before = lacking.filter(
      ({ firstSeq, lastSeq, isAside }) => (isAside ? firstSeq : lastSeq) <= toldAt,
    );
    const since = lacking.filter(({ firstSeq }) => firstSeq > toldAt);
    return joinTexts([mergeText(texts(before), told), ...texts(since)]);
  }

  return {
    note(event) {
      switch (event.kind) {
        case 'said':
          return items.note(event);
        case 'aside':
        case 'written':
          return asides.note(event);
        case 'whole':
          if (isLater(event, whole)) whole = event;
          if (event.isReplaced) replacedAt = Math.max(replacedAt, event.seq);
          return;
        case 'tool':
          return noteTool(event);
        case 'troubled':
          if (trouble === undefined || event.seq > trouble.seq) trouble = event;
          return;
        case 'replied':
          replied ??= event;
          return;
        case 'ended':
          if (ended === undefined || weight(event) > weight(ended)) ended = event;
      }
    },
    answer() {
      const parts = messages();
      return {
        state: ended?.how ?? 'running',
        text: text(parts),
        media: distinct([
          ...items.media(),
          ...(replied?.blocks.flatMap(({ media }) => media) ?? []),
          ...(ended?.media ?? []),
        ]),
        tools: [...tools.values()]
          .toSorted((a, b) => a.seq - b.seq)
          .map(({ id, name, result }) => ({ id, name, result })),
        reason: ended?.how === 'done' ? undefined : (ended?.reason ?? trouble?.message),
        hasAsides: parts.some(({ isAside }) => isAside),
      };
    },
  };
}

/** Two with the same number: the longer has more of it. */
const isLater = (event: Of<'whole'>, known: Of<'whole'> | undefined): boolean =>
  known === undefined ||
  event.seq > known.seq ||
  (event.seq === known.seq && event.text.length > known.text.length);

function distinct(media: readonly MediaReference[]): MediaReference[] {
  const known = new Map<string | undefined, MediaReference>();
  for (const each of media) {
    const key = each.url ?? each.data;
    if (!known.has(key)) known.set(key, each);
  }
  return [...known.values()];
}

type Aside = Extract<TurnEvent, { readonly kind: 'aside' }>;
type Written = Extract<TurnEvent, { readonly kind: 'written' }>;

interface Asides {
  note(event: Aside | Written): void;
  /** Those that are not in the messages. `toolSeqs`: when tools were called. */
  besides(messages: readonly Message[], toolSeqs: readonly number[]): Message[];
}

/** What a model said before it called a tool, as far as it was not told as a message as well. */
function createAsides(): Asides {
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
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
