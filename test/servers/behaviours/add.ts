import { define, numberArg, text, type Tool } from '../tool.ts';

export const add: Tool = {
  definition: {
    ...define('add', 'Adds two numbers.', { a: 'number', b: 'number' }, { readOnlyHint: true }),
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  },
  handle({ args }) {
    const sum = numberArg(args, 'a') + numberArg(args, 'b');
    return { ...text(String(sum)), structuredContent: { sum } };
  },
};
