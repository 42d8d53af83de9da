/** Anthropic's Messages API, streaming. */
import type { Dialect, StreamEvent } from '../model-endpoint.ts';

interface MessagesRequest {
  model: string;
  tools?: { name: string }[];
  messages: { content: string | { type: string; content?: unknown }[] }[];
}

const USAGE = { input_tokens: 1, output_tokens: 1 };

export const MESSAGES_API: Dialect = {
  path: /^\/v1\/messages(\?|$)/,
  read(body) {
    const { tools = [], messages } = body as unknown as MessagesRequest;
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    return {
      offered: tools.map(({ name }) => name),
      results: blocks.flatMap(({ type, content }) => (type === 'tool_result' ? JSON.stringify(content) : [])),
    };
  },
  write(turn, body) {
    const { model } = body as unknown as MessagesRequest;
    const [block, delta] =
      'say' in turn
        ? [
            { type: 'text', text: '' },
            { type: 'text_delta', text: turn.say },
          ]
        : [
            { type: 'tool_use', id: turn.id, name: turn.call.name, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(turn.call.input) },
          ];
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage: USAGE };
    const stop = { stop_reason: 'say' in turn ? 'end_turn' : 'tool_use', stop_sequence: null };
    return [
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: stop, usage: USAGE },
      { type: 'message_stop' },
    ].map((data): StreamEvent => ({ event: data.type, data }));
  },
};
