/** The answer to a call, in MCP's words: the payload as text and as structured content, and media beside it. */
import type { Outcome } from '../../../core/outcome.ts';
import type { MediaBytes } from '../../../core/request.ts';
import { LIST_MEMBER } from '../offer/schema.ts';
import type { Command, Payload } from '../registry/capability.ts';
import { itemPieces, joined, payloadPieces } from './payload-pieces.ts';

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
  // Not by `join`: the text is only put together where somebody looks into it.
  const result = pieces.reduce((all, piece) => all + piece, '');
  return { kind: 'ok', result, era: 'legacy', extra: '', ...(pieces.length > 1 && { pieces }) };
}

function without(payload: Payload, bulky: readonly string[]): Payload {
  if (Array.isArray(payload)) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !bulky.includes(key)));
}
