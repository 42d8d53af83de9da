/** What a command takes and gives back, in the JSON Schema that clients read. */
import { z } from 'zod';
import { isNeeded } from '../registry/arguments.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** More members than are named may be there, in what is given and in what comes back. */
export function inputSchemaOf(input: z.ZodObject): JsonObject {
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

export const outputSchemaOf = (output: z.ZodType): JsonObject => {
  const schema = schemaOf(output, 'output');
  return schema['type'] === 'object' ? { ...schema, additionalProperties: true } : wrapped(schema);
};

/** Structured content is an object in the legacy era: a list is its only member. */
const wrapped = (items: JsonObject): JsonObject => ({
  type: 'object',
  properties: { [LIST_MEMBER]: items },
  required: [LIST_MEMBER],
});

export const LIST_MEMBER = 'items';

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      withoutNoise(jsonSchema);
      // Of what is transformed zod leaves it out: it cannot know on which side of the transformation it stands.
      const fallback = z.globalRegistry.get(zodSchema)?.['default'];
      if (io === 'input' && fallback !== undefined) jsonSchema.default = fallback;
    },
  });
  return rest;
}

/** What zod adds and JSON says anyway; there are clients that turn a tool away for a keyword that they do not know. */
function withoutNoise(schema: { minimum?: unknown; maximum?: unknown; propertyNames?: unknown }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // Of every key in JSON.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
}
