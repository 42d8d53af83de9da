/** OpenAI's Chat Completions API, streaming and not. */
import type { Turn } from '../model-endpoint.ts';

type Content = string | null | { type: string; text?: string }[];

export interface CompletionsMessage {
  role: string;
  content?: Content;
}

export interface CompletionsRequest {
  model: string;
  stream?: boolean;
  messages: CompletionsMessage[];
  tools?: { function: { name: string; description?: string; parameters?: object } }[];
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** What of a message is text. */
export const textOf = ({ content }: CompletionsMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');

/** The whole answer: one document, or the events of a stream. */
export function completionText(turn: Turn, { model, stream }: CompletionsRequest): string {
  const id = 'chatcmpl-1';
  const message = 'say' in turn ? { content: turn.say } : { tool_calls: [{ index: 0, ...callOf(turn) }] };
  const finish_reason = 'say' in turn ? 'stop' : 'tool_calls';
  if (stream !== true)
    return JSON.stringify({
      id,
      object: 'chat.completion',
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
      usage: USAGE,
    });
  const choices = [
    [{ index: 0, delta: { role: 'assistant', ...message }, finish_reason: null }],
    [{ index: 0, delta: {}, finish_reason }],
  ];
  const chunks = [
    ...choices.map((choice) => ({ id, object: 'chat.completion.chunk', model, choices: choice })),
    { id, object: 'chat.completion.chunk', model, choices: [], usage: USAGE },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

const callOf = ({ call, id }: Extract<Turn, { call: unknown }>): object => ({
  id,
  type: 'function',
  function: { name: call.name, arguments: JSON.stringify(call.input) },
});
