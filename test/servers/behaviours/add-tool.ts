import { define, stringArg, text, type Tool } from '../tool.ts';

export const addTool: Tool = {
  definition: define('add_tool', 'Adds a tool, or replaces the one of that name, and tells it.', {
    name: 'string',
    description: 'string?',
  }),
  handle({ args, server }) {
    const name = stringArg(args, 'name');
    const definition = define(name, stringArg(args, 'description', `Added tool ${name}.`));
    server.tools.set(name, { definition, handle: () => text(name) });
    server.toolsChanged();
    return text(`added ${name}`);
  },
};
