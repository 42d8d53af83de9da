import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../core/outcome.ts';
import { saysUnknownTool } from '../connection/pending-calls.ts';

const asError = (code: number, message: string): Outcome => ({
  kind: 'tool_error',
  error: JSON.stringify({ code, message }),
  extra: '',
});
const asResult = (text: string, kind: 'ok' | 'tool_error' = 'tool_error'): Outcome => ({
  kind,
  result: JSON.stringify({ content: [{ type: 'text', text }], isError: kind === 'tool_error' }),
  era: 'legacy',
  extra: '',
});

describe('a server that does not know a tool', () => {
  it.each([
    ['TypeScript SDK v1', asResult('MCP error -32602: Tool echo not found')],
    ['TypeScript SDK v2', asError(-32602, 'Tool echo not found')],
    ['Python SDK', asResult('Unknown tool: echo')],
    ['the specification', asError(-32602, 'Unknown tool: invalid_tool_name')],
    ['a server of its own words', asError(-32601, 'No such tool')],
    ['a quoted name', asError(-32602, 'Tool "a.b" does not exist')],
  ])('is recognized: %s', (_name, outcome) => expect(saysUnknownTool(outcome)).toBe(true));

  it.each([
    ['another mistake', asError(-32602, 'Invalid arguments for tool echo')],
    ['another code', asError(-32000, 'Unknown tool: echo')],
    ['a file that is not found', asResult('ENOENT: file not found')],
    ['a good answer about such words', asResult('Unknown tool: echo', 'ok')],
    ['a long text', asResult(`Unknown tool: echo ${'x'.repeat(4_000)}`)],
    ['an error without a message', asError(-32602, '')],
  ])('is not recognized: %s', (_name, outcome) => expect(saysUnknownTool(outcome)).toBe(false));
});
