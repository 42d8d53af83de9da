import { z } from 'zod';
import { PincerError } from '../../core/errors.ts';

/** What a body says, in the shape that an action takes. */
export function readAs<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PincerError('USAGE', `The request is not valid: ${z.prettifyError(parsed.error)}`);
}
