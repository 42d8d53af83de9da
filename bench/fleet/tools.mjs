/** The ten tools of each of the servers: they answer their message. */
export const TOOLS = Array.from({ length: 10 }, (_, index) => ({
  name: `echo_${index}`,
  title: `Echo ${index}`,
  description: `Answers its message. Number ${index} of ten tools that differ in name and description alone.`,
  inputSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'What comes back.' },
      times: { type: 'integer', minimum: 1, description: 'Ignored.' },
    },
    required: ['message'],
  },
  annotations: { readOnlyHint: true },
}));
