import type { z } from 'zod';
import { parseBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import { CommandFailure } from '../registry/failure.ts';

/** `null` is as good as nothing (seed 000). Throws the text that is documented for what is missing. */
export function readArguments<I extends z.ZodObject>(input: I, raw: ByteText | undefined): z.output<I> {
  const given = raw === undefined || raw === 'null' ? {} : parseBytes(raw);
  const { success, data, error } = input.safeParse(given);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  const isOurs = !message.startsWith('Invalid input');
  const text = isOurs ? message : `${path.join('.') || 'The arguments'}: ${message}`;
  throw new CommandFailure(text, { notExecuted: true });
}
