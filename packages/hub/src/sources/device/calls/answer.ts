/** The answer to a call, in MCP's words: the payload as text and as structured content, and media beside it. */
import type { Outcome } from '../../../core/outcome.ts';
import type { MediaBytes } from '../../../core/request.ts';
import { LIST_MEMBER } from '../offer/tool.ts';
import type { Command, Payload } from '../registry/capability.ts';
import { itemJson, payloadJson } from './media-json.ts';

export function answerOf(command: Command, payload: Payload, bytes?: MediaBytes): Outcome {
  const media = command.media?.(payload) ?? [];
  const lean = media.length === 0 ? payload : without(payload, command.bulky ?? []);
  const text = payloadJson(bytes === 'in-text' ? payload : lean);
  const { json } =
    bytes === 'structured' ? payloadJson(payload) : lean === payload ? text : payloadJson(lean);
  const items = media.map((item) => `,${itemJson(item)}`).join('');
  const structured = Array.isArray(payload) ? `{"${LIST_MEMBER}":${json}}` : json;
  const result = `{"content":[{"type":"text","text":"${text.inText}"}${items}],"structuredContent":${structured},"isError":false}`;
  return { kind: 'ok', result, era: 'legacy', extra: '' };
}

function without(payload: Payload, bulky: readonly string[]): Payload {
  if (Array.isArray(payload)) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !bulky.includes(key)));
}
