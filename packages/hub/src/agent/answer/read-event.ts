/**
 * What OpenClaw's gateway (protocol 4) tells about a run, in our words. It tells the text twice: as `agent` events message
 * by message, and as `chat` events all of it, told less often and dropped towards a slow reader.
 */
import { isRecord } from '../../lib/is-record.ts';
import { textAt } from '../../lib/text-at.ts';
import { readAddresses, readMessage } from './message.ts';
import type { TurnEvent } from './turn-event.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Undefined: it is about another run, or says nothing that belongs to an answer. */
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

/** The gateway shows the last so many characters of a turn; it replaces what it has shown each time that it cuts. */
const SHOWN_CHARS = 500_000;

function readChat(payload: Payload, seq: number): TurnEvent | undefined {
  const { text, media } = readMessage(payload['message']);
  const reason = textAt(payload, 'errorMessage');
  switch (payload['state']) {
    case 'delta':
      // Half of a pair is not kept where it cuts.
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

/** The second answer to `agent`: of the text, it has the last message alone. */
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
  // What was stopped by somebody is told as if it had taken too long.
  const how = status === 'ok' ? 'done' : status === 'timeout' && stopReason === 'rpc' ? 'aborted' : 'failed';
  const reason = how === 'failed' ? textAt(payload, 'summary') : undefined;
  return [replied, { kind: 'ended', how, text: undefined, media: [], reason }];
}

function readSaid(data: Payload, seq: number): TurnEvent | undefined {
  const item = textAt(data, 'itemId');
  const media = readAddresses(data);
  // Without the message's id nobody knows where one ends and the next begins; `chat` has the text, too.
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

/** What is told of a run while it goes on: the end is told by `chat`, and after an error another model may be asked. */
function readTrouble(data: Payload, seq: number): TurnEvent | undefined {
  const message = data['phase'] === 'error' ? textAt(data, 'error') : undefined;
  return message === undefined || data['aborted'] === true ? undefined : { kind: 'troubled', seq, message };
}
