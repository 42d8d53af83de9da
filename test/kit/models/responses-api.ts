/**
 * OpenAI's Responses API, streaming. Codex offers a server's tools under a namespace, written here as
 * `namespace.name`.
 */
import type { Dialect, StreamEvent, Turn } from '../model-endpoint.ts';

interface OfferedTool {
  type: string;
  name?: string;
  tools?: { name: string }[];
}

interface ResponsesRequest {
  tools?: OfferedTool[];
  input: { type: string; output?: unknown }[];
}

const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

export const RESPONSES_API: Dialect = {
  path: /^\/v1\/responses$/,
  read(body) {
    const { tools = [], input } = body as unknown as ResponsesRequest;
    return {
      offered: tools.flatMap(namesIn),
      results: input.flatMap(({ type, output }) =>
        type === 'function_call_output' ? JSON.stringify(output) : [],
      ),
    };
  },
  write(turn) {
    const response = { id: 'resp_1', object: 'response', output: [] };
    return [
      { type: 'response.created', response },
      { type: 'response.output_item.done', output_index: 0, item: itemOf(turn) },
      { type: 'response.completed', response: { ...response, status: 'completed', usage: USAGE } },
    ].map((data): StreamEvent => ({ event: data.type, data }));
  },
};

function namesIn({ type, name, tools = [] }: OfferedTool): string[] {
  if (type === 'namespace') return tools.map((tool) => `${name}.${tool.name}`);
  return name === undefined ? [] : [name];
}

function itemOf(turn: Turn): object {
  if ('say' in turn)
    return {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: turn.say }],
    };
  const [namespace, name] = turn.call.name.split('.');
  const call = name === undefined ? { name: namespace } : { namespace, name };
  return { type: 'function_call', call_id: turn.id, ...call, arguments: JSON.stringify(turn.call.input) };
}
