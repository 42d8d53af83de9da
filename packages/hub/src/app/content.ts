/** Text, images and audio as MCP content blocks. A tool may return one, or a list of them. */
import { toBase64 } from './encoding.ts';
import { AppError } from './error.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface MediaBlock {
  readonly type: 'image' | 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

export type ContentBlock = TextBlock | MediaBlock;

/** The blocks that were made here. A value of the app that only looks like a block stays a value. */
const made = new WeakSet<object>();

export const isBlock = (value: unknown): value is ContentBlock =>
  typeof value === 'object' && value !== null && made.has(value);

function block<B extends ContentBlock>(content: B): B {
  made.add(content);
  return content;
}

export const text = (content: string): TextBlock => block({ type: 'text', text: content });

/** A string is a `data:` URL, such as `canvas.toDataURL()` returns. */
type Media = ArrayBuffer | Uint8Array | Blob | string;

export function image(data: Blob, mimeType?: string): Promise<MediaBlock>;
export function image(data: ArrayBuffer | Uint8Array, mimeType: string): MediaBlock;
export function image(dataUrl: string): MediaBlock;
export function image(data: Media, mimeType?: string): MediaBlock | Promise<MediaBlock> {
  return media('image', data, mimeType);
}

export function audio(data: Blob, mimeType?: string): Promise<MediaBlock>;
export function audio(data: ArrayBuffer | Uint8Array, mimeType: string): MediaBlock;
export function audio(dataUrl: string): MediaBlock;
export function audio(data: Media, mimeType?: string): MediaBlock | Promise<MediaBlock> {
  return media('audio', data, mimeType);
}

type Kind = MediaBlock['type'];

function media(type: Kind, data: Media, mimeType: string | undefined): MediaBlock | Promise<MediaBlock> {
  if (typeof data === 'string') return ofDataUrl(type, data);
  if (!(data instanceof Blob))
    return ofBytes(type, data instanceof Uint8Array ? data : new Uint8Array(data), mimeType ?? '');
  const named = mimeType ?? data.type;
  return data.arrayBuffer().then((buffer) => ofBytes(type, new Uint8Array(buffer), named));
}

function ofBytes(type: Kind, bytes: Uint8Array, mimeType: string): MediaBlock {
  if (mimeType === '')
    throw new AppError('ARGUMENT_INVALID', `The MIME type of the ${type} is missing.`, {
      hint: `Pass the type as well: ${type}(data, '${type === 'image' ? 'image/png' : 'audio/wav'}').`,
    });
  return block({ type, data: toBase64(bytes), mimeType });
}

const DATA_URL = /^data:([^;,]+)(?:;[^;,]+)*;base64,([A-Za-z0-9+/=]*)$/;

function ofDataUrl(type: Kind, url: string): MediaBlock {
  const [, mimeType, data] = DATA_URL.exec(url) ?? [];
  if (mimeType === undefined || data === undefined)
    throw new AppError('ARGUMENT_INVALID', 'The text is not a data: URL in base64.', {
      hint: `Pass bytes and their type, a Blob, or a URL that begins with data:${type}/.`,
    });
  return block({ type, data, mimeType });
}
