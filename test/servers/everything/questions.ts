/** Questions to the client, and their answers. */
import {
  inputRequired,
  type InputRequest,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';

export const elicit = (message: string, requestedSchema: object): InputRequest =>
  inputRequired.elicit({ message, requestedSchema } as Parameters<typeof inputRequired.elicit>[0]);

export const sample = (question: string, maxTokens = 100): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens,
  });

export function answerTo(ctx: ServerContext, key: string): Record<string, unknown> | undefined {
  const answer: unknown = ctx.mcpReq.inputResponses?.[key];
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : undefined;
}

/** Asks, or continues with the answer if it has arrived. */
export function askedOnce<T>(
  ctx: ServerContext,
  key: string,
  question: InputRequest,
  done: (answer: Record<string, unknown>) => T,
): T | InputRequiredResult {
  const answer = answerTo(ctx, key);
  return answer === undefined ? inputRequired({ inputRequests: { [key]: question } }) : done(answer);
}
