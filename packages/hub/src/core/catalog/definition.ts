/** What a server lists: kept as the bytes that came, and only renamed. */
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';
import { isObject, readMembers, writeMembers } from '../wire/members.ts';

export interface Definition {
  readonly name: string;
  /** The whole definition as the bytes that came. */
  readonly raw: ByteText;
}

/** The values of a definition; undefined where it is none. */
export const readDefinition = (raw: ByteText): Readonly<Record<string, unknown>> | undefined =>
  isObject(raw) && !hasTwins(raw) ? (parseBytes(raw) as Readonly<Record<string, unknown>>) : undefined;

/** A definition with two names would be one thing to Pincer and another to the client. */
function hasTwins(raw: ByteText): boolean {
  try {
    readMembers(raw);
    return false;
  } catch {
    return true;
  }
}

/** The definition under another name; every other byte as it came. */
export const renameDefinition = (definition: Definition, name: string): ByteText =>
  name === definition.name
    ? definition.raw
    : writeMembers(readMembers(definition.raw), { name: jsonBytes(name) });

/** A prompt as its server defines it. */
export type PromptDefinition = Definition;

export function parsePromptDefinition(raw: ByteText): PromptDefinition | undefined {
  const { name, arguments: args } = readDefinition(raw) ?? {};
  if (typeof name !== 'string' || name === '') return undefined;
  return args === undefined || Array.isArray(args) ? { name, raw } : undefined;
}

/** A resource as its server lists it. Its URI is never rewritten: it may stand in the text of any other message. */
export interface ResourceDefinition extends Definition {
  readonly uri: string;
}

/** A family of resources, by the template of their URIs. */
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
