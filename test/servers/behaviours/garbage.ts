import { define, text, type Tool } from '../tool.ts';

export const garbage: Tool = {
  definition: define(
    'garbage',
    'Writes a line that is not JSON and an answer without a request, then answers.',
  ),
  handle({ send }) {
    send('this is not JSON {');
    send('{"jsonrpc":"2.0","id":"unrequested","result":{"content":[]}}');
    return text('after the garbage');
  },
};
