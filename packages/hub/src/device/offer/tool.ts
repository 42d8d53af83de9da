/** A command as MCP clients are told of it. */
import { EXAMPLE_KEY } from '../../core/protocol.ts';
import type { RegisteredCommand } from '../registry/registry.ts';
import { inputSchemaOf, outputSchemaOf, type JsonObject } from './schema.ts';

export interface DeviceTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
  readonly _meta?: JsonObject;
}

export function toolOf({ name, capability, command }: RegisteredCommand): DeviceTool {
  const { description, here, input, output, annotations, example } = command;
  return {
    name,
    title: annotations.title,
    // Seed 000, "MCP bridge": how it begins.
    description: [`${capability.category} capability: ${name}.`, description, here].filter(Boolean).join(' '),
    inputSchema: inputSchemaOf(input),
    outputSchema: outputSchemaOf(output),
    annotations: { ...annotations },
    ...(example !== undefined && { _meta: { [EXAMPLE_KEY]: example } }),
  };
}
