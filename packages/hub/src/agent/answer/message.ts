/** A message as the gateway writes it: `content` is a text, or blocks of text, images and other things. */
import { isRecord } from '../../lib/is-record.ts';
import { textAt } from '../../lib/text-at.ts';
import type { MediaReference } from './turn-event.ts';

export interface Message {
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

/** Addresses alone, as a list of them or one. */
export function readAddresses({ mediaUrls, mediaUrl }: Readonly<Record<string, unknown>>): MediaReference[] {
  const all = new Set([...(Array.isArray(mediaUrls) ? mediaUrls : []), mediaUrl]);
  return [...all].flatMap((url) => (typeof url === 'string' && url !== '' ? reference({ url }) : []));
}

/** Nothing for text and calls, nor for what the gateway has left out because of its size. */
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
