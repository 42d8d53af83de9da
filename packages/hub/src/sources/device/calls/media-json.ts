/**
 * JSON of answers with media in them. A picture of a screen is some megabytes of base64, several times in one answer:
 * what needs no escape is neither looked through for one nor copied.
 */
import { jsonBytes, quoted, toByteText, type ByteText } from '../../../core/wire/byte-text.ts';
import type { MediaItem, Payload } from '../registry/capability.ts';

/** The same JSON by itself, and as it is written inside of a JSON string. */
export interface TwofoldJson {
  readonly json: ByteText;
  readonly inText: ByteText;
}

export function payloadJson(payload: Payload): TwofoldJson {
  if (Array.isArray(payload)) return twofold(payload);
  let json = '';
  let inText = '';
  for (const [name, value] of Object.entries(payload)) {
    if (value === undefined) continue;
    const key = twofold(name);
    const member = isMedia(value) ? mediaText(value) : twofold(value);
    json += `${json && ','}${key.json}:${member.json}`;
    inText += `${inText && ','}${key.inText}:${member.inText}`;
  }
  return { json: `{${json}}`, inText: `{${inText}}` };
}

/** MCP has no content for video: a resource that is inside of the answer carries it. */
export function itemJson({ type, data, mimeType }: MediaItem): ByteText {
  const content = isMedia(data) ? mediaText(data).json : jsonBytes(data);
  return type === 'video'
    ? `{"type":"resource","resource":{"uri":"device://clip","mimeType":${quoted(mimeType)},"blob":${content}}}`
    : `{"type":"${type}","data":${content},"mimeType":${quoted(mimeType)}}`;
}

/** Below this, looking costs nothing. */
const LONG_CHARS = 4_096;
const DATA_URI = /^data:[\w/+.-]+;base64,/;

/**
 * A long text of base64, or a data: URI with one. Whatever else is in it, the decoder leaves out: of whole groups of four
 * characters, each one that is left out costs bytes. Of other lengths, one of them costs none.
 */
function isMedia(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < LONG_CHARS) return false;
  const [head = ''] = DATA_URI.exec(value.slice(0, 128)) ?? [];
  const base64 = value.slice(head.length);
  if (base64.length % 4 !== 0) return false;
  return Buffer.from(base64, 'base64').length === Buffer.byteLength(base64, 'base64');
}

const mediaText = (text: string): TwofoldJson => ({ json: `"${text}"`, inText: String.raw`\"${text}\"` });

function twofold(value: unknown): TwofoldJson {
  const text = JSON.stringify(value);
  return { json: toByteText(text), inText: toByteText(JSON.stringify(text).slice(1, -1)) };
}
