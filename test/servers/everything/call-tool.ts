import {
  fromJsonSchema,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { objectOf, text, type Call, type EverythingTool, type Outcome } from './tool.ts';

/** Unlike the SDK's own tool call, this can refuse a client that lacks a capability. Every other error is a result. */
export async function callTool(name: string, tool: EverythingTool | undefined, call: Call): Promise<Outcome> {
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
  const schema = fromJsonSchema<Record<string, unknown>>(tool.inputSchema ?? objectOf({}));
  const checked = await schema['~standard'].validate(call.args);
  if (checked.issues !== undefined) return failed(checked.issues.map(({ message }) => message).join(', '));
  try {
    return await tool.run(call);
  } catch (error) {
    if (error instanceof MissingRequiredClientCapabilityError) throw error;
    return failed(error instanceof Error ? error.message : String(error));
  }
}

const failed = (message: string): Outcome => ({ ...text(message), isError: true });
