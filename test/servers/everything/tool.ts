import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { EverythingState } from './state.ts';

export interface Call {
  args: Record<string, unknown>;
  ctx: ServerContext;
  state: EverythingState;
  /** The era of the connection. */
  era: 'legacy' | 'modern';
  /** The capabilities that the client of this call declared. */
  capabilities: ClientCapabilities;
}

export type Outcome = CallToolResult | InputRequiredResult;

export interface EverythingTool {
  name: string;
  /** A function if the description changes with the list. */
  description: string | ((state: EverythingState) => string);
  /** Without a schema, the tool takes no arguments. */
  inputSchema?: Record<string, unknown>;
  run(call: Call): Outcome | Promise<Outcome>;
}

export const text = (content: string): CallToolResult => ({ content: [{ type: 'text', text: content }] });

export const objectOf = (
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): Record<string, unknown> => ({ type: 'object', properties, required });
