/** Tools that check the client's capabilities, and one that ignores them. */
import { inputRequired, type InputRequest } from '@modelcontextprotocol/server';
import { askedOnce, elicit, sample } from '../questions.ts';
import { objectOf, text, type EverythingTool } from '../tool.ts';

export const capabilityTools: EverythingTool[] = [
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks only for what the client has declared',
    run({ ctx, capabilities }) {
      if (ctx.mcpReq.inputResponses !== undefined) return text('Thank you');
      const questions: Record<string, InputRequest> = {};
      if (capabilities['elicitation'] !== undefined)
        questions['user_name'] = elicit('What is your name?', objectOf({ name: { type: 'string' } }));
      if (capabilities['sampling'] !== undefined) questions['greeting'] = sample('Generate a greeting', 50);
      if (capabilities['roots'] !== undefined) questions['client_roots'] = inputRequired.listRoots();
      if (Object.keys(questions).length === 0) return text('The client can be asked nothing');
      return inputRequired({ inputRequests: questions });
    },
  },
  {
    name: 'test_missing_capability',
    description: 'Asks the model even if the client has not declared sampling',
    async run({ ctx, era }) {
      const question = sample('Say pong', 16);
      if (era === 'modern') return askedOnce(ctx, 'pong', question, () => text('The model was asked'));
      // The SDK would not send the question if the client has not declared the capability.
      await ctx.mcpReq.send({ method: 'sampling/createMessage', params: { ...question.params } });
      return text('The model was asked');
    },
  },
];
