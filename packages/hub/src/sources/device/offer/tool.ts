/** A command as MCP clients are told of it. */
import { z } from 'zod';
import type { RegisteredCommand } from '../registry/registry.ts';

export interface DeviceTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: Readonly<Record<string, unknown>>;
}

type JsonObject = Readonly<Record<string, unknown>>;

export function toolOf({ name, capability, command }: RegisteredCommand): DeviceTool {
  const { description, input, output, annotations } = command;
  const schema = schemaOf(output, 'output');
  return {
    name,
    title: annotations.title,
    // Seed 000, "MCP bridge": how it begins.
    description: `${capability.category} capability: ${name}. ${description}`,
    inputSchema: { type: 'object', ...schemaOf(input, 'input') },
    outputSchema: schema['type'] === 'object' ? schema : wrapped(schema),
    annotations: { ...annotations },
  };
}

/** Structured content is an object in the legacy era: a list is its only member. */
const wrapped = (items: JsonObject): JsonObject => ({
  type: 'object',
  properties: { [LIST_MEMBER]: items },
  required: [LIST_MEMBER],
});

export const LIST_MEMBER = 'items';

/** Of `io: input`, what may be left out is not required; of both, more members than are named may be there. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return { ...rest, additionalProperties: true };
}
