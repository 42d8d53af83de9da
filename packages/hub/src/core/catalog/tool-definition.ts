import { readDefinition, type Definition } from './definition.ts';
import {
  HEADER_ANNOTATION,
  NO_ANNOTATIONS,
  readHeaderAnnotations,
  type HeaderAnnotations,
} from './header-annotations.ts';
import { isRecord } from '../../lib/record.ts';
import type { Era } from '../protocol.ts';
import type { ByteText } from '../wire/byte-text.ts';

export interface ToolDefinition extends Definition, HeaderAnnotations {
  readonly readOnly: boolean;
  /** Calling it twice with the same arguments has no further effect. */
  readonly idempotent: boolean;
  /** Its structured output may be other than an object (modern era). Legacy callers get it wrapped in an object. */
  readonly wrapsOutput: boolean;
}

/** `era` is the era in which the server was asked. */
export function parseToolDefinition(raw: ByteText, era: Era): ToolDefinition | undefined {
  const { name, inputSchema, outputSchema, annotations } = readDefinition(raw) ?? {};
  if (typeof name !== 'string' || name === '' || !isRecord(inputSchema)) return undefined;
  const isMarked = (hint: string): boolean => isRecord(annotations) && annotations[hint] === true;
  return {
    name,
    raw,
    readOnly: isMarked('readOnlyHint'),
    idempotent: isMarked('idempotentHint'),
    ...(mayBeAnnotated(raw) ? readHeaderAnnotations(inputSchema) : NO_ANNOTATIONS),
    wrapsOutput: era === 'modern' && isRecord(outputSchema) && outputSchema['type'] !== 'object',
  };
}

/** Skips the search for most tools, because it costs more than all the rest. The name may be written with escapes. */
const mayBeAnnotated = (raw: ByteText): boolean => raw.includes(HEADER_ANNOTATION) || raw.includes('\\u');
