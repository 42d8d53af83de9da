/**
 * Tools that ask the client once. They are written for the modern era, as rounds: a tool without its answers returns
 * the questions. On a legacy connection the SDK sends those questions as requests and calls the tool again.
 */
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { askedOnce, elicit, sample } from '../questions.ts';
import { objectOf, text, type EverythingTool } from '../tool.ts';
import { DEFAULTS_FORM, ENUMS_FORM } from './forms.ts';

const field = (description: string): object => ({ type: 'string', description });

export const askingTools: EverythingTool[] = [
  {
    name: 'test_sampling',
    description: 'Has the client ask its model',
    inputSchema: objectOf({ prompt: field('What the model is asked') }),
    run: ({ args, ctx }) =>
      askedOnce(ctx, 'answer', sample(String(args['prompt'])), (answer) =>
        text(`LLM response: ${spoken(answer)}`),
      ),
  },
  {
    name: 'test_elicitation',
    description: 'Has the client ask its user',
    inputSchema: objectOf({ message: field('What the user is asked') }),
    run: ({ args, ctx }) => {
      const form = objectOf({ username: field("User's response"), email: field("User's email address") });
      return askedOnce(ctx, 'answer', elicit(String(args['message']), form), (answer) =>
        text(`User response: ${filledIn(answer)}`),
      );
    },
  },
  {
    name: 'test_elicitation_sep1034_defaults',
    description: 'Has the client show a form with a default for each kind of field',
    run: ({ ctx }) =>
      askedOnce(ctx, 'form', elicit('Please check these fields', DEFAULTS_FORM), (answer) =>
        text(`Elicitation completed: ${filledIn(answer)}`),
      ),
  },
  {
    name: 'test_elicitation_sep1330_enums',
    description: 'Has the client show a form with each way to write an enumeration',
    run: ({ ctx }) =>
      askedOnce(ctx, 'form', elicit('Please choose', ENUMS_FORM), (answer) =>
        text(`Elicitation completed: ${filledIn(answer)}`),
      ),
  },
  {
    name: 'test_input_required_result_elicitation',
    description: 'Asks the user for a name and greets',
    run({ ctx }) {
      const name = acceptedContent(ctx.mcpReq.inputResponses, 'user_name')?.['name'];
      if (typeof name === 'string') return text(`Hello, ${name}!`);
      const question = elicit('What is your name?', objectOf({ name: { type: 'string' } }));
      return inputRequired({ inputRequests: { user_name: question } });
    },
  },
  {
    name: 'test_input_required_result_sampling',
    description: 'Asks the model for a capital',
    run: ({ ctx }) =>
      askedOnce(ctx, 'capital_question', sample('What is the capital of France?'), (answer) =>
        text(`The model said: ${spoken(answer)}`),
      ),
  },
  {
    name: 'test_input_required_result_list_roots',
    description: 'Asks for the roots of the client',
    run: ({ ctx }) =>
      askedOnce(ctx, 'client_roots', inputRequired.listRoots(), (answer) =>
        text(`Roots of the client: ${JSON.stringify(answer['roots'])}`),
      ),
  },
];

function spoken(answer: Record<string, unknown>): string {
  const { content } = answer as { content?: { text?: string } };
  return content?.text ?? JSON.stringify(answer);
}

const filledIn = (answer: Record<string, unknown>): string =>
  `action=${String(answer['action'])}, content=${JSON.stringify(answer['content'] ?? {})}`;
