import { readDefinition, type Definition } from './definition.ts';
import type { ByteText } from '../wire/byte-text.ts';

/** A prompt as its server defines it. */
export type PromptDefinition = Definition;

export function parsePromptDefinition(raw: ByteText): PromptDefinition | undefined {
  const { name, arguments: args } = readDefinition(raw) ?? {};
  if (typeof name !== 'string' || name === '') return undefined;
  return args === undefined || Array.isArray(args) ? { name, raw } : undefined;
}
