/** A call that can be copied, tried and changed. */
import {
  asSchema,
  branchesOf,
  choicesOf,
  objectParts,
  resolveSchema,
  type Schema,
} from '../../core/schema/json-schema.ts';
import { visible } from '../../core/visible.ts';
import type { ToolReport } from '../../client/tool-report.ts';
import { typesOf } from '../call/json-types.ts';
import { shellWord } from '../../core/shell-word.ts';

/** With every argument that is required. */
export function renderCallLine({ server, name, definition }: ToolReport): string {
  const root = asSchema(definition.inputSchema);
  const { properties, required } = objectParts(root);
  const words = required.map((key) => shellWord(visible(`${key}=${sampleText(properties[key], root)}`)));
  return ['pincer call', shellWord(visible(`${server}.${name}`)), ...words].join(' ');
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
