/** One entry of a server's list. Keeps the original bytes; only the name may be replaced. */
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';
import { isObject, readMembers, writeMembers } from '../wire/members.ts';

export interface Definition {
  readonly name: string;
  /** The original bytes of the whole definition. */
  readonly raw: ByteText;
}

/** Returns the values of a definition, or undefined if it is not a valid one. */
export const readDefinition = (raw: ByteText): Readonly<Record<string, unknown>> | undefined =>
  isObject(raw) && !hasDuplicateKeys(raw)
    ? (parseBytes(raw) as Readonly<Record<string, unknown>>)
    : undefined;

/** With duplicate keys, Pincer and the client could read different names. */
function hasDuplicateKeys(raw: ByteText): boolean {
  try {
    readMembers(raw);
    return false;
  } catch {
    return true;
  }
}

/** The definition under another name, with every other byte unchanged. */
export const renameDefinition = (definition: Definition, name: string): ByteText =>
  name === definition.name
    ? definition.raw
    : writeMembers(readMembers(definition.raw), { name: jsonBytes(name) });

export type PromptDefinition = Definition;

export function parsePromptDefinition(raw: ByteText): PromptDefinition | undefined {
  const { name, arguments: args } = readDefinition(raw) ?? {};
  if (typeof name !== 'string' || name === '') return undefined;
  return args === undefined || Array.isArray(args) ? { name, raw } : undefined;
}

/** A resource as its server lists it. Its URI is never rewritten, because the text of any other message may contain it. */
export interface ResourceDefinition extends Definition {
  readonly uri: string;
}

/** A family of resources, given by a URI template. */
export interface TemplateDefinition extends Definition {
  readonly uriTemplate: string;
}

export function parseResourceDefinition(raw: ByteText): ResourceDefinition | undefined {
  const { uri, name } = readDefinition(raw) ?? {};
  return isFilled(uri) && typeof name === 'string' ? { name, uri, raw } : undefined;
}

export function parseTemplateDefinition(raw: ByteText): TemplateDefinition | undefined {
  const { uriTemplate, name } = readDefinition(raw) ?? {};
  return isFilled(uriTemplate) && typeof name === 'string' ? { name, uriTemplate, raw } : undefined;
}

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';
