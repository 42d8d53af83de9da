/** What an agent answered, as content blocks of MCP. */
import { encodedLength } from '../base64.ts';
import { IMAGE_TYPES, FILE_TYPES } from '../media-types.ts';
import { sizeText } from '../size-text.ts';
import { fitText, LINE_ENVELOPE_BYTES } from './fit-text.ts';
import { lineBytes } from './line-bytes.ts';
import { safeName } from '../safe-name.ts';
import type { MediaLimits } from '../in/read-media.ts';

/** An image, a sound or a file of an answer. */
export interface ReplyMedia {
  readonly mimeType: string;
  readonly name: string | undefined;
  readonly content: Content;
}

type Content =
  | { readonly bytes: Buffer }
  /** So large that nobody fetched it. */
  | { readonly size: number }
  /** Why there is nothing, as the end of a sentence. */
  | { readonly missing: string };

/** Where the bytes are kept that a caller has to read by `resources/read`. */
export interface MediaShelf {
  /** The URI under which the caller finds them. */
  keep(media: { readonly bytes: Buffer; readonly mimeType: string; readonly name: string }): string;
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

export interface Reply {
  readonly text: string;
  readonly media: readonly ReplyMedia[];
}

/** How a reply reaches its caller. */
export interface ReplyWay {
  readonly limits: MediaLimits;
  /** The answer is one line for a client that takes no longer one than `maxReplyLineBytes`. */
  readonly isLine: boolean;
  /** Undefined: the caller cannot read resources. */
  readonly shelf: MediaShelf | undefined;
}

/** The text first, then media in their order; what cannot be given is said in its place. */
export function contentBlocks({ text: whole, media }: Reply, way: ReplyWay): ContentBlock[] {
  const { limits, isLine, shelf } = way;
  const { text, link } = fitText(whole, way);
  let total = Buffer.byteLength(text);
  let line = LINE_ENVELOPE_BYTES + lineBytes(text);
  const blocks: ContentBlock[] = [...link];
  const say = (said: string): void => {
    line += lineBytes(said);
    blocks.push({ type: 'text', text: said });
  };
  const names = distinctNames(media);

  /** Why it cannot be in the answer itself, as the end of a sentence. */
  function obstacle(size: number, room: number): string | undefined {
    if (size > limits.maxReplyItemBytes)
      return `one file of an answer may have ${sizeText(limits.maxReplyItemBytes)}`;
    if (total + size > limits.maxReplyBytes)
      return `a whole answer may have ${sizeText(limits.maxReplyBytes)}`;
    return isLine && line + room > limits.maxReplyLineBytes
      ? `a line to this client may have ${sizeText(limits.maxReplyLineBytes)}`
      : undefined;
  }

  function give({ mimeType, content }: ReplyMedia, name: string): void {
    if ('missing' in content) return say(`[${name} is not here: ${content.missing}]`);
    if ('size' in content)
      return say(
        tooLarge(name, content.size, `of an answer, ${sizeText(limits.maxShelfBytes)} are kept at most`),
      );
    const { bytes } = content;
    const size = bytes.length;
    const about = lineBytes(name) + lineBytes(mimeType);
    const why = obstacle(size, about + encodedLength(size));
    if (why === undefined) {
      total += size;
      line += about + encodedLength(size);
      blocks.push(inline(bytes, mimeType, name));
    } else if (shelf === undefined) say(tooLarge(name, size, why));
    else {
      line += about;
      const uri = shelf.keep({ bytes, mimeType, name });
      blocks.push({ type: 'resource_link', uri, name, mimeType, size });
    }
  }

  for (const [index, each] of media.entries()) give(each, names[index]!);
  return text === '' ? blocks : [{ type: 'text', text }, ...blocks];
}

const tooLarge = (name: string, size: number, rule: string): string =>
  `[${name} is not here: it is ${sizeText(size)}, and ${rule}]`;

function inline(bytes: Buffer, mimeType: string, name: string): ContentBlock {
  const data = bytes.toString('base64');
  // Of the others, models make nothing.
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

/** Names for what comes with an answer: each has one, and no two have the same. */
function distinctNames(media: readonly Named[]): string[] {
  const taken = new Set<string>();
  /** Where to look for a free number: an answer may have thousands of one name. */
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
