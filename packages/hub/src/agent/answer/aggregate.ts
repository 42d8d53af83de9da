/**
 * Aggregates the events of a turn into one answer. The result does not depend on their order: events may come in any
 * order and more than once, and deltas in any pieces.
 */
import type { MediaReference, TurnEvent } from './read-event.ts';

interface Answer {
  readonly state: 'running' | 'done' | 'aborted' | 'failed';
  /** All messages so far, each once. */
  readonly text: string;
  readonly media: readonly MediaReference[];
  readonly tools: readonly ToolUse[];
  /** Why it is not done, if known. */
  readonly reason: string | undefined;
  /** Whether the text may lack line breaks: asides come on one line. */
  readonly hasAsides: boolean;
}

interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** Undefined while it runs. */
  readonly result: { readonly isError: boolean; readonly text: string } | undefined;
}

/** An answer that grows with each event. */
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
/** If two events report different ends, the one with the higher weight counts: a whole answer beats a failed attempt. */
const weight = ({ how, text }: Of<'ended'>): number => RANK[how] + (text === undefined ? 0 : 1);
const texts = (all: readonly { readonly text: string }[]): string[] => all.map(({ text }) => text);

/** What an agent writes instead of an empty reply. */
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

  /** In order, without messages that were withdrawn. */
  function messages(): Message[] {
    const complete = items.messages();
    const toolSeqs = [...tools.values()].map(({ seq }) => seq);
    return [
      ...complete.filter(({ text, lastSeq }) => lastSeq > replacedAt && text !== SILENT),
      ...asides.besides(complete, toolSeqs),
    ].toSorted((a, b) => a.firstSeq - b.firstSeq);
  }

  function text(parts: readonly Message[]): string {
    const combined = (ended?.text ?? whole?.text ?? '').trim();
    const shown = joinTexts(texts(parts.filter(({ isAside }) => !isAside)));
    // Usually all messages were received one by one, and the combined text is their beginning or their end.
    const isComplete = shown.startsWith(combined) || shown.endsWith(combined);
    const all = isComplete ? joinTexts(texts(parts)) : withMissing(parts, combined);
    return mergeText(texts(replied?.blocks ?? []), all);
  }

  function withMissing(parts: readonly Message[], combined: string): string {
    const combinedAt = ended?.text === undefined ? (whole?.seq ?? -1) : Infinity;
    const line = onOneLine(combined);
    // The combined text may contain an aside whose message was never received.
    const lacking = parts.filter(({ text, isAside }) => !isAside || !line.includes(onOneLine(text)));
    // A message that began before the combined text and still grows is in the next one.
    const before = lacking.filter(
      ({ firstSeq, lastSeq, isAside }) => (isAside ? firstSeq : lastSeq) <= combinedAt,
    );
    const since = lacking.filter(({ firstSeq }) => firstSeq > combinedAt);
    return joinTexts([mergeText(texts(before), combined), ...texts(since)]);
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

/** If two events have the same number, the longer one is later. */
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
  /** Returns those that are not in the messages. `toolSeqs`: when tools were called. */
  besides(messages: readonly Message[], toolSeqs: readonly number[]): Message[];
}

/** Texts that the model wrote before it called a tool, unless they also came as messages. */
function createAsides(): Asides {
  const asides = new Map<string, Message>();
  /** Texts with their line breaks, by the same text on one line. */
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
        const previous = messages.findLast(({ firstSeq }) => firstSeq < aside.firstSeq);
        // After a tool call it is another message, even with the same text.
        const isRepeated =
          previous !== undefined &&
          !toolSeqs.some((seq) => seq > previous.firstSeq && seq < aside.firstSeq) &&
          isSameText(onOneLine(previous.text), aside.text);
        return isRepeated ? [] : { ...aside, text: written.get(aside.text) ?? aside.text };
      }),
  };
}

const isSameText = (message: string, aside: string): boolean =>
  message !== '' && (message.includes(aside) || aside.startsWith(message));

/** The form in which OpenClaw sends an aside. */
const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

type Said = Extract<TurnEvent, { readonly kind: 'said' }>;

interface Item {
  firstSeq: number;
  lastSeq: number;
  /** The newest complete text of the message, and its number. */
  text: string;
  textSeq: number;
  /** Deltas after that text, by number. */
  readonly pieces: Map<number, string>;
}

/** A message that was put together from its pieces. */
interface Message {
  readonly text: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Whether it is missing in the combined text. */
  readonly isAside: boolean;
}

interface Items {
  note(event: Said): void;
  /** In order. */
  messages(): Message[];
  media(): MediaReference[];
}

function createItems(): Items {
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

const GAP = '\n\n';

/**
 * Inserts into the whole text the parts that it lacks. It searches from the end, because the whole text has all messages
 * or the last ones. Each part is matched as late as possible, so that it is not confused with one that begins alike.
 */
export function mergeText(parts: readonly string[], whole: string): string {
  let rest = whole.trim();
  let tail = '';
  /** The separator between `rest` and `tail`. */
  let gap = GAP;
  for (const part of parts.toReversed()) {
    const text = tidy(part);
    if (text === '') continue;
    const split = splitAt(rest, text);
    tail = joined(split?.after ?? text, split === undefined ? GAP : gap, tail);
    const before = split?.before ?? rest;
    rest = before.trimEnd();
    gap = split === undefined ? GAP : before.slice(rest.length);
  }
  return joined(rest, gap, tail);
}

const joined = (before: string, gap: string, after: string): string =>
  before === '' || after === '' ? before + after : before + gap + after;

const joinTexts = (texts: readonly string[]): string =>
  texts
    .map(tidy)
    .filter((text) => text !== '')
    .join(GAP);

/** Keeps the indentation of the first line. */
const tidy = (text: string): string => text.replace(/^\s*\n/, '').trimEnd();

interface Split {
  readonly before: string;
  /** The part and everything behind it. */
  readonly after: string;
}

/** Returns undefined if the part is not in the text. */
function splitAt(text: string, part: string): Split | undefined {
  // The gateway keeps the last 500,000 characters of a turn, so the first message may have lost its beginning.
  if (text !== '' && part.endsWith(text)) return { before: '', after: part };
  const at = lastStart(text, part);
  return at === undefined ? undefined : { before: text.slice(0, at), after: text.slice(at) };
}

/** Finds the last place where the part begins a line. */
export function lastStart(text: string, part: string, most = MAX_COMPARED): number | undefined {
  const line = `\n${part}`;
  const at =
    part.length * (text.length - part.length) > most ? lastIndex(text, line) : text.lastIndexOf(line);
  if (at !== -1) return at + 1;
  return text.startsWith(part) ? 0 : undefined;
}

/** Up to this many comparisons `lastIndexOf` is used. It is quadratic for texts with many equal lines. */
const MAX_COMPARED = 20_000_000;

/** `lastIndexOf` in linear time (Knuth, Morris, Pratt; from the end). */
function lastIndex(text: string, part: string): number {
  const last = part.length - 1;
  /** The failure table: after a mismatch behind `count` matched characters, how many still match. */
  const shorter = new Uint32Array(part.length + 1);
  const advance = (found: number, char: number): number => {
    let count = found;
    while (count > 0 && part.charCodeAt(last - count) !== char) count = shorter[count]!;
    return part.charCodeAt(last - count) === char ? count + 1 : 0;
  };
  for (let count = 1; count <= last; count++)
    shorter[count + 1] = advance(shorter[count]!, part.charCodeAt(last - count));
  for (let at = text.length - 1, found = 0; at >= 0; at--) {
    found = advance(found, text.charCodeAt(at));
    if (found > last) return at;
  }
  return -1;
}
