/**
 * JSON of answers with media in them, in pieces. A picture of a screen is some megabytes of base64, several times in one
 * answer: it is a piece of its own each time, and is not put together with the rest.
 */
import { jsonBytes, quoted, toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { Base64, DataUri } from '../registry/base64.ts';
import type { MediaItem, Payload } from '../registry/capability.ts';

export type Pieces = readonly ByteText[];

/** `inText`: as it is written inside of a JSON string. */
export type Place = 'json' | 'inText';

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

/** MCP has no content for video: a resource that is inside of the answer carries it. */
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

/** Short ones one after the other become one. */
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
