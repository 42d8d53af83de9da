/** A command as an MCP tool, with its JSON schemas. */
import { z } from 'zod';
import { EXAMPLE_KEY } from '../../core/protocol.ts';
import { isNeeded } from './arguments.ts';
import type { RegisteredCommand } from './capability.ts';

interface DeviceTool {
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
    // The beginning is from seed 000, "MCP bridge".
    description: [`${capability.category} capability: ${name}.`, description, here].filter(Boolean).join(' '),
    inputSchema: inputSchemaOf(input),
    outputSchema: outputSchemaOf(output),
    annotations: { ...annotations },
    ...(example !== undefined && { _meta: { [EXAMPLE_KEY]: example } }),
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Allows additional members, as the schema of the output does. */
function inputSchemaOf(input: z.ZodObject): JsonObject {
  const { required, ...schema } = schemaOf(input, 'input');
  const names = Object.entries(input.shape).flatMap(([name, argument]) =>
    isNeeded(argument as z.ZodType) || (Array.isArray(required) && required.includes(name)) ? [name] : [],
  );
  return {
    type: 'object',
    ...schema,
    ...(names.length > 0 && { required: names }),
    additionalProperties: true,
  };
}

const outputSchemaOf = (output: z.ZodType): JsonObject => {
  const schema = schemaOf(output, 'output');
  return schema['type'] === 'object' ? { ...schema, additionalProperties: true } : wrapped(schema);
};

/** In the legacy era, structured content is an object. So a list becomes its only member. */
const wrapped = (items: JsonObject): JsonObject => ({
  type: 'object',
  properties: { [LIST_MEMBER]: items },
  required: [LIST_MEMBER],
});

export const LIST_MEMBER = 'items';

/** By zod schema, which never changes. Converting those of all commands takes a tenth of a hub's start. */
const converted = {
  input: new WeakMap<z.ZodType, JsonObject>(),
  output: new WeakMap<z.ZodType, JsonObject>(),
};

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const known = converted[io].get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      withoutNoise(jsonSchema);
      // Zod omits the default of a transformed schema.
      const fallback = z.globalRegistry.get(zodSchema)?.['default'];
      if (io === 'input' && fallback !== undefined) jsonSchema.default = fallback;
    },
  });
  converted[io].set(schema, rest);
  return rest;
}

/** Removes what zod adds and JSON implies: some clients reject a tool with an unknown keyword. */
function withoutNoise(schema: { minimum?: unknown; maximum?: unknown; propertyNames?: unknown }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // Every key in JSON is a string.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
}
