/** Arguments of a tool: what its clients are told of them, and what is said where they are wrong. */
import { z } from 'zod';

export function inputSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** The first of what is wrong, as a sentence. */
export function firstFault({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return `${path.length === 0 ? 'The arguments' : path.join('.')}: ${message}.`;
}
