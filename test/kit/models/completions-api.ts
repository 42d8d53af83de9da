/** OpenAI's Chat Completions API, streaming and not. */
import type { ToolUse } from '../model-endpoint.ts';

type Content = string | null | ContentPart[];

interface ContentPart {
  type: string;
  text?: string;
  image_url?: { url: string };
}

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

/** Text in pieces, followed by tool calls, all at once. */
export interface Completion {
  say?: readonly string[];
  calls?: readonly (ToolUse & { id: string })[];
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const partsOf = ({ content }: CompletionsMessage): ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

/** The text parts of a message. */
export const textOf = (message: CompletionsMessage): string =>
  partsOf(message)
    .map(({ text = '' }) => text)
    .join('\n');

/** The images of a message, as `data:` URLs. */
export const imagesOf = (message: CompletionsMessage): string[] =>
  partsOf(message).flatMap(({ image_url }) => image_url?.url ?? []);

/** The whole answer: one document, or the events of a stream. Each text is its own event and precedes the calls. */
export function completionTexts({ say = [], calls = [] }: Completion, body: CompletionsRequest): string[] {
  const finish_reason = calls.length === 0 ? 'stop' : 'tool_calls';
  const tool_calls = calls.map((call, index) => ({ index, ...callOf(call) }));
  const called = calls.length === 0 ? [] : [{ tool_calls }];
  if (body.stream !== true) {
    const message = { role: 'assistant', content: say.join('') || null, ...called[0] };
    return [
      documentText({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }, body),
    ];
  }
  const deltas = [...say.map((content) => ({ content })), ...called].map((delta) => ({
    index: 0,
    delta: { role: 'assistant', ...delta },
    finish_reason: null,
  }));
  const choices = [...deltas.map((delta) => [delta]), [{ index: 0, delta: {}, finish_reason }], []];
  const chunks = choices.map((choice) =>
    documentText({ object: 'chat.completion.chunk', choices: choice }, body),
  );
  return [...chunks.map((chunk) => `data: ${chunk}\n\n`), 'data: [DONE]\n\n'];
}

const documentText = (
  content: { object: string; choices: object[] },
  { model }: CompletionsRequest,
): string =>
  JSON.stringify({ id: 'chatcmpl-1', model, ...content, ...(hasUsage(content) && { usage: USAGE }) });

/** Usage is part of a whole document or of the last chunk, which has no choices. */
const hasUsage = ({ object, choices }: { object: string; choices: object[] }): boolean =>
  object === 'chat.completion' || choices.length === 0;

const callOf = ({ id, name, input }: ToolUse & { id: string }): object => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
