/** Google's Gemini API, streaming. */
import type { Dialect } from '../model-endpoint.ts';

interface GenerateRequest {
  tools?: { functionDeclarations?: { name: string }[] }[];
  contents: { parts?: { functionResponse?: { response: unknown } }[] }[];
}

export const GEMINI_API: Dialect = {
  path: /:streamGenerateContent\?alt=sse$/,
  read(body) {
    const { tools = [], contents } = body as unknown as GenerateRequest;
    const parts = contents.flatMap(({ parts: some = [] }) => some);
    return {
      offered: tools.flatMap(({ functionDeclarations: some = [] }) => some.map(({ name }) => name)),
      results: parts.flatMap(({ functionResponse: reply }) =>
        reply === undefined ? [] : JSON.stringify(reply.response),
      ),
    };
  },
  write(turn) {
    const part =
      'say' in turn
        ? { text: turn.say }
        : { functionCall: { id: turn.id, name: turn.call.name, args: turn.call.input } };
    const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 };
    return [{ data: { candidates: [candidate], usageMetadata: { totalTokenCount: 2 } } }];
  },
};
