import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  type GetPromptResult,
  type McpServer,
  type RegisteredPrompt,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { PNG } from './media.ts';
import { elicit } from './questions.ts';
import type { EverythingState } from './state.ts';
import { objectOf } from './tool.ts';

type Content = GetPromptResult['messages'][number]['content'];

export const describeSimplePrompt = (state: EverythingState): string =>
  `A prompt without arguments; the list of prompts has changed ${state.changes.prompts} times`;

/** Returns the prompt whose description changes with the list. */
export function addPrompts(server: McpServer, state: EverythingState): RegisteredPrompt {
  const simple = server.registerPrompt(
    'test_simple_prompt',
    { description: describeSimplePrompt(state) },
    () => saying(spoken('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments',
      argsSchema: fromJsonSchema<{ arg1: string; arg2: string }>(
        objectOf({ arg1: { type: 'string' }, arg2: { type: 'string' } }),
      ),
    },
    ({ arg1, arg2 }) => saying(spoken(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt with a resource in it',
      argsSchema: fromJsonSchema<{ resourceUri: string }>(objectOf({ resourceUri: { type: 'string' } })),
    },
    ({ resourceUri }) =>
      saying(
        {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
        spoken('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image in it' }, () =>
    saying({ type: 'image', data: PNG, mimeType: 'image/png' }, spoken('Please analyze the image above.')),
  );
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks the user first' },
    (ctx: ServerContext) => {
      const context = acceptedContent(ctx.mcpReq.inputResponses, 'user_context')?.['context'];
      if (typeof context === 'string') return saying(spoken(`Use this context: ${context}`));
      const form = objectOf({ context: { type: 'string' } });
      return inputRequired({
        inputRequests: { user_context: elicit('What context should the prompt use?', form) },
      });
    },
  );
  return simple;
}

const spoken = (text: string): Content => ({ type: 'text', text });

const saying = (...contents: Content[]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});
