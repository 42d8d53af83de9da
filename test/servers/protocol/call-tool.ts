import { callKey, refuse, type Channel, type Connection, type Decision } from '../connection.ts';
import type { Era } from '../flags.ts';
import type { Inbound } from '../inbound.ts';
import { cut, isObject } from '../json.ts';
import { errorMessage, progressMessage, resultMessage, RpcError } from '../outbound.ts';
import type { FixtureState } from '../state.ts';
import { stringArg, type Caller, type Tool, type ToolContext } from '../tool.ts';

export interface Call {
  state: FixtureState;
  inbound: Inbound;
  connection: Connection;
  caller: Caller;
  /** Writes an ordinary result in the format of the era. */
  write: (result: object) => string;
}

export function callTool(call: Call): Decision {
  const { state, inbound } = call;
  const name = stringArg(inbound.params, 'name', '');
  const tool = state.tools.get(name);
  if (tool === undefined) return refuse(inbound, { code: -32602, message: `Unknown tool: ${name}` });
  return start(call, tool);
}

/** Starts a call of a tool, or of a prompt or resource that behaves like one. */
export const start = (call: Call, tool: Tool): Decision => ({
  kind: 'start',
  stream: false,
  run: (channel) => run(call, tool, channel),
});

export function callerOf(era: Era, connection: Connection): Caller {
  const { version, session, client, headers, logLevel } = connection;
  return { era, version, session, client, headers, logLevel };
}

async function run(call: Call, tool: Tool, channel: Channel): Promise<string | undefined> {
  const { state, inbound, connection, write } = call;
  const open = state.calls.open(callKey(connection, inbound.rawId), inbound.id, tool.definition.name);
  try {
    const result = await tool.handle(contextOf(call, open.signal, channel));
    if (open.signal.aborted) return undefined;
    if ('rawResult' in result) return resultMessage(inbound.rawId, result.rawResult, result.rawEnvelope);
    return resultMessage(inbound.rawId, write(result));
  } catch (error) {
    if (open.signal.aborted) return undefined;
    if (error instanceof RpcError) return errorMessage(inbound.rawId, error.body);
    return errorMessage(inbound.rawId, { code: -32603, message: String(error) });
  } finally {
    open.close();
  }
}

function contextOf(call: Call, signal: AbortSignal, channel: Channel): ToolContext {
  const { state, inbound, caller, connection } = call;
  const rawToken = cut(inbound.rawParams, '_meta', 'progressToken');
  const args = inbound.params['arguments'];
  return {
    args: isObject(args) ? args : {},
    rawParams: inbound.rawParams,
    progress(progress, total, message) {
      if (rawToken === undefined || signal.aborted) return;
      channel.send(progressMessage(rawToken, { progress, total, message }));
    },
    signal,
    env: process.env,
    send: (message) => channel.send(message),
    push: (message) => connection.push(message),
    ask: (method, params, way) => {
      const send = way === 'send' ? channel.send : connection.push;
      return state.questions.ask(connection, { method, params, send, signal });
    },
    caller,
    server: state,
  };
}
