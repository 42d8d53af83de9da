/**
 * The outcome of a command in MCP's form: its payload with media, or its failure. Base64 of several megabytes may occur
 * more than once in an answer, so each occurrence is a separate piece and the pieces are not joined.
 */
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { FAILURE_CODE_KEY, type Era } from '../../core/protocol.ts';
import type { MediaBytes } from '../../core/request.ts';
import { jsonBytes, quoted, toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import {
  Base64,
  DataUri,
  type MediaItem,
  type Payload,
  type Command,
  CommandFailure,
} from '../registry/capability.ts';
import { LIST_MEMBER } from '../registry/tool.ts';

/** The answer to a call: the payload as text and as structured content, and media beside it. */
export function answerOf(command: Command, payload: Payload, bytes?: MediaBytes): Outcome {
  const media = command.media?.(payload) ?? [];
  const lean = media.length === 0 ? payload : without(payload, command.bulky ?? []);
  const structured = payloadPieces(bytes === 'structured' ? payload : lean, 'json');
  const pieces = joined([
    '{"content":[{"type":"text","text":"',
    ...payloadPieces(bytes === 'in-text' ? payload : lean, 'inText'),
    '"}',
    ...media.flatMap((item) => [',', ...itemPieces(item)]),
    '],"structuredContent":',
    ...(Array.isArray(payload) ? [`{"${LIST_MEMBER}":`, ...structured, '}'] : structured),
    ',"isError":false}',
  ]);
  // Not `join`: concatenation is lazy, so the text is only built if it is read.
  const result = pieces.reduce((all, piece) => all + piece, '');
  return { kind: 'ok', result, era: 'legacy', extra: '', ...(pieces.length > 1 && { pieces }) };
}

function without(payload: Payload, bulky: readonly string[]): Payload {
  if (Array.isArray(payload)) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !bulky.includes(key)));
}

type Pieces = readonly ByteText[];

/** `inText`: escaped for use inside of a JSON string. */
type Place = 'json' | 'inText';

export function payloadPieces(payload: Payload, place: Place): Pieces {
  if (Array.isArray(payload)) return [jsonIn(payload, place)];
  const members = Object.entries(payload).filter(([, value]) => value !== undefined);
  return [
    '{',
    ...members.flatMap(([name, value], index) => [
      `${index === 0 ? '' : ','}${jsonIn(name, place)}:`,
      ...valuePieces(value, place),
    ]),
    '}',
  ];
}

/** MCP has no content type for video, so an embedded resource carries it. */
export function itemPieces({ type, data, mimeType }: MediaItem): Pieces {
  const content = valuePieces(data, 'json');
  return type === 'video'
    ? [
        `{"type":"resource","resource":{"uri":"device://clip","mimeType":${quoted(mimeType)},"blob":`,
        ...content,
        '}}',
      ]
    : [`{"type":"${type}","data":`, ...content, `,"mimeType":${quoted(mimeType)}}`];
}

/** Joins adjacent short pieces. */
export function joined(pieces: Pieces): Pieces {
  const all: ByteText[] = [];
  let short = '';
  for (const piece of pieces) {
    if (piece.length < LONG_CHARS) short += piece;
    else {
      all.push(short, piece);
      short = '';
    }
  }
  return [...all, short];
}

const LONG_CHARS = 64 * 1024;
const QUOTE: Readonly<Record<Place, ByteText>> = { json: '"', inText: String.raw`\"` };

function valuePieces(value: unknown, place: Place): Pieces {
  const quote = QUOTE[place];
  if (value instanceof Base64) return [quote, value.text, quote];
  if (value instanceof DataUri) return [quote + value.head, value.data.text, quote];
  return [jsonIn(value, place)];
}

function jsonIn(value: unknown, place: Place): ByteText {
  return place === 'json' ? jsonBytes(value) : toByteText(JSON.stringify(JSON.stringify(value)).slice(1, -1));
}

/** The message and its hint as one text. */
const failureText = ({ message, hint }: { message: string; hint?: string | undefined }): string =>
  hint === undefined ? message : `${message}${/[.!?]$/.test(message) ? '' : '.'} ${hint}`;

/** Seed 000: a failure of a tool is a result, never a protocol error. */
const errorResult = (text: string, era: Era, code?: string): ByteText =>
  jsonBytes({
    content: [{ type: 'text', text }],
    isError: true,
    ...(era === 'modern' && { resultType: 'complete' }),
    ...(code !== undefined && { _meta: { [FAILURE_CODE_KEY]: code } }),
  });

/** The command ran and failed. */
const failed = (text: string, code?: string): Outcome => ({
  kind: 'tool_error',
  result: errorResult(text, 'legacy', code),
  era: 'legacy',
  extra: '',
});

/** `era`: the caller's era. */
export const refused = (reason: PincerError, era: Era, text = failureText(reason)): Outcome => ({
  kind: 'not_executed',
  reason,
  shown: errorResult(text, era),
});

/** The outcome for an error of a command. `hasBegun`: whether it may have had an effect. */
export function outcomeOf(error: unknown, era: Era, hasBegun: boolean): Outcome {
  if (error instanceof CommandFailure) {
    const { code, notExecuted } = error;
    const text = failureText(error);
    if (hasBegun && !notExecuted) return failed(text, code);
    const reason = new PincerError('TOOL_ERROR', text, { data: code === undefined ? undefined : { code } });
    return { kind: 'not_executed', reason, shown: errorResult(text, era, code) };
  }
  if (PincerError.is(error)) {
    if (!hasBegun) return refused(error, era);
    return { kind: 'outcome_unknown', reason: error, shown: errorResult(failureText(error), era) };
  }
  // Other errors are only logged: they may name paths and devices.
  return failed('Internal error. See the log of the hub.');
}
