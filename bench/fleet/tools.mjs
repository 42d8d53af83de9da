/** The ten tools of each server. They return their message. */
export const TOOLS = Array.from({ length: 10 }, (_, index) => ({
  name: `echo_${index}`,
  title: `Echo ${index}`,
  description: `Returns its message. Number ${index} of ten tools that differ only in name and description.`,
  inputSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The text to return.' },
      times: { type: 'integer', minimum: 1, description: 'Ignored.' },
    },
    required: ['message'],
  },
  annotations: { readOnlyHint: true },
}));
