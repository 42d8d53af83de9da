/** The JSON-RPC messages of a legacy session, and checks of their answers. */
const PROTOCOL_VERSION = '2025-06-18';

export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
});

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

export interface Answer {
  id?: number | string;
  result?: { protocolVersion?: string; isError?: boolean; content?: { type: string; text?: string }[] };
  error?: { code: number; message: string };
}

export function toolCall(id: number, tool: string, message: string): string {
  const params = { name: tool, arguments: { message } };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** Throws unless the answer has a result. */
export function resultOf(answer: Answer): NonNullable<Answer['result']> {
  if (answer.error !== undefined) throw new Error(`error ${answer.error.code}: ${answer.error.message}`);
  if (answer.result === undefined) throw new Error('an answer without result');
  return answer.result;
}

export function textOf(answer: Answer): string {
  const { isError, content } = resultOf(answer);
  const text = content?.[0]?.text;
  if (isError === true) throw new Error(`tool error: ${text}`);
  if (text === undefined) throw new Error('a result without text');
  return text;
}
