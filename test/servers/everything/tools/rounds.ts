/** Tools that keep state between the rounds of one call; the caller carries it. */
import { acceptedContent, inputRequired, type InputRequest } from '@modelcontextprotocol/server';
import { answerTo, elicit, sample } from '../questions.ts';
import type { Round } from '../state.ts';
import { objectOf, text, type Call, type EverythingTool } from '../tool.ts';

const CONFIRM = elicit('Please confirm', objectOf({ ok: { type: 'boolean' } }));

export const roundTools: EverythingTool[] = [
  {
    name: 'test_input_required_result_request_state',
    description: 'Asks for a confirmation and wants its state back',
    async run(call) {
      const { mcpReq } = call.ctx;
      if (acceptedContent(mcpReq.inputResponses, 'confirm') === undefined)
        return ask(call, { confirm: CONFIRM }, { tool: 'request_state', round: 1 });
      return text(
        mcpReq.requestState<Round>()?.tool === 'request_state' ? 'state-ok' : 'The state is missing',
      );
    },
  },
  {
    name: 'test_input_required_result_tampered_state',
    description: 'Asks for a confirmation; a state that was changed is refused before this is called',
    async run(call) {
      const { mcpReq } = call.ctx;
      const isConfirmed = acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined;
      if (isConfirmed && mcpReq.requestState() !== undefined) return text('The state came back as it was');
      return ask(call, { confirm: CONFIRM }, { tool: 'tampered_state', round: 1 });
    },
  },
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks the user, the model and for the roots at once',
    async run(call) {
      const keys = ['user_name', 'greeting', 'client_roots'] as const;
      const answers = keys.map((key) => answerTo(call.ctx, key));
      if (answers.every((answer) => answer !== undefined)) return text(JSON.stringify(answers));
      const questions = {
        user_name: elicit('What is your name?', objectOf({ name: { type: 'string' } })),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      };
      return ask(call, questions, { tool: 'multiple_inputs', round: 1 });
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks for a name, then for a color',
    async run(call) {
      const { mcpReq } = call.ctx;
      const state = mcpReq.requestState<Round>();
      const name = acceptedContent(mcpReq.inputResponses, 'step1')?.['name'];
      if (typeof name === 'string' && state?.round === 1) {
        const question = elicit(
          'Step 2: What is your favorite color?',
          objectOf({ color: { type: 'string' } }),
        );
        return ask(call, { step2: question }, { tool: 'multi_round', round: 2, note: name });
      }
      const color = acceptedContent(mcpReq.inputResponses, 'step2')?.['color'];
      if (typeof color === 'string' && state?.round === 2) return text(`${state.note} likes ${color}`);
      const question = elicit('Step 1: What is your name?', objectOf({ name: { type: 'string' } }));
      return ask(call, { step1: question }, { tool: 'multi_round', round: 1 });
    },
  },
];

const ask = async (
  { state }: Call,
  inputRequests: Record<string, InputRequest>,
  round: Round,
): Promise<ReturnType<typeof inputRequired>> =>
  inputRequired({ inputRequests, requestState: await state.codec.mint(round) });
