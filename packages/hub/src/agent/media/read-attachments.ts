/** Reads the images and files of a message, and checks their number, size, type and content. */
import { isUtf8 } from 'node:buffer';
import { messageOf, PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { visible } from '../../core/visible.ts';
import { isModest } from '../../core/wire/members.ts';
import { closest } from '../../lib/text.ts';
import { decodedSize, firstBytes, isBase64, notBase64 } from './base64.ts';
import { essence, FILE_TYPES, IMAGE_TYPES, isText, contentType, HEAD_BYTES } from './media-types.ts';
import { sizeText, safeName } from './name-and-size.ts';

/** Limits of media to and from an agent. */
export type MediaLimits = Pick<
  Limits,
  | 'maxImages'
  | 'maxFiles'
  | 'maxMediaBytes'
  | 'maxMediaBytesInAll'
  | 'maxReplyItemBytes'
  | 'maxReplyBytes'
  | 'maxReplyLineBytes'
  | 'maxShelfBytes'
>;

export interface MediaArgument {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly filename?: string | undefined;
}

export interface Attachment {
  readonly kind: 'image' | 'file';
  readonly mimeType: string;
  /** Never a path. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Base64 as received: the gateway takes it in this form. */
  readonly data: string;
}

interface Labelled extends Attachment {
  /** Its name in error messages. */
  readonly which: string;
}

const KINDS = {
  image: { list: 'images', types: IMAGE_TYPES, other: 'file', otherTypes: FILE_TYPES },
  file: { list: 'files', types: FILE_TYPES, other: 'image', otherTypes: IMAGE_TYPES },
} as const;

/** Throws a `PincerError` that names the invalid attachment. Checks all sizes before it decodes anything. */
export function readAttachments(
  images: readonly MediaArgument[],
  files: readonly MediaArgument[],
  limits: MediaLimits,
): Attachment[] {
  checkCount('images', images, limits.maxImages);
  checkCount('files', files, limits.maxFiles);
  const labelled = [
    ...images.map((given, index) => readLabel('image', given, index)),
    ...files.map((given, index) => readLabel('file', given, index)),
  ];
  for (const each of labelled) checkSize(each, limits.maxMediaBytes);
  checkTotal(labelled, limits.maxMediaBytesInAll);
  for (const each of labelled) checkContent(each);
  return labelled.map(({ kind, mimeType, name, size, data }) => ({ kind, mimeType, name, size, data }));
}

const refuse = (message: string, hint: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, { hint });

function checkCount(list: string, given: readonly unknown[], most: number): void {
  if (given.length > most)
    throw refuse(
      `There are ${given.length} ${list}; the limit is ${most} per message.`,
      'Send the rest in further messages with the same sessionKey.',
    );
}

function readLabel(kind: Attachment['kind'], given: MediaArgument, index: number): Labelled {
  const { list, types } = KINDS[kind];
  const named = given.filename === undefined ? undefined : safeName(given.filename);
  const which = `${list}[${index}]${named === undefined ? '' : ` (${named})`}`;
  const mimeType = essence(given.mimeType);
  const ending = types.get(mimeType);
  if (ending === undefined) throw wrongType(kind, which, mimeType);
  const size = decodedSize(given.data);
  if (size === undefined) throw wrongBase64(which, given.data);
  if (size <= 0) throw refuse(`${which} is empty.`, 'Send its bytes in base64 as data, or leave it out.');
  return { kind, mimeType, name: named ?? `${kind}-${index + 1}.${ending}`, size, data: given.data, which };
}

function wrongType(kind: Attachment['kind'], which: string, type: string): PincerError {
  const { types, list, other, otherTypes } = KINDS[kind];
  const meant = closest(type.slice(0, 100), types.keys());
  const hint = otherTypes.has(type)
    ? `Put it into ${KINDS[other].list}.`
    : `${meant === undefined ? '' : `Did you mean ${meant}? `}Accepted types: ${[...types.keys()].join(', ')}.`;
  if (type === '') return refuse(`${which} has no mimeType.`, hint);
  return refuse(`${which} is labelled ${visible(type.slice(0, 100))}, which ${list} does not accept.`, hint);
}

function wrongBase64(which: string, data: string): PincerError {
  const { why, hint } = notBase64(data);
  return refuse(`The data of ${which} ${why}.`, hint);
}

function checkSize({ which, size }: Labelled, most: number): void {
  if (size > most)
    throw refuse(
      `${which} is too large: ${sizeText(size)}. The limit is ${sizeText(most)}.`,
      'Send a smaller one, or put it where the agent can read it and name the place.',
    );
}

function checkTotal(all: readonly Labelled[], most: number): void {
  const total = all.reduce((sum, { size }) => sum + size, 0);
  if (total > most)
    throw refuse(
      `Images and files are ${sizeText(total)} together. The limit is ${sizeText(most)} per message.`,
      'Send some of them in further messages with the same sessionKey.',
    );
}

function checkContent({ which, mimeType, data }: Labelled): void {
  if (!isBase64(data)) throw wrongBase64(which, data);
  const found = misfit(mimeType, data);
  if (found !== undefined)
    throw refuse(
      `${which} is labelled ${mimeType}, but its content is ${found}.`,
      'Correct mimeType, or send the right file.',
    );
}

/** Types that the first bytes cannot tell apart. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'audio/mp4': ['video/mp4'],
  'video/mp4': ['audio/mp4', 'video/quicktime'],
  'video/quicktime': ['video/mp4'],
  'audio/ogg': ['audio/opus'],
  // These may also begin with an ID3 tag.
  'audio/aac': ['audio/mpeg'],
  'audio/flac': ['audio/mpeg'],
  'application/x-compressed-tar': ['application/gzip'],
};

/** Compares the content with the labelled type. Returns undefined if it fits, else the end of "but its content is …". */
function misfit(type: string, data: string): string | undefined {
  if (isText(type)) return textMisfit(type, data);
  const found = contentType(firstBytes(data, HEAD_BYTES));
  if (found === type || (found !== undefined && ALSO[type]?.includes(found))) return undefined;
  return found ?? 'of an unknown type';
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
  // Parsing a million values takes a second and a gigabyte, so a large JSON text is passed on unparsed.
  if (!isModest(text)) return /^\s*[[{]/.test(text) ? undefined : 'not JSON';
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `not JSON: ${visible(messageOf(error))}`;
  }
}
