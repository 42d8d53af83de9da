/** A call that can be copied, tried and changed. */
import { isRecord } from '../../core/is-record.ts';
import { EXAMPLE_KEY } from '../../core/protocol.ts';
import {
  asSchema,
  branchesOf,
  choicesOf,
  objectParts,
  resolveSchema,
  type Schema,
} from '../../core/schema/json-schema.ts';
import { visible } from '../../core/visible.ts';
import type { ToolDefinition, ToolReport } from '../../client/tool-report.ts';
import { typesOf } from '../call/json-types.ts';
import { shellWord } from '../../core/shell-word.ts';

/** The tool's own example, else every argument that is required. */
export function renderCallLine({ server, name, definition }: ToolReport): string {
  const words = exampleWords(definition) ?? requiredWords(definition);
  const rest = [`${server}.${name}`, ...words].map((word) => shellWord(visible(word)));
  return ['pincer call', ...rest].join(' ');
}

function exampleWords({ _meta }: ToolDefinition): string[] | undefined {
  const example = _meta?.[EXAMPLE_KEY];
  if (!isRecord(example)) return undefined;
  return Object.entries(example).map(([key, value]) =>
    typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`,
  );
}

function requiredWords({ inputSchema }: ToolDefinition): string[] {
  const root = asSchema(inputSchema);
  const { properties, required } = objectParts(root);
  return required.map((key) => `${key}=${sampleText(properties[key], root)}`);
}

function sampleText(schema: unknown, root: Schema): string {
  const resolved = resolveSchema(schema, root);
  const { default: fallback, examples } = resolved;
  const given = [fallback, ...(Array.isArray(examples) ? examples : []), ...(choicesOf(resolved) ?? [])];
  const sample = given.find((value) => value !== undefined && value !== null);
  if (sample !== undefined) return typeof sample === 'string' ? sample : JSON.stringify(sample);
  const types = typesOf(resolved, root);
  if (types.has('string')) return 'text';
  if (types.has('integer') || types.has('number')) return String(minimumOf(resolved) ?? 1);
  if (types.has('boolean')) return 'true';
  if (types.has('array')) return '[]';
  if (types.has('object')) return '{}';
  return branchesOf(resolved).length > 0 ? 'null' : 'text';
}

const minimumOf = (schema: Schema): number | undefined => {
  const { minimum } = schema;
  return typeof minimum === 'number' && minimum > 1 ? minimum : undefined;
};
