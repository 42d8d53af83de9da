import { readDefinition, type Definition } from './definition.ts';
import type { ByteText } from '../wire/byte-text.ts';

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
