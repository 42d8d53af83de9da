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

/** A tool as its server defines it. */
export interface ToolDefinition extends Definition, HeaderAnnotations {
  readonly readOnly: boolean;
  /** To call it twice with the same arguments does no more than to call it once. */
  readonly idempotent: boolean;
  /**
   * Its structured output need not be an object, as the modern era allows; callers of the legacy era get it inside of one.
   */
  readonly wrapsOutput: boolean;
}

/** `era` is the one in which the server was asked. */
export function parseToolDefinition(raw: ByteText, era: Era): ToolDefinition | undefined {
  const { name, inputSchema, outputSchema, annotations } = readDefinition(raw) ?? {};
  if (typeof name !== 'string' || name === '' || !isRecord(inputSchema)) return undefined;
  const says = (hint: string): boolean => isRecord(annotations) && annotations[hint] === true;
  return {
    name,
    raw,
    readOnly: says('readOnlyHint'),
    idempotent: says('idempotentHint'),
    ...(mayBeAnnotated(raw) ? readHeaderAnnotations(inputSchema) : NO_ANNOTATIONS),
    wrapsOutput: era === 'modern' && isRecord(outputSchema) && outputSchema['type'] !== 'object',
  };
}

/** Few tools are, and a search of every schema would cost more than all the rest. The name may be spelled with escapes. */
const mayBeAnnotated = (raw: ByteText): boolean => raw.includes(HEADER_ANNOTATION) || raw.includes('\\u');
