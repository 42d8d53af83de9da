/** The answer to a call, in MCP's words: the payload as text and as structured content, and media beside it. */
import type { Outcome } from '../../../core/outcome.ts';
import { jsonBytes } from '../../../core/wire/byte-text.ts';
import { LIST_MEMBER } from '../offer/tool.ts';
import type { Command, MediaItem, Payload } from '../registry/capability.ts';

export interface AnswerOptions {
  /** The documented payload whole, bytes of media in it included. */
  readonly isWhole: boolean;
}

export function answerOf(command: Command, payload: Payload, { isWhole }: AnswerOptions): Outcome {
  const media = command.media?.(payload) ?? [];
  const shown = isWhole || media.length === 0 ? payload : without(payload, command.bulky ?? []);
  const result = {
    content: [{ type: 'text', text: JSON.stringify(shown) }, ...media.map(contentOf)],
    structuredContent: Array.isArray(shown) ? { [LIST_MEMBER]: shown } : shown,
    isError: false,
  };
  return { kind: 'ok', result: jsonBytes(result), era: 'legacy', extra: '' };
}

function without(payload: Payload, bulky: readonly string[]): Payload {
  if (Array.isArray(payload)) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !bulky.includes(key)));
}

/** MCP has no content for video: a resource that is inside of the answer carries it. */
const contentOf = ({ type, data, mimeType }: MediaItem): object =>
  type === 'video'
    ? { type: 'resource', resource: { uri: 'device://clip', mimeType, blob: data } }
    : { type, data, mimeType };
