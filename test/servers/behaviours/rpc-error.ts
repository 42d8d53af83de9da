import { RpcError } from '../outbound.ts';
import { define, numberArg, stringArg, type Tool } from '../tool.ts';

export const rpcError: Tool = {
  definition: define('rpc_error', 'Fails as a request: a JSON-RPC error, with `data` if given.', {
    code: 'number?',
    message: 'string?',
  }),
  handle({ args }) {
    const code = numberArg(args, 'code', -32000);
    throw new RpcError({ code, message: stringArg(args, 'message', 'refused'), data: args['data'] });
  },
};
