/** The tools that apps register: ten of ordinary size. The first one is called. */
export interface AppTool {
  name: string;
  path: string;
  description: string;
  input_schema: object;
}

export const TOOLS_PER_SESSION = 10;
export const ECHO = 'echo_text';

/** With a number, all tools differ from those with another number. Only the name of the first is the same, so that it can be called. */
export function toolsOf(number?: number): AppTool[] {
  const mark = number === undefined ? '' : ` For session ${number}.`;
  const ending = number === undefined ? '' : `_${number}`;
  return Array.from({ length: TOOLS_PER_SESSION }, (_, index) => {
    const name = index === 0 ? ECHO : `act_on_document_${index}${ending}`;
    return {
      name,
      path: `/tools/${name}`,
      description: `Does step ${index} with the text of the open document and returns the result.${mark}`,
      input_schema: {
        type: 'object',
        properties: {
          text: { type: 'string', description: `Input of the step.${mark}` },
          count: { type: 'integer', minimum: 1, maximum: 100, description: 'How often.' },
          mode: { type: 'string', enum: ['plain', 'rich', 'quoted'] },
        },
        required: ['text'],
      },
    };
  });
}
