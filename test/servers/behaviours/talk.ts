import { runScript } from '../script.ts';
import { define, stringArg, type Tool } from '../tool.ts';

/** Not in `behaviours`: only a server with the flag `talk` has it. */
export const talk: Tool = {
  definition: define('talk', 'Does what the script says; everything that it says has the marker in it.', {
    marker: 'string',
    script: 'string',
  }),
  handle: (context) =>
    runScript(context, {
      marker: stringArg(context.args, 'marker'),
      script: stringArg(context.args, 'script'),
      finish: (text) => ({ content: [{ type: 'text', text }] }),
    }),
};
