/** Whether a file is what its label says, by what is in it. */
import { isUtf8 } from 'node:buffer';
import { messageOf } from '../../../../core/errors.ts';
import { visible } from '../../../../core/visible.ts';
import { isModest } from '../../../../core/wire/modest.ts';
import { firstBytes } from '../base64.ts';
import { contentType, HEAD_BYTES } from '../content-type.ts';
import { isText } from '../media-types.ts';

/** What begins alike: nothing in the first bytes tells these apart for sure. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'audio/mp4': ['video/mp4'],
  'video/mp4': ['audio/mp4', 'video/quicktime'],
  'video/quicktime': ['video/mp4'],
  'audio/ogg': ['audio/opus'],
  // Tags of MP3 stand before these, too.
  'audio/aac': ['audio/mpeg'],
  'audio/flac': ['audio/mpeg'],
  'application/x-compressed-tar': ['application/gzip'],
};

/** Undefined: it fits. Otherwise what it is instead, to be said after "but its content is". */
export function misfit(type: string, data: string): string | undefined {
  if (isText(type)) return textMisfit(type, data);
  const found = contentType(firstBytes(data, HEAD_BYTES));
  if (found === type || (found !== undefined && ALSO[type]?.includes(found))) return undefined;
  return found ?? 'of no type that is known here';
}

function textMisfit(type: string, data: string): string | undefined {
  const bytes = Buffer.from(data, 'base64');
  if (!isUtf8(bytes) || bytes.includes(0)) {
    const head = bytes.subarray(0, HEAD_BYTES);
    return contentType(head) ?? (hasUtf16Mark(head) ? 'text in UTF-16, not in UTF-8' : 'not text in UTF-8');
  }
  return type === 'application/json' ? jsonMisfit(new TextDecoder().decode(bytes)) : undefined;
}

const hasUtf16Mark = ([first, second]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

function jsonMisfit(text: string): string | undefined {
  // To read a million values takes a second and a gigabyte: the agent gets them unread.
  if (!isModest(text)) return /^\s*[[{]/.test(text) ? undefined : 'not JSON';
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `not JSON: ${visible(messageOf(error))}`;
  }
}
