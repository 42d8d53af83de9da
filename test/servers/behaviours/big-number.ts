import { define, stringArg, type Tool } from '../tool.ts';

const CONTENT = '"content":[{"type":"text","text":"99999999999999999999","x-block":1.50}]';
const REST = '"structuredContent":{"n":99999999999999999999},"x-result":{"b":1e2,"a":"\\u00e9"}';

/** Each literal is one line, because on stdio a line is a message. */
export const bigNumber: Tool = {
  definition: define(
    'big_number',
    'Answers with a result written by hand. `literal` is the whole result, `envelope` the members beside it.',
    { literal: 'string?', envelope: 'string?' },
  ),
  handle({ args, env, caller }) {
    const resultType = caller.era === 'modern' ? '"resultType":"complete",' : '';
    const literal = env['FIXTURE_LITERAL'] ?? `{${resultType}${CONTENT},${REST}}`;
    const envelope = env['FIXTURE_ENVELOPE'] ?? '"x-envelope":12345678901234567890';
    return {
      rawResult: stringArg(args, 'literal', literal),
      rawEnvelope: stringArg(args, 'envelope', envelope),
    };
  },
};
