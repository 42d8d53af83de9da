import type { z } from 'zod';
import { parseBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import { CommandFailure } from '../registry/failure.ts';

/** `null` is as good as nothing (seed 000). Throws the text that is documented for what is missing. */
export function readArguments<I extends z.ZodObject>(input: I, raw: ByteText | undefined): z.output<I> {
  const given = raw === undefined || raw === 'null' ? {} : parseBytes(raw);
  const { success, data, error } = input.safeParse(given);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  const text = OF_ZOD.test(message) ? `${path.join('.') || 'The arguments'}: ${message}` : message;
  throw new CommandFailure(text, { notExecuted: true });
}

/** Texts that name no argument; those of a capability itself do. */
const OF_ZOD = /^(?:Invalid (?:input|option|key|element|string)|Too (?:big|small)|Unrecognized key)/;
