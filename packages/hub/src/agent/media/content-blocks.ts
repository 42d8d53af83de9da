/** Turns an agent's answer into content blocks of MCP, within the limits of the client. Parts that are too large become links. */
import { encodedLength } from './base64.ts';
import { FILE_TYPES, IMAGE_TYPES } from './media-types.ts';
import { safeName, sizeText } from './name-and-size.ts';
import type { MediaLimits } from './read-attachments.ts';

/** An image, a sound or a file of an answer. */
export interface ReplyMedia {
  readonly mimeType: string;
  readonly name: string | undefined;
  readonly content: Content;
}

type Content =
  | { readonly bytes: Buffer }
  /** Too large, so it was not fetched. */
  | { readonly size: number }
  /** Why it is missing, as the end of a sentence. */
  | { readonly missing: string };

/** Keeps media for `resources/read`. */
export interface MediaLinks {
  /** Returns the URI. */
  link(media: { readonly bytes: Buffer; readonly mimeType: string; readonly name: string }): string;
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size: number;
    };

interface Reply {
  readonly text: string;
  readonly media: readonly ReplyMedia[];
}

/** How a reply is sent to its caller. */
export interface ReplyWay {
  readonly limits: MediaLimits;
  /** Whether the client accepts no line longer than `maxReplyLineBytes`. */
  readonly isLine: boolean;
  /** Undefined if the caller cannot read resources. */
  readonly links: MediaLinks | undefined;
}

/** The text first, then media in order. A note replaces each item that cannot be included. */
export function contentBlocks({ text: whole, media }: Reply, way: ReplyWay): ContentBlock[] {
  const { limits, isLine, links } = way;
  const { text, link } = fitText(whole, way);
  let total = Buffer.byteLength(text);
  let line = LINE_ENVELOPE_BYTES + lineBytes(text);
  const blocks: ContentBlock[] = [...link];
  const addNote = (note: string): void => {
    line += lineBytes(note);
    blocks.push({ type: 'text', text: note });
  };
  const names = distinctNames(media);

  /** Why it cannot be inline, as the end of a sentence. */
  function obstacle(size: number, room: number): string | undefined {
    if (size > limits.maxReplyItemBytes) return `the limit per file is ${sizeText(limits.maxReplyItemBytes)}`;
    if (total + size > limits.maxReplyBytes)
      return `the limit per answer is ${sizeText(limits.maxReplyBytes)}`;
    return isLine && line + room > limits.maxReplyLineBytes
      ? `the limit per line to this client is ${sizeText(limits.maxReplyLineBytes)}`
      : undefined;
  }

  function addMedia({ mimeType, content }: ReplyMedia, name: string): void {
    if ('missing' in content) return addNote(`[${name} is missing: ${content.missing}]`);
    if ('size' in content)
      return addNote(
        tooLarge(name, content.size, `at most ${sizeText(limits.maxShelfBytes)} of an answer are kept`),
      );
    const { bytes } = content;
    const size = bytes.length;
    const about = lineBytes(name) + lineBytes(mimeType);
    const why = obstacle(size, about + encodedLength(size));
    if (why === undefined) {
      total += size;
      line += about + encodedLength(size);
      blocks.push(inline(bytes, mimeType, name));
    } else if (links === undefined) addNote(tooLarge(name, size, why));
    else {
      line += about;
      const uri = links.link({ bytes, mimeType, name });
      blocks.push({ type: 'resource_link', uri, name, mimeType, size });
    }
  }

  for (const [index, each] of media.entries()) addMedia(each, names[index]!);
  return text === '' ? blocks : [{ type: 'text', text }, ...blocks];
}

const tooLarge = (name: string, size: number, rule: string): string =>
  `[${name} is missing: it is ${sizeText(size)}, and ${rule}]`;

function inline(bytes: Buffer, mimeType: string, name: string): ContentBlock {
  const data = bytes.toString('base64');
  // Models understand only these image types.
  if (IMAGE_TYPES.has(mimeType)) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return {
    type: 'resource',
    resource: { uri: `attachment://${encodeURIComponent(name)}`, mimeType, blob: data },
  };
}

interface Named {
  readonly mimeType: string;
  readonly name: string | undefined;
}

/** Gives each file a unique name. */
function distinctNames(media: readonly Named[]): string[] {
  const taken = new Set<string>();
  /** The next free number per name, because an answer may have thousands of files with one name. */
  const next = new Map<string, number>();
  return media.map(({ mimeType, name }) => {
    const wanted = (name === undefined ? undefined : safeName(name)) ?? defaultName(mimeType);
    const dot = wanted.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ''];
    let free = wanted;
    for (let number = next.get(wanted) ?? 2; taken.has(free); number++) {
      free = `${stem}-${number}${ending}`;
      next.set(wanted, number + 1);
    }
    taken.add(free);
    return free;
  });
}

function defaultName(mimeType: string): string {
  const ending = IMAGE_TYPES.get(mimeType) ?? FILE_TYPES.get(mimeType);
  const kind = /^(?:image|audio|video)(?=\/)/.exec(mimeType)?.[0] ?? 'file';
  return ending === undefined ? kind : `${kind}.${ending}`;
}

/** Room for the JSON around text and media on the same line. */
export const LINE_ENVELOPE_BYTES = 16 * 1024;

interface FittedText {
  /** The whole text, or its beginning with a note. */
  readonly text: string;
  readonly link: readonly ContentBlock[];
}

const NAME = 'answer.txt';
const MIME_TYPE = 'text/plain';
/** Characters per step of the search for the cut. */
const PIECE = 1024;

/** Cuts a text that is too long for one line, and links to the whole. */
export function fitText(text: string, { limits, isLine, links }: ReplyWay): FittedText {
  const most = limits.maxReplyLineBytes;
  // Never cut a short text, even with a very small limit.
  const room = Math.max(most - LINE_ENVELOPE_BYTES, LINE_ENVELOPE_BYTES);
  if (!isLine || lineBytes(text) <= room) return { text, link: [] };
  // The other half is for media.
  const begun = beginning(text, most / 2);
  const bytes = Buffer.from(text);
  const size = bytes.length;
  if (links === undefined) {
    const missing = sizeText(size - Buffer.byteLength(begun));
    const remark = `[${missing} more are missing: the limit per line to this client is ${sizeText(most)}]`;
    return { text: `${begun}\n\n${remark}`, link: [] };
  }
  const uri = links.link({ bytes, mimeType: MIME_TYPE, name: NAME });
  return {
    text: `${begun}\n\n[This is the beginning. The whole text, ${sizeText(size)}, is in ${NAME}]`,
    link: [{ type: 'resource_link', uri, name: NAME, mimeType: MIME_TYPE, size }],
  };
}

/** As much as fits, without half a surrogate pair at its end. */
function beginning(text: string, room: number): string {
  let end = 0;
  for (let left = room; end < text.length; end += PIECE) {
    left -= lineBytes(text.slice(end, end + PIECE));
    if (left < 0) break;
  }
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/, '');
}

/** The bytes of a text in JSON, with the members around it. */
const lineBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) + 64;
