/**
 * Reads the events of a run from OpenClaw's gateway (protocol 4). The gateway sends the text twice: as `agent` events
 * message by message, and as `chat` events with the combined text. It sends `chat` less often and drops it for slow readers.
 */
import { isRecord, textAt } from '../../lib/record.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Returns undefined if the event is about another run, or not part of an answer. */
export function readEvent(event: string, payload: unknown, runId: string): TurnEvent | undefined {
  if (!isRecord(payload) || payload['runId'] !== runId) return undefined;
  const seq = typeof payload['seq'] === 'number' ? payload['seq'] : 0;
  if (event === 'chat') return readChat(payload, seq);
  const { stream, data } = payload;
  if (event !== 'agent' || !isRecord(data)) return undefined;
  switch (stream) {
    case 'assistant':
      return readSaid(data, seq);
    case 'item':
      return readAside(data, seq);
    case 'tool':
      return readTool(data, seq);
    case 'lifecycle':
      return readTrouble(data, seq);
    default:
      return undefined;
  }
}

/** The gateway sends the last 500,000 characters of a turn. Each time it cuts, it also sets `replace`. */
const SHOWN_CHARS = 500_000;

function readChat(payload: Payload, seq: number): TurnEvent | undefined {
  const { text, media } = readMessage(payload['message']);
  const reason = textAt(payload, 'errorMessage');
  switch (payload['state']) {
    case 'delta':
      // The cut may drop one more character, half of a surrogate pair.
      return {
        kind: 'whole',
        seq,
        text,
        isReplaced: payload['replace'] === true && text.length < SHOWN_CHARS - 1,
      };
    case 'final':
      return { kind: 'ended', how: 'done', text: text || undefined, media, reason: undefined };
    case 'aborted':
      return { kind: 'ended', how: 'aborted', text: text || undefined, media, reason };
    case 'error':
      return { kind: 'ended', how: 'failed', text: text || undefined, media, reason };
    default:
      return undefined;
  }
}

/** Reads the final response to `agent`. It has only the text of the last message. */
export function readReply(payload: unknown): TurnEvent[] {
  if (!isRecord(payload)) return [];
  const { status, result, stopReason } = payload;
  if (status === 'accepted') return [];
  const blocks = isRecord(result) && Array.isArray(result['payloads']) ? result['payloads'] : [];
  const replied: TurnEvent = {
    kind: 'replied',
    blocks: blocks
      .filter(isRecord)
      .map((block) => ({ text: textAt(block, 'text') ?? '', media: readAddresses(block) })),
  };
  // OpenClaw reports an aborted run as a timeout.
  const how = status === 'ok' ? 'done' : status === 'timeout' && stopReason === 'rpc' ? 'aborted' : 'failed';
  const reason = how === 'failed' ? textAt(payload, 'summary') : undefined;
  return [replied, { kind: 'ended', how, text: undefined, media: [], reason }];
}

function readSaid(data: Payload, seq: number): TurnEvent | undefined {
  const item = textAt(data, 'itemId');
  const media = readAddresses(data);
  // Without an item id, messages cannot be told apart. `chat` has the text as well.
  if (item === undefined && media.length === 0) return undefined;
  const { text, delta } = item === undefined ? {} : data;
  return {
    kind: 'said',
    seq,
    item: item ?? '',
    text: typeof text === 'string' ? text : undefined,
    delta: typeof delta === 'string' ? delta : '',
    media,
  };
}

function readAside(data: Payload, seq: number): TurnEvent | undefined {
  const item = textAt(data, 'itemId');
  const text = textAt(data, 'progressText');
  if (data['kind'] !== 'preamble' || item === undefined || text === undefined) return undefined;
  return { kind: 'aside', seq, item, text };
}

function readTool(data: Payload, seq: number): TurnEvent | undefined {
  const { phase, isError, result } = data;
  const id = textAt(data, 'toolCallId');
  if (id === undefined || (phase !== 'start' && phase !== 'result')) return undefined;
  return {
    kind: 'tool',
    seq,
    id,
    name: textAt(data, 'name') ?? '',
    result: phase === 'start' ? undefined : { isError: isError === true, text: readMessage(result).text },
  };
}

/** An error of a run that continues: OpenClaw may try another model. `chat` reports the end. */
function readTrouble(data: Payload, seq: number): TurnEvent | undefined {
  const message = data['phase'] === 'error' ? textAt(data, 'error') : undefined;
  return message === undefined || data['aborted'] === true ? undefined : { kind: 'troubled', seq, message };
}

/** A message of the gateway: `content` is a text, or a list of blocks. */
interface Message {
  readonly text: string;
  readonly media: readonly MediaReference[];
}

export function readMessage(message: unknown): Message {
  const content = isRecord(message) ? message['content'] : undefined;
  if (typeof content === 'string') return { text: content, media: [] };
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return {
    text: blocks
      .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : []))
      .join('\n\n'),
    media: blocks.flatMap(readMedia),
  };
}

/** Reads `mediaUrls` and `mediaUrl`. */
function readAddresses({ mediaUrls, mediaUrl }: Readonly<Record<string, unknown>>): MediaReference[] {
  const all = new Set([...(Array.isArray(mediaUrls) ? mediaUrls : []), mediaUrl]);
  return [...all].flatMap((url) => (typeof url === 'string' && url !== '' ? reference({ url }) : []));
}

/** Returns none for text and calls, and for media that the gateway left out because of their size. */
function readMedia(block: Readonly<Record<string, unknown>>): MediaReference[] {
  const found = reference(block);
  return found.url === undefined && found.data === undefined ? [] : [found];
}

const reference = (block: Readonly<Record<string, unknown>>): MediaReference => ({
  url: textAt(block, 'url'),
  data: textAt(block, 'data'),
  mimeType: textAt(block, 'mimeType'),
  name: textAt(block, 'fileName') ?? textAt(block, 'alt'),
  size: typeof block['sizeBytes'] === 'number' ? block['sizeBytes'] : undefined,
});

/** An event of one turn, from a gateway or a local run. `seq` orders the events of one stream. */
export type TurnEvent = Said | Aside | Written | Whole | ToolEvent | Troubled | Replied | Ended;

/** A piece of one message. The model writes several messages in a turn, with tool calls between them. */
interface Said {
  readonly kind: 'said';
  readonly seq: number;
  /** The id of the message. */
  readonly item: string;
  /** The message so far; undefined if only the delta was sent. */
  readonly text: string | undefined;
  readonly delta: string;
  readonly media: readonly MediaReference[];
}

/** Text before a tool call. A text that came in one piece is sent only like this, any other also as `Said`. */
interface Aside {
  readonly kind: 'aside';
  readonly seq: number;
  readonly item: string;
  /** The text so far, on one line. */
  readonly text: string;
}

/** A message with its line breaks, read from the history. */
interface Written {
  readonly kind: 'written';
  readonly text: string;
}

/** The combined text of all messages so far. */
interface Whole {
  readonly kind: 'whole';
  readonly seq: number;
  readonly text: string;
  /** Whether it withdraws earlier text instead of adding to it. */
  readonly isReplaced: boolean;
}

interface ToolEvent {
  readonly kind: 'tool';
  readonly seq: number;
  /** The id of the call. */
  readonly id: string;
  readonly name: string;
  /** Undefined if it has only begun. */
  readonly result: { readonly isError: boolean; readonly text: string } | undefined;
}

/** The model or its run failed. Another attempt may follow. */
interface Troubled {
  readonly kind: 'troubled';
  readonly seq: number;
  readonly message: string;
}

/** The blocks of the final response: the whole turn, or only the last message. */
interface Replied {
  readonly kind: 'replied';
  readonly blocks: readonly { readonly text: string; readonly media: readonly MediaReference[] }[];
}

/** The end. It has no `seq`: after a failure the gateway restarts its count. */
interface Ended {
  readonly kind: 'ended';
  readonly how: 'done' | 'aborted' | 'failed';
  /** The final text, if the event has one. */
  readonly text: string | undefined;
  readonly media: readonly MediaReference[];
  /** Why it was aborted or failed. */
  readonly reason: string | undefined;
}

/** An image, a sound or a file of an answer: at a URL, or inline. */
export interface MediaReference {
  readonly url: string | undefined;
  /** Base64. */
  readonly data: string | undefined;
  readonly mimeType: string | undefined;
  readonly name: string | undefined;
  readonly size: number | undefined;
}
