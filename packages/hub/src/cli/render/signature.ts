/** A tool as a TypeScript-like signature, all of its parameters in it. */
import { isRecord } from '../../core/is-record.ts';
import { asSchema } from '../../core/schema/json-schema.ts';
import { parameterTexts, schemaText, type TypeLimits } from '../../core/schema/type-text.ts';
import { visible } from '../../core/visible.ts';
import type { ToolReport } from '../../client/tool-report.ts';

const MAX_WIDTH = 100;
const LIMITS: TypeLimits = { maxParameters: Infinity, maxInnerParts: Infinity, maxTypes: 1_000 };

export function renderSignature({ name, definition }: ToolReport): string {
  const parameters = parameterTexts(asSchema(definition.inputSchema), LIMITS).map(({ text }) => text);
  const output = isRecord(definition.outputSchema) ? `: ${schemaText(definition.outputSchema, LIMITS)}` : '';
  const oneLine = `${name}(${parameters.join(', ')})${output}`;
  if (oneLine.length <= MAX_WIDTH || parameters.length === 0) return visible(oneLine);
  return [`${name}(`, ...parameters.map((parameter) => `  ${parameter},`), `)${output}`]
    .map(visible)
    .join('\n');
}
