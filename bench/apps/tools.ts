/** What the apps register: ten tools of an ordinary size, the first of which is called. */
export interface AppTool {
  name: string;
  path: string;
  description: string;
  input_schema: object;
}

export const TOOLS_PER_SESSION = 10;
export const ECHO = 'echo_text';

/** With a number, none of them is like one with another number; only the name of the first is the same, so that it can be called. */
export function toolsOf(number?: number): AppTool[] {
  const mark = number === undefined ? '' : ` For session ${number}.`;
  const ending = number === undefined ? '' : `_${number}`;
  return Array.from({ length: TOOLS_PER_SESSION }, (_, index) => {
    const name = index === 0 ? ECHO : `act_on_document_${index}${ending}`;
    return {
      name,
      path: `/tools/${name}`,
      description: `Does step ${index} with the text of the open document and says what became of it.${mark}`,
      input_schema: {
        type: 'object',
        properties: {
          text: { type: 'string', description: `What the step is to be done with.${mark}` },
          count: { type: 'integer', minimum: 1, maximum: 100, description: 'How often.' },
          mode: { type: 'string', enum: ['plain', 'rich', 'quoted'] },
        },
        required: ['text'],
      },
    };
  });
}
