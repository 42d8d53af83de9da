import { define, text, type Tool } from '../tool.ts';

export const garbage: Tool = {
  definition: define(
    'garbage',
    'Writes a line that is no JSON and an answer that nobody asked for, then answers.',
  ),
  handle({ send }) {
    send('this is not JSON {');
    send('{"jsonrpc":"2.0","id":"nobody-asked","result":{"content":[]}}');
    return text('after the garbage');
  },
};
