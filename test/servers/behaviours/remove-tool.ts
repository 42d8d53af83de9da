import { define, stringArg, text, type Tool } from '../tool.ts';

export const removeTool: Tool = {
  definition: define(
    'remove_tool',
    'Removes a tool and tells it.',
    { name: 'string' },
    { destructiveHint: true },
  ),
  handle({ args, server }) {
    const name = stringArg(args, 'name');
    const known = server.tools.delete(name);
    if (known) server.toolsChanged();
    return text(known ? `removed ${name}` : `no tool ${name}`);
  },
};
